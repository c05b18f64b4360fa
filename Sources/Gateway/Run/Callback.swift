/// A closure in a mutex. A bare closure would be wrapped anew each time that the mutex returns it, and the mutex would keep the
/// wrapper, so the chain would grow with every call (Swift 6.2).
struct Callback<Result>: Sendable {
  let call: @Sendable () -> Result

  init(_ call: @escaping @Sendable () -> Result) { self.call = call }
}
