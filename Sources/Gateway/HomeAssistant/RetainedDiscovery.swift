import FoundationEssentials
import Messages

/// A discovery payload as the broker kept it: what an earlier run announced. It may be anybody's.
struct RetainedDiscovery: Decodable {
  struct Component: Decodable {
    var platform: String
    /// Whether it has options; without them it is a removal.
    var isThere: Bool

    private enum CodingKeys: String, CodingKey {
      case platform
      case uniqueID = "unique_id"
      case automationType = "automation_type"
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      platform = try container.decode(String.self, forKey: .platform)
      isThere = container.contains(.uniqueID) || container.contains(.automationType)
    }
  }

  struct Device: Decodable {
    var manufacturer: String?
    var model: String?

    var make: DeviceMake? { model.map { DeviceMake(manufacturer: manufacturer, model: $0) } }
  }

  /// nil in the component form.
  var components: [String: Component]?
  var device: Device?

  /// Larger than any of ours.
  private static let limit = 1 << 20

  /// nil for payloads that are not ours.
  init?(_ payload: [UInt8]) {
    guard payload.count <= Self.limit,
      let decoded = try? JSONDecoder().decode(Self.self, from: Data(payload))
    else { return nil }
    self = decoded
  }
}
