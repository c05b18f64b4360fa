import FoundationEssentials

/// Which room the broker kept for a beacon: what an earlier run said. It may be anybody's.
struct RetainedBeaconRoom: Decodable {
  /// nil: in none.
  var room: String?

  /// Larger than any of ours.
  private static let limit = 1 << 12

  /// nil for anything but a message about a beacon's room.
  init?(_ payload: [UInt8]) {
    guard payload.count <= Self.limit,
      let decoded = try? JSONDecoder().decode(Self.self, from: Data(payload))
    else { return nil }
    self = decoded
  }
}
