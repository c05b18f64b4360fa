import Glibc

/// A thread outside Swift's pool, which must not be blocked.
package enum Thread {
  private final class Body {
    let run: () -> Void
    init(_ run: @escaping () -> Void) { self.run = run }
  }

  package static func start(_ body: sending @escaping () -> Void) throws(SystemError) {
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

  /// Puts this thread to sleep.
  package static func sleep(for span: TimeSpan) {
    if span > .zero { usleep(UInt32(clamping: span.nanoseconds / 1000)) }
  }

  /// Runs work that may wait for a disk outside of Swift's pool, which has only one thread on a machine with one core.
  package static func run<Result>(_ body: @escaping @Sendable () -> sending Result) async -> sending Result {
    await withCheckedContinuation { continuation in
      do throws(SystemError) {
        try start { continuation.resume(returning: body()) }
      } catch {
        continuation.resume(returning: body())
      }
    }
  }
}
