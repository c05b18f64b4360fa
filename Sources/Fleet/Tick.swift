import Beacons
import Core

/// The time, as a message in the queue. Workers publish ticks to all partitions' queues. A worker that reads a queue, however
/// late, therefore finds the same time before the same message. No gateway's clock has to be right.
package struct Tick: Hashable, Sendable {
  private static let nameLimit = 100

  package var worker: String
  /// The worker's wall clock.
  package var time: WallTime

  package init(worker: String, time: WallTime) {
    self.worker = worker
    self.time = time
  }

  package var payload: [UInt8] {
    JSONWriter.object {
      $0.field("v", 1)
      $0.field("worker", worker)
      $0.field("wall_ms", time.nanoseconds / 1_000_000)
    }
  }

  /// nil for anything else.
  package init?(_ payload: [UInt8]) {
    guard payload.count <= 400, let tree = try? JSONTree(payload), tree["v"]?.wholeNumber == 1,
      case .text(let worker)? = tree["worker"], (1...Self.nameLimit).contains(worker.utf8.count),
      let time = tree["wall_ms"]?.wholeNumber, (0..<Self.latest).contains(time)
    else { return nil }
    self.worker = worker
    self.time = WallTime(nanoseconds: time * 1_000_000)
  }

  /// The year 2200, in milliseconds: nanoseconds since 1970 fit 64 bits until 2262.
  private static let latest: Int64 = 7_258_118_400_000
}
