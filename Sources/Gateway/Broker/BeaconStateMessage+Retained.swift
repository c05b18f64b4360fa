import Beacons
import JSON
import Messages
import Pipeline

extension BeaconStateMessage {
  /// Larger than any of ours.
  private static let retainedLimit = 1 << 16

  /// A state that the broker retained of an earlier run, corrected for a beacon that is nowhere and no longer heard. The
  /// payload may be of any client.
  ///
  /// nil for anything but a beacon's state with a place or a distance.
  init?(elsewhere beacon: String, retained payload: [UInt8]) {
    guard payload.count <= Self.retainedLimit, let tree = try? JSONTree(payload, limit: payload.count),
      case .list(let zones)? = tree["zones"],
      zones.allSatisfy({ if case .text = $0 { true } else { false } }),
      case let room = tree.text("room"), room != nil || tree.lacks("room"),
      room != nil || !zones.isEmpty || !tree.lacks("distance_m"),
      let seen = tree.text("last_seen").flatMap({ WallTime(rfc3339: $0) }),
      let receiver = tree.text("receiver"), case .object(let readings)? = tree["readings"]
    else { return nil }
    let latest = Dictionary(readings.map { ($0.name, $0.value) }) { first, _ in first }
    self.init(
      beacon: beacon, zones: [], room: tree["room"] == nil ? nil : .some(nil), estimate: nil, lastSeen: seen,
      receiver: receiver,
      readings: latest.sorted { $0.key < $1.key }.compactMap { name, value in
        switch value {
        case .number(let number): SavedReading(name: name, number: number).reading
        case .flag(let flag): SavedReading(name: name, flag: flag).reading
        default: nil
        }
      })
  }
}
