import Glibc

/// A thread outside Swift's pool, which must not be blocked.
package enum Thread {
  private final class Body {
    let run: @Sendable () -> Void
    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }

  package static func start(_ body: @escaping @Sendable () -> Void) throws(SystemError) {
    let box = unsafe Unmanaged.passRetained(Body(body))
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, nil,
      { context in
        guard let context = unsafe context else { return nil }
        unsafe Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, box.toOpaque())
    guard code == 0 else {
      unsafe box.release()
      throw SystemError(call: "pthread_create", code: code)
    }
    pthread_detach(thread)
  }
}
