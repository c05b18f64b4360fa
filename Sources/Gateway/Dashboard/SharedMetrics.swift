import Beacons
import Machine
import Synchronization

/// The counters for Prometheus, made once for all who ask within a moment, so that nobody's scrapes hold up decisions.
final class SharedMetrics: Sendable {
  private static let age = TimeSpan.milliseconds(100)

  private let stage: any Stage
  private let state = Mutex<(text: [UInt8], made: MonotonicTime)?>(nil)

  init(_ stage: any Stage) { self.stage = stage }

  var text: [UInt8] {
    state.withLock { state in
      let now = LiveClock.now
      if let state, now - state.made < Self.age { return state.text }
      let text = Array(stage.metrics().utf8)
      state = (text, now)
      return text
    }
  }
}
