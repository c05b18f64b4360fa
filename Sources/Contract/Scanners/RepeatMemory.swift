import Beacons

/// The last time in each device's messages, to recognise repetitions. Of fixed size: if another device replaces an entry, one
/// repetition is missed.
struct RepeatMemory: Sendable {
  fileprivate static let places = 4096
  private var times: [(device: UInt64, time: UInt64)] = []

  /// Whether the device's last message had the same time.
  ///
  /// - Parameter device: a text that identifies it.
  mutating func isRepeated(_ device: String, at time: String) -> Bool {
    if times.isEmpty { times = Array(repeating: (0, 0), count: Self.places) }
    let (device, time) = (Self.hash(device), Self.hash(time))
    let place = Int(device % UInt64(Self.places))
    defer { times[place] = (device, time) }
    return times[place] == (device, time)
  }

  /// The same in every process, because snapshots contain it.
  private static func hash(_ text: String) -> UInt64 {
    var hash = FNV1a()
    hash.combine(text.utf8.span)
    return UInt64(truncatingIfNeeded: hash.value)
  }
}

/// Only occupied entries.
extension RepeatMemory: StateFields {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    var taken = times.enumerated().filter { $0.element != (0, 0) }.map { place, last in
      Taken(place: UInt16(place), device: last.device, time: last.time)
    }
    try coder("taken", &taken, atMost: Self.places)
    guard coder.isReading, !taken.isEmpty else { return }
    times = Array(repeating: (0, 0), count: Self.places)
    for last in taken { times[Int(last.place)] = (last.device, last.time) }
  }

  private struct Taken: StateElement {
    var place: UInt16 = 0
    var device: UInt64 = 0
    var time: UInt64 = 0

    mutating func fields(_ coder: inout StateCoder) throws(StateError) {
      try coder("place", &place, below: RepeatMemory.places)
      try coder("device", &device)
      try coder("time", &time)
    }
  }
}
