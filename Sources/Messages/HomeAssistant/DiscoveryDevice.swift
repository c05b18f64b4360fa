public import Beacons

/// A device in Home Assistant, with all its components.
public struct DiscoveryDevice: Hashable, Sendable {
  /// What a device represents, by its name in the configuration.
  public enum Subject: Hashable, Sendable {
    case gateway
    case zone(String)
    case room(String)
    case beacon(String)
    case phone(String)
  }

  public var subject: Subject
  public var name: String
  public var make: DeviceMake
  /// Its Bluetooth address, which other integrations also use to identify it.
  public var address: DeviceAddress?
  /// The suggested area; Home Assistant uses it only when the device is new.
  public var area: String?
  public var components: [DiscoveryComponent]

  /// The same device with only the components of a choice.
  public func limited(to detail: EntityDetail) -> DiscoveryDevice {
    var device = self
    device.components.removeAll { $0.detail > detail }
    return device
  }
}

/// The manufacturer and model of a device.
public struct DeviceMake: Hashable, Sendable {
  /// nil: unknown.
  public var manufacturer: String?
  public var model: String

  public init(manufacturer: String? = nil, model: String) {
    self.manufacturer = manufacturer
    self.model = model
  }

  /// For a device that represents something of ours.
  static func own(_ model: String) -> DeviceMake { DeviceMake(manufacturer: "Beaconkeeper", model: model) }
}

extension DiscoveryDevice.Subject {
  /// The last level but one of its discovery topic.
  public var objectID: String {
    switch self {
    case .gateway: "gateway"
    case .zone(let name): "zone_" + discoveryID(name)
    case .room(let name): "room_" + discoveryID(name)
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
    case "room": self = .room(name)
    case "beacon": self = .beacon(name)
    case "phone": self = .phone(name)
    default: return nil
    }
  }
}
