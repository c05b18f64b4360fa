import Beacons
import Configuration
import Contract
import Phones
import Pipeline

/// The devices for Home Assistant that follow from the configuration, and their properties.
struct AnnouncementPlan: Sendable {
  typealias Subject = DiscoveryDevice.Subject

  let isOn: Bool
  let discovery: Discovery
  let memberLimit: Int
  /// Devices that exist even if nothing was heard, the gateway first, because the others refer to it.
  let standing: [Subject]

  private let topics: Topics
  private let detail: EntityDetail
  private let places: ZonePlaces
  /// By name.
  private let zones: [String: ZoneSettings]
  private let rooms: [String: RoomSettings]
  private let beacons: [String: BeaconSettings]
  private let phones: [String: PhoneSettings]
  /// By zone.
  private let areas: [String: String]
  private let displayNames: [String: String]

  init(_ configuration: Configuration) {
    let settings = configuration.homeAssistant
    isOn = settings.isOn
    memberLimit = settings.members
    discovery = Discovery(
      configuration.topics, version: version, prefix: settings.prefix,
      form: settings.form, supportURL: settings.supportURL)
    topics = configuration.topics
    detail = settings.entities
    areas = settings.areas
    displayNames = configuration.displayNames
    places = ZonePlaces(settings.places)
    zones = Dictionary(configuration.zones.map { ($0.name, $0) }) { first, _ in first }
    rooms = Dictionary(configuration.rooms.map { ($0.name, $0) }) { first, _ in first }
    beacons = Dictionary(configuration.beacons.map { ($0.name, $0) }) { first, _ in first }
    phones = Dictionary(configuration.phones.map { ($0.name, $0) }) { first, _ in first }
    standing =
      [.gateway] + configuration.zones.map { .zone($0.name) }
      + configuration.rooms.map { .room($0.name) }
      + configuration.beacons.filter { !$0.pattern.isRegion }.map { .beacon($0.name) }
      + configuration.phones.map { .phone($0.name) }
  }

  /// nil if it is not in the configuration.
  func device(_ subject: Subject, heard: HeardBeacon?) -> DiscoveryDevice? {
    isOn ? describe(subject, heard: heard)?.limited(to: detail) : nil
  }

  private func describe(_ subject: Subject, heard: HeardBeacon?) -> DiscoveryDevice? {
    switch subject {
    case .gateway: return .gateway(topics: topics)
    case .zone(let name):
      guard let zone = zones[name] else { return nil }
      return .place(.zone, name, hasNear: zone.near != nil, area: areas[name], topics: topics)
    case .room(let name):
      guard let room = rooms[name] else { return nil }
      var device = DiscoveryDevice.place(
        .room, name, hasNear: false, area: room.area ?? name, topics: topics)
      if zones[name] != nil { device.name = name + " room" }
      return device
    case .beacon(let name):
      guard let entry = entry(of: name) else { return nil }
      let watching = zones.values.filter { zone in
        zone.beacons?.contains(entry.name) ?? true || heard?.zones.contains(zone.name) ?? false
      }
      return .beacon(
        name, displayName: displayNames[name], icon: entry.said(.icon, of: name),
        make: heard?.make ?? DeviceMake(model: entry.pattern.model),
        address: entry.pattern.address,
        zones: watching.map { ($0.name, $0.near != nil) }.sorted { $0.0 < $1.0 }, hasRooms: !rooms.isEmpty,
        readings: heard?.readings.sorted() ?? [], topics: topics, places: places)
    case .phone(let name):
      guard let phone = phones[name] else { return nil }
      let model = "\(phone.profile.os.name), \(phone.profile.strategy.name)"
      return .phone(name, model: model, topics: topics)
    }
  }

  /// Whether a name belongs to a member of a region.
  func isMember(_ name: String) -> Bool { beacons[name] == nil && entry(of: name) != nil }

  /// Whether the configuration gives a member a name.
  func isNamed(_ name: String) -> Bool { displayNames[name] != nil }

  /// The entry that names a beacon: its own, or that of its region.
  private func entry(of name: String) -> BeaconSettings? {
    if let beacon = beacons[name] { return beacon.pattern.isRegion ? nil : beacon }
    guard let colon = name.lastIndex(of: ":"), let region = beacons[String(name[..<colon])],
      region.pattern.isRegion
    else { return nil }
    return region
  }
}

extension BeaconPattern {
  /// The address from which it always sends.
  fileprivate var address: DeviceAddress? {
    if case .address(let bits) = self { DeviceAddress(bits: bits, kind: .public) } else { nil }
  }

  /// The text that Home Assistant shows beside the device.
  fileprivate var model: String {
    switch self {
    case .iBeacon: "iBeacon"
    case .altBeacon: "AltBeacon"
    case .eddystoneUID, .eddystoneURL: "Eddystone beacon"
    case .address, .localName, .service: "Bluetooth device"
    case .resolvingKey: "Bluetooth device with a private address"
    case .scannerID: "Device of a scanner"
    }
  }
}
