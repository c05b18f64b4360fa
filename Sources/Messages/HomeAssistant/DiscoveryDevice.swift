/// A device as Home Assistant shows it, with all that belongs to it.
public struct DiscoveryDevice: Hashable, Sendable {
  /// What a device stands for, by the name in the configuration.
  public enum Subject: Hashable, Sendable {
    case gateway
    case zone(String)
    case beacon(String)
    case phone(String)
  }

  public var subject: Subject
  public var name: String
  public var model: String
  public var components: [DiscoveryComponent]
}

extension DiscoveryDevice.Subject {
  /// The last but one level of its discovery topic.
  public var objectID: String {
    switch self {
    case .gateway: "gateway"
    case .zone(let name): "zone_" + discoveryID(name)
    case .beacon(let name): "beacon_" + discoveryID(name)
    case .phone(let name): "phone_" + discoveryID(name)
    }
  }

  public init?(objectID id: some StringProtocol) {
    if id == "gateway" {
      self = .gateway
      return
    }
    guard let end = id.firstIndex(of: "_"), let name = discoveryName(id[id.index(after: end)...]) else {
      return nil
    }
    switch id[..<end] {
    case "zone": self = .zone(name)
    case "beacon": self = .beacon(name)
    case "phone": self = .phone(name)
    default: return nil
    }
  }
}
