import Beacons

/// Which replay counters the next run of the gateway must know, and when they are worth a write.
///
/// A sensor increments its counter with every measurement; writing each one would wear out an SD card. So the first few are
/// written at once, then one write per `interval`. An orderly shutdown writes all. After a power cut, frames of the last interval
/// can be replayed until the device itself is heard.
struct CounterLedger: Sendable {
  private static let interval = TimeSpan.seconds(300)
  /// Writes in quick succession.
  private static let burst = 8

  /// Of an earlier run, by the beacon's key.
  private var restored: [String: UInt32] = [:]
  private var unsaved: Set<BeaconIndex> = []
  /// When a burst of writes would be possible again in full.
  private var rested = MonotonicTime(nanoseconds: .min)

  mutating func restore(_ counters: [String: UInt32]) { restored = counters }

  /// What an earlier run knew.
  func earlier(_ key: String) -> UInt32? { restored.isEmpty ? nil : restored[key] }

  mutating func note(_ beacon: BeaconIndex) { unsaved.insert(beacon) }

  mutating func forget(_ beacon: BeaconIndex) { unsaved.remove(beacon) }

  mutating func adopt(_ other: CounterLedger) {
    restored = other.restored
    rested = other.rested
  }

  var isSaved: Bool { unsaved.isEmpty }

  /// Those to be written now.
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
