import Beacons
import Messages

/// The last time that each device's scanner told of it, to notice repetitions. The size is fixed: another device may take a place,
/// and then one repetition passes.
struct RepeatMemory: Sendable {
  private static let places = 4096
  private var times: [(device: UInt64, time: UInt64)] = []

  /// Whether this device was heard at the same time according to the last message.
  ///
  /// - Parameter device: a text that identifies it.
  mutating func isRepeated(_ device: String, at time: String) -> Bool {
    if times.isEmpty { times = Array(repeating: (0, 0), count: Self.places) }
    let (device, time) = (Self.hash(device), Self.hash(time))
    let place = Int(device % UInt64(Self.places))
    defer { times[place] = (device, time) }
    return times[place] == (device, time)
  }

  /// The same in every process, as a snapshot needs it.
  private static func hash(_ text: String) -> UInt64 {
    var hash = FNV1a()
    hash.combine(text.utf8.span)
    return UInt64(truncatingIfNeeded: hash.value)
  }
}

/// Only the places that are taken.
extension RepeatMemory {
  func snapshot(into writer: inout StateWriter) {
    let taken = times.enumerated().filter { $0.element != (0, 0) }
    writer.count(taken.count)
    for (place, last) in taken {
      writer.write(UInt16(place))
      writer.write(last.device)
      writer.write(last.time)
    }
  }

  mutating func restore(from reader: inout StateReader) throws(StateError) {
    reader.part = "repetitions"
    let count = try reader.count()
    if count > 0 { times = Array(repeating: (0, 0), count: Self.places) }
    for _ in 0..<count {
      let place: UInt16 = try reader.index(below: Self.places)
      times[Int(place)] = (try reader.read(), try reader.read())
    }
  }
}
