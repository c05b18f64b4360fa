import JSON
import Messages

/// A discovery payload as the broker kept it: what an earlier run announced. It may be anybody's.
struct RetainedDiscovery {
  struct Component {
    var platform: String
    /// Whether it has options; without them it is a removal.
    var isThere: Bool
  }

  /// None in the component form.
  private(set) var components: [String: Component] = [:]
  private(set) var make: DeviceMake?

  /// Larger than any of ours.
  private static let limit = 1 << 20

  /// nil for payloads that are not ours.
  init?(_ payload: [UInt8]) {
    guard payload.count <= Self.limit, let tree = try? JSONTree(payload, limit: payload.count) else {
      return nil
    }
    if !tree.lacks("components") {
      guard case .object(let members)? = tree["components"] else { return nil }
      for member in members where components[member.name] == nil {
        guard let platform = member.value.text("platform") else { return nil }
        let isThere = member.value["unique_id"] != nil || member.value["automation_type"] != nil
        components[member.name] = Component(platform: platform, isThere: isThere)
      }
    }
    guard let device = tree["device"], device != .null else { return }
    guard case .object = device,
      ["manufacturer", "model"].allSatisfy({ device.lacks($0) || device.text($0) != nil })
    else { return nil }
    make = device.text("model").map { DeviceMake(manufacturer: device.text("manufacturer"), model: $0) }
  }
}
