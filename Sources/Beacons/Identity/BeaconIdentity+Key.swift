extension BeaconCatalogue {
  /// A text that identifies a tracked beacon across runs of the gateway, whatever its index. A beacon known by its
  /// address or key is identified by its entry: the same name with another pattern is another beacon.
  public func key(of beacon: BeaconIndex) -> String {
    key(of: tracked[Int(beacon.rawValue)].identity)
  }

  /// As `key(of:)`, for the beacon beside which this one was heard; nil if it was heard without one.
  public func heardKey(of beacon: BeaconIndex) -> String? { sender(of: beacon).map { key(of: $0) } }

  private func key(of identity: BeaconIdentity) -> String {
    if case .entry(let entry) = identity { Self.key(of: entries[Int(entry.rawValue)]) } else { identity.key }
  }

  /// Restores beacons from the keys saved by an earlier run; nil for each that no entry
  /// matches any more.
  public mutating func adopt(keys: [(key: String, heardKey: String?)]) -> [BeaconIndex?] {
    let adopted = keys.map { beacon(key: $0.key) }
    for ((key, heardKey), beacon) in zip(keys, adopted) {
      // Earlier versions kept the identity that a sender said last.
      guard let beacon, let heardKey, entriesByKey[key] == nil, let sender = self.beacon(key: heardKey),
        sender != beacon
      else { continue }
      _ = isAskedFor(beacon, beside: sender)
    }
    return adopted
  }

  private mutating func beacon(key: String) -> BeaconIndex? {
    if let entry = entriesByKey[key] { return beacon(entry) }
    return BeaconIdentity(key: key).flatMap { beacon($0) }
  }

  static func entriesByKey(_ entries: [BeaconEntry]) -> [String: BeaconEntryIndex] {
    var found: [String: BeaconEntryIndex] = [:]
    for (position, entry) in entries.enumerated() {
      switch entry.pattern {
      case .address, .resolvingKey:
        let key = key(of: entry)
        if found[key] == nil { found[key] = BeaconEntryIndex(rawValue: Int32(clamping: position)) }
      default: break
      }
    }
    return found
  }

  /// The name comes last because it may contain any character.
  static func key(of entry: BeaconEntry) -> String {
    switch entry.pattern {
    case .address(let bits): "entry address \(hexadecimal(UInt128(bits), octets: 6)) \(entry.name)"
    case .resolvingKey: "entry key \(entry.name)"
    default: "entry \(entry.name)"
    }
  }
}

extension BeaconEntry {
  /// The key of its only beacon; nil for a region, and for a URL, which several frames can spell.
  public var key: String? {
    switch pattern {
    case .address, .resolvingKey: BeaconCatalogue.key(of: self)
    case .iBeacon(let uuid, let major?, let minor?):
      BeaconIdentity.iBeacon(uuid: uuid, major: major, minor: minor).key
    case .eddystoneUID(let namespace, let instance?):
      BeaconIdentity.eddystoneUID(namespace: namespace, instance: instance).key
    case .altBeacon(let prefix) where prefix.count == 20:
      BeaconIdentity.altBeacon(
        high: prefix[..<16].reduce(0) { $0 << 8 | UInt128($1) },
        low: prefix[16...].reduce(0) { $0 << 8 | UInt32($1) }
      ).key
    case .iBeacon, .eddystoneUID, .altBeacon, .eddystoneURL: nil
    }
  }
}

extension BeaconIdentity {
  /// Empty for an entry, whose key its catalogue knows.
  fileprivate var key: String {
    switch self {
    case .iBeacon(let uuid, let major, let minor):
      "ibeacon \(hexadecimal(uuid, octets: 16)) \(major) \(minor)"
    case .altBeacon(let high, let low):
      "altbeacon \(hexadecimal(high, octets: 16)) \(low)"
    case .eddystoneUID(let namespace, let instance):
      "eddystone-uid \(hexadecimal(namespace, octets: 10)) \(instance)"
    case .eddystoneURL(let high, let low, let length):
      "eddystone-url \(high) \(hexadecimal(low, octets: 16)) \(length)"
    case .entry: ""
    }
  }

  /// nil for what is no key of an identity.
  init?(key: String) {
    // Parsed for each observation of a fleet, so without a text for each word.
    var words = KeyWords(key.utf8Span.span)
    if words.skip("ibeacon") {
      guard let uuid: UInt128 = words.number(radix: 16), let major: UInt16 = words.number(),
        let minor: UInt16 = words.number()
      else { return nil }
      self = .iBeacon(uuid: uuid, major: major, minor: minor)
    } else if words.skip("altbeacon") {
      guard let high: UInt128 = words.number(radix: 16), let low: UInt32 = words.number() else { return nil }
      self = .altBeacon(high: high, low: low)
    } else if words.skip("eddystone-uid") {
      guard let namespace: UInt128 = words.number(radix: 16), let instance: UInt64 = words.number() else {
        return nil
      }
      self = .eddystoneUID(namespace: namespace, instance: instance)
    } else if words.skip("eddystone-url") {
      guard let high: UInt32 = words.number(), let low: UInt128 = words.number(radix: 16),
        let length: UInt8 = words.number(), EddystoneURL.isPossible(high: high, low: low, length: length)
      else { return nil }
      self = .eddystoneURL(high: high, low: low, length: length)
    } else {
      return nil
    }
    guard words.isAtEnd else { return nil }
  }
}
