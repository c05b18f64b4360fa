import Beacons

/// Which replay counters must be saved for the next run, and when.
///
/// A sensor increments its counter with every measurement. To spare SD cards, a burst of counters is written at once,
/// then one write per `interval`. An orderly shutdown writes all. After a power cut, frames of the last interval can
/// be replayed until the device itself is heard.
struct CounterLedger: Sendable {
  private static let interval = TimeSpan.seconds(300)
  /// How many writes may follow each other at once.
  private static let burst = 8

  /// Counters of an earlier run, by the beacon's key.
  private var restored: [String: UInt32] = [:]
  private var unsaved: Set<BeaconIndex> = []
  /// When a full burst of writes is possible again.
  private var rested = MonotonicTime(nanoseconds: .min)

  mutating func restore(_ counters: [String: UInt32]) { restored = counters }

  /// The counter that an earlier run saved.
  func earlier(_ key: String) -> UInt32? { restored.isEmpty ? nil : restored[key] }

  mutating func note(_ beacon: BeaconIndex) { unsaved.insert(beacon) }

  mutating func forget(_ beacon: BeaconIndex) { unsaved.remove(beacon) }

  mutating func adopt(_ other: CounterLedger) {
    restored = other.restored
    rested = other.rested
  }

  var isSaved: Bool { unsaved.isEmpty }

  /// The counters to write now.
  mutating func take(at time: MonotonicTime, isLast: Bool) -> Set<BeaconIndex> {
    guard !unsaved.isEmpty else { return [] }
    let next = max(rested, time) + Self.interval
    guard isLast || next - time <= Self.interval * Double(Self.burst) else { return [] }
    rested = next
    defer { unsaved.removeAll() }
    return unsaved
  }
}

extension CounterLedger: StateFields {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("restored", &restored)
    try coder("unsaved", &unsaved)
    try coder("rested", &rested)
  }
}
