/// A closure that waits in a mutex. By itself it would be wrapped anew each time that the mutex hands it out, and the mutex would keep
/// the wrapping: a chain that grows with every call (Swift 6.2).
struct Callback<Result>: Sendable {
  let call: @Sendable () -> Result

  init(_ call: @escaping @Sendable () -> Result) { self.call = call }
}
