import Beacons
import Pipeline
import Synchronization

extension DecisionLoop {
  /// A deadline may be looked at this much late before the loop counts as stuck: the machine may have been busy.
  private static let tolerance = TimeSpan.seconds(30)

  /// Whether deadlines are looked at when they are due.
  func isOnTime(at time: MonotonicTime) -> Bool {
    state.withLock { $0.nextLook == .distantFuture || time < $0.nextLook + Self.tolerance }
  }

  /// How things stand, in a few words.
  var summary: String {
    let beacons = state.withLock { $0.pipeline.beaconCount }
    let waiting = delivery.figures.queued
    let broker = waiting == 0 ? "the broker has everything" : "\(waiting) messages wait for the broker"
    return "\(beacons) \(beacons == 1 ? "beacon" : "beacons") known; \(broker)"
  }
}
