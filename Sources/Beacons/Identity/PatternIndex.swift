/// Finds the entries that a beacon matches in a few look-ups, however many entries there are.
struct PatternIndex: Sendable {
  /// The part of an identity that a pattern fixes.
  private enum Key: Hashable {
    case identity(BeaconIdentity)
    case iBeaconMajor(uuid: UInt128, major: UInt16)
    case iBeaconUUID(UInt128)
    case eddystoneNamespace(UInt128)
    case altBeaconPrefix(high: UInt128, low: UInt32, octets: UInt8)
  }

  private var frames: [Key: [BeaconEntryIndex]] = [:]
  /// The 48 bits of each address.
  private var addresses = PlaceTable<UInt64>()
  /// As `addresses`.
  private var addressEntries: [BeaconEntryIndex] = []
  private var urls: [String: [BeaconEntryIndex]] = [:]
  /// UUIDs and namespaces of which there is any entry: most strangers end here.
  private var families: Set<UInt128> = []
  /// Prefix lengths in use, longest first.
  private var prefixLengths: [UInt8] = []
  private var hasIBeacons = false
  private var hasEddystoneUIDs = false

  init(_ entries: [BeaconEntry]) {
    for (position, entry) in entries.enumerated() {
      let index = BeaconEntryIndex(rawValue: Int32(clamping: position))
      switch entry.pattern {
      case .iBeacon(let family, _, _):
        families.insert(family)
        hasIBeacons = true
      case .eddystoneUID(let family, _):
        families.insert(family)
        hasEddystoneUIDs = true
      default: break
      }
      switch entry.pattern {
      case .iBeacon(let uuid, let major?, let minor?):
        frames[.identity(.iBeacon(uuid: uuid, major: major, minor: minor)), default: []].append(index)
      case .iBeacon(let uuid, let major?, nil):
        frames[.iBeaconMajor(uuid: uuid, major: major), default: []].append(index)
      case .iBeacon(let uuid, nil, nil): frames[.iBeaconUUID(uuid), default: []].append(index)
      case .iBeacon(_, nil, _): break
      case .eddystoneUID(let namespace, let instance?):
        let identity = BeaconIdentity.eddystoneUID(namespace: namespace, instance: instance)
        frames[.identity(identity), default: []].append(index)
      case .eddystoneUID(let namespace, nil):
        frames[.eddystoneNamespace(namespace), default: []].append(index)
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
      case .resolvingKey: break
      }
    }
    prefixLengths.sort(by: >)
  }

  var hasAddresses: Bool { !addressEntries.isEmpty }

  func entry(address: DeviceAddress) -> BeaconEntryIndex? {
    addresses.place(of: address.bits).map { addressEntries[$0] }
  }

  /// Whether there is any entry for identities of its kind.
  @inline(__always) func concern(_ identity: BeaconIdentity) -> Bool {
    switch identity {
    case .iBeacon: hasIBeacons
    case .eddystoneUID: hasEddystoneUIDs
    case .altBeacon: !prefixLengths.isEmpty
    case .eddystoneURL: !urls.isEmpty
    case .entry: false
    }
  }

  /// Visits the entries that an identity matches, the most specific first.
  func forEachEntry(_ identity: BeaconIdentity, _ body: (BeaconEntryIndex) -> Void) {
    if !frames.isEmpty {
      switch identity {
      case .iBeacon(let uuid, let major, _):
        guard families.contains(uuid) else { return }
        visit(.identity(identity), body)
        visit(.iBeaconMajor(uuid: uuid, major: major), body)
        visit(.iBeaconUUID(uuid), body)
      case .eddystoneUID(let namespace, _):
        guard families.contains(namespace) else { return }
        visit(.identity(identity), body)
        visit(.eddystoneNamespace(namespace), body)
      case .altBeacon(let high, let low):
        for octets in prefixLengths { visit(Self.key(high, low, octets), body) }
      case .eddystoneURL, .entry: break
      }
    }
    if !urls.isEmpty, case .eddystoneURL(let high, let low, let length) = identity {
      let frame = EddystoneURL(txPower: 0, high: high, low: low, length: length)
      for entry in urls[frame.url] ?? [] { body(entry) }
    }
  }

  private func visit(_ key: Key, _ body: (BeaconEntryIndex) -> Void) {
    guard let entries = frames[key] else { return }
    for entry in entries { body(entry) }
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
