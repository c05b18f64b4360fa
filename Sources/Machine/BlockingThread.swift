import Dispatch
import Synchronization

/// A thread that owns what may keep it waiting for ever: a file on a disk that hangs, a terminal that is held. Nobody else can reach
/// what it owns, so nobody else can wait for it.
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

  /// What was asked for is still done.
  deinit { jobs.add(nil) }

  /// Adds a job, and does not wait for it. Jobs are done one after another.
  package func perform(_ job: @escaping Job) { jobs.add(job) }
}
