import Pipeline
import Beacons
import FoundationEssentials
import Messages

/// A beacon's state as the broker kept it: what an earlier run said. It may be anybody's.
struct RetainedBeaconState: Decodable {
  private var zones: [String]
  /// nil: in none, or there were no rooms.
  private var room: String?
  private var lastSeen: String
  private var receiver: String
  private var readings: [String: Value]

  private enum CodingKeys: String, CodingKey {
    case zones, room, receiver, readings
    case lastSeen = "last_seen"
  }

  /// A number, a flag or a word.
  private enum Value: Decodable {
    case number(Double)
    case flag(Bool)
    case other

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let flag = try? container.decode(Bool.self) {
        self = .flag(flag)
      } else if let number = try? container.decode(Double.self) {
        self = .number(number)
      } else {
        self = .other
      }
    }
  }

  /// Larger than any of ours.
  private static let limit = 1 << 16

  /// nil for anything but a beacon's state.
  init?(_ payload: [UInt8]) {
    guard payload.count <= Self.limit,
      let decoded = try? JSONDecoder().decode(Self.self, from: Data(payload))
    else { return nil }
    self = decoded
  }

  var claimsPlaces: Bool { !zones.isEmpty || room != nil }

  /// The same for a beacon that is nowhere and not heard; nil if the time makes no sense.
  func elsewhere(_ beacon: String) -> BeaconStateMessage? {
    let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    guard let seen = try? style.parse(lastSeen) else { return nil }
    let milliseconds = (seen.timeIntervalSince1970 * 1000).rounded()
    guard abs(milliseconds) < 9e12 else { return nil }
    return BeaconStateMessage(
      beacon: beacon, zones: [], room: room == nil ? nil : .some(nil), estimate: nil,
      lastSeen: WallTime(nanoseconds: Int64(milliseconds) * 1_000_000), receiver: receiver,
      readings: readings.sorted { $0.key < $1.key }.compactMap { reading($0.key, $0.value) })
  }

  private func reading(_ name: String, _ value: Value) -> Reading? {
    switch value {
    case .number(let number): SavedReading(name: name, number: number).reading
    case .flag(let flag): SavedReading(name: name, flag: flag).reading
    case .other: nil
    }
  }
}
