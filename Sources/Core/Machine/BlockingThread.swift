import Dispatch
import Synchronization

/// A thread that owns an object whose use may block for ever: a file on a disk that hangs, a stopped terminal. Other threads
/// cannot use the object, so none of them can block.
package final class BlockingThread<Owned>: Sendable {
  package typealias Job = @Sendable (Owned) -> Void

  private final class Jobs: Sendable {
    private let waiting = Mutex<[Job]>([])
    private let count = DispatchSemaphore(value: 0)

    /// - Parameter job: nil: there will be no more.
    func add(_ job: Job?) {
      if let job { waiting.withLock { $0.append(job) } }
      count.signal()
    }

    /// Waits for the next one; nil: there will be none.
    func next() -> Job? {
      count.wait()
      return waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    }
  }

  private let jobs = Jobs()

  package init(owning owned: sending Owned) throws(SystemError) {
    try Thread.start { [jobs] in
      while let job = jobs.next() { job(owned) }
    }
  }

  /// Jobs that were added are still done.
  deinit { jobs.add(nil) }

  /// Adds a job, without waiting for it. Jobs are done one after another.
  package func perform(_ job: @escaping Job) { jobs.add(job) }
}
