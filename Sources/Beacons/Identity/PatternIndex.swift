/// Finds the entries that match a beacon in a few look-ups, however many entries there are.
struct PatternIndex: Sendable {
  /// The part of an identity that a pattern fixes.
  private enum Key: Hashable {
    case identity(BeaconIdentity)
    case iBeaconMajor(uuid: UInt128, major: UInt16)
    case altBeaconPrefix(high: UInt128, low: UInt32, octets: UInt8)
  }

  private var frames: [Key: [BeaconEntryIndex]] = [:]
  /// By UUID, and below by namespace.
  private var iBeacons = Families()
  private var eddystoneUIDs = Families()
  /// The 48 bits of each address.
  private var addresses = PlaceTable<UInt64>()
  /// In the order of `addresses`.
  private var addressEntries: [BeaconEntryIndex] = []
  private var urls: [String: [BeaconEntryIndex]] = [:]
  /// Prefix lengths in use, longest first.
  private var prefixLengths: [UInt8] = []

  init(_ entries: [BeaconEntry]) {
    for (position, entry) in entries.enumerated() {
      let index = BeaconEntryIndex(rawValue: Int32(clamping: position))
      switch entry.pattern {
      case .iBeacon(let uuid, let major?, let minor?):
        frames[.identity(.iBeacon(uuid: uuid, major: major, minor: minor)), default: []].append(index)
        iBeacons.addPart(of: uuid)
      case .iBeacon(let uuid, let major?, nil):
        frames[.iBeaconMajor(uuid: uuid, major: major), default: []].append(index)
        iBeacons.addPart(of: uuid)
      case .iBeacon(let uuid, nil, nil): iBeacons.add(index, to: uuid)
      case .iBeacon(_, nil, _): break
      case .eddystoneUID(let namespace, let instance?):
        let identity = BeaconIdentity.eddystoneUID(namespace: namespace, instance: instance)
        frames[.identity(identity), default: []].append(index)
        eddystoneUIDs.addPart(of: namespace)
      case .eddystoneUID(let namespace, nil): eddystoneUIDs.add(index, to: namespace)
      case .altBeacon(let prefix):
        guard let key = Self.key(prefix) else { break }
        frames[key, default: []].append(index)
        let length = UInt8(prefix.count)
        if !prefixLengths.contains(length) { prefixLengths.append(length) }
      case .eddystoneURL(let url): urls[url, default: []].append(index)
      case .address(let bits):
        if addresses.place(of: bits) == nil {
          addresses.append(bits)
          addressEntries.append(index)
        }
      case .resolvingKey, .scannerID, .localName, .service: break
      }
    }
    prefixLengths.sort(by: >)
  }

  func entry(address: DeviceAddress) -> BeaconEntryIndex? {
    addresses.place(of: address.bits).map { addressEntries[$0] }
  }

  /// Whether any entry is for identities of this kind.
  @inline(__always) func concern(_ identity: BeaconIdentity) -> Bool {
    switch identity {
    case .iBeacon: !iBeacons.isEmpty
    case .eddystoneUID: !eddystoneUIDs.isEmpty
    case .altBeacon: !prefixLengths.isEmpty
    case .eddystoneURL: !urls.isEmpty
    case .entry: false
    }
  }

  /// The entries that match an identity, most specific first. If a family has no entries for parts, all its members share
  /// one array.
  func entries(matching identity: BeaconIdentity) -> [BeaconEntryIndex] {
    switch identity {
    case .iBeacon(let uuid, let major, _):
      guard let family = iBeacons[uuid] else { return [] }
      guard family.hasParts else { return family.entries }
      return (frames[.identity(identity)] ?? [])
        + (frames[.iBeaconMajor(uuid: uuid, major: major)] ?? []) + family.entries
    case .eddystoneUID(let namespace, _):
      guard let family = eddystoneUIDs[namespace] else { return [] }
      guard family.hasParts else { return family.entries }
      return (frames[.identity(identity)] ?? []) + family.entries
    case .altBeacon(let high, let low):
      return prefixLengths.flatMap { frames[Self.key(high, low, $0)] ?? [] }
    case .eddystoneURL(let high, let low, let length):
      if urls.isEmpty { return [] }
      return urls[EddystoneURL(txPower: 0, high: high, low: low, length: length).url] ?? []
    case .entry: return []
    }
  }

  private static func key(_ prefix: [UInt8]) -> Key? {
    guard !prefix.isEmpty, prefix.count <= 20 else { return nil }
    var high: UInt128 = 0
    var low: UInt32 = 0
    for position in 0..<20 {
      let octet = position < prefix.count ? prefix[position] : 0
      if position < 16 { high = high << 8 | UInt128(octet) } else { low = low << 8 | UInt32(octet) }
    }
    return .altBeaconPrefix(high: high, low: low, octets: UInt8(prefix.count))
  }

  private static func key(_ high: UInt128, _ low: UInt32, _ octets: UInt8) -> Key {
    let highMask: UInt128 = octets >= 16 ? .max : ~(UInt128.max >> UInt128(8 * octets))
    let lowMask: UInt32 = octets <= 16 ? 0 : ~(UInt32.max >> UInt32(8 * (octets - 16)))
    return .altBeaconPrefix(high: high & highMask, low: low & lowMask, octets: octets)
  }
}

/// UUIDs or namespaces with any entry. Most strangers are ruled out here.
private struct Families: Sendable {
  struct Family: Sendable {
    /// The entries for the whole family.
    var entries: [BeaconEntryIndex] = []
    /// Whether there are entries for parts of it.
    var hasParts = false
  }

  private var places = PlaceTable<UInt128>()
  private var families: [Family] = []

  var isEmpty: Bool { families.isEmpty }

  subscript(id: UInt128) -> Family? { places.place(of: id).map { families[$0] } }

  mutating func add(_ entry: BeaconEntryIndex, to id: UInt128) {
    families[place(of: id)].entries.append(entry)
  }

  mutating func addPart(of id: UInt128) { families[place(of: id)].hasParts = true }

  private mutating func place(of id: UInt128) -> Int {
    if let place = places.place(of: id) { return place }
    places.append(id)
    families.append(Family())
    return families.count - 1
  }
}
