import Beacons

/// When to publish the distance of a beacon to a receiver: at most once a second, when it is heard.
struct RoomPresence: Sendable {
  static let pause = TimeSpan.seconds(1)

  /// The base topic; nil: room presence is off.
  let prefix: String?
  /// By beacon and receiver: from when on a sighting causes a message. Retired beacons need no cleanup: they were silent for
  /// longer.
  private var dueFrom: [UInt64: MonotonicTime] = [:]

  init(prefix: String?) { self.prefix = prefix }

  /// Whether to publish a sighting; if so, it counts as published.
  mutating func take(_ sighting: Sighting) -> Bool {
    guard prefix != nil, isDue(sighting) else { return false }
    dueFrom[Self.key(sighting)] = sighting.time + Self.pause
    return true
  }

  private func isDue(_ sighting: Sighting) -> Bool {
    // Without a signal there is no distance.
    guard sighting.beacon != .nobody, sighting.rssi != nil else { return false }
    return dueFrom[Self.key(sighting)].map { sighting.time >= $0 } ?? true
  }

  private static func key(_ sighting: Sighting) -> UInt64 {
    UInt64(UInt32(bitPattern: sighting.beacon.rawValue)) << 16 | UInt64(sighting.receiver.rawValue)
  }
}

extension RoomPresence {
  func snapshot(into writer: inout StateWriter) { writer.write(dueFrom) }

  mutating func restore(from reader: inout StateReader) throws(StateError) {
    reader.part = "room presence"
    dueFrom = try reader.read()
  }
}
