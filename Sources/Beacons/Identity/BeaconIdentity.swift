import Core

/// What distinguishes one tracked beacon from another.
enum BeaconIdentity: Hashable, Sendable {
  case iBeacon(uuid: UInt128, major: UInt16, minor: UInt16)
  case altBeacon(high: UInt128, low: UInt32)
  case eddystoneUID(namespace: UInt128, instance: UInt64)
  case eddystoneURL(high: UInt32, low: UInt128, length: UInt8)
  /// Known by its address or key: the entry is the beacon.
  case entry(BeaconEntryIndex)

  /// nil for frames without a lasting identity.
  init?(_ frame: Frame) {
    switch frame {
    case .iBeacon(let frame): self = .iBeacon(uuid: frame.uuid, major: frame.major, minor: frame.minor)
    case .altBeacon(let frame): self = .altBeacon(high: frame.idHigh, low: frame.idLow)
    case .eddystoneUID(let frame):
      self = .eddystoneUID(namespace: frame.namespace, instance: frame.instance)
    case .eddystoneURL(let frame):
      self = .eddystoneURL(high: frame.high, low: frame.low, length: frame.length)
    default: return nil
    }
  }

  /// Whether it is one member of the region that an entry describes, and not the entry's only beacon.
  func isMember(of pattern: BeaconPattern) -> Bool {
    switch (self, pattern) {
    case (.iBeacon, .iBeacon(_, _, nil)), (.eddystoneUID, .eddystoneUID(_, nil)): true
    case (.altBeacon, .altBeacon(let prefix)): prefix.count < 20
    default: false
    }
  }

  /// `region:member` if it is a member: the member is the part of its id that the region does not fix.
  func name(inRegion region: String, _ pattern: BeaconPattern) -> String {
    // The longest has 20 octets in hexadecimal digits.
    let name = String(utf8Capacity: region.utf8.count + 1 + 40) { text in
      for octet in region.utf8 { text.append(octet) }
      text.append(UInt8(ascii: ":"))
      appendMember(of: pattern, to: &text)
    }
    // Makes a copy without spare capacity, because the name is kept as long as the beacon.
    return String(decoding: name.utf8, as: UTF8.self)
  }

  private func appendMember(of pattern: BeaconPattern, to text: inout OutputSpan<UInt8>) {
    switch (self, pattern) {
    case (.iBeacon(_, let major, let minor), _): text.append(major, ".", minor)
    case (.eddystoneUID(_, let instance), _): text.append(hexadecimal: UInt128(instance), octets: 6)
    case (.altBeacon(let high, let low), .altBeacon(let prefix)):
      // Octets 16–19 are by convention two 16-bit numbers, as in an iBeacon.
      if prefix.count == 16 || prefix.count == 18 {
        return text.append(UInt16(low >> 16), ".", UInt16(truncatingIfNeeded: low))
      }
      if prefix.count < 16 { text.append(hexadecimal: high, octets: 16 - prefix.count) }
      text.append(hexadecimal: UInt128(low), octets: min(4, 20 - prefix.count))
    default: break
    }
  }
}

extension OutputSpan<UInt8> {
  @_lifetime(self: copy self)
  fileprivate mutating func append(_ first: UInt16, _ separator: Unicode.Scalar, _ second: UInt16) {
    append(decimal: first)
    append(UInt8(ascii: separator))
    append(decimal: second)
  }

  @_lifetime(self: copy self)
  private mutating func append(decimal value: UInt16) {
    if value >= 10 { append(decimal: value / 10) }
    append(UInt8(ascii: "0") + UInt8(value % 10))
  }
}

extension BeaconCatalogue {
  /// A text that identifies a tracked beacon across runs of the gateway, whatever its index. A beacon known by its
  /// address or key is identified by its entry: the same name with another pattern is another beacon.
  public func key(of beacon: BeaconIndex) -> String {
    key(of: tracked[Int(beacon.rawValue)].identity)
  }

  /// As `key(of:)`, for the sender with which this one was heard; nil if it was heard without one.
  public func heardKey(of beacon: BeaconIndex) -> String? { sender(of: beacon).map { key(of: $0) } }

  private func key(of identity: BeaconIdentity) -> String {
    if case .entry(let entry) = identity { Self.key(of: entries[Int(entry.rawValue)]) } else { identity.key }
  }

  /// Restores beacons from the keys saved by an earlier run; nil for each that no entry
  /// matches any more.
  public mutating func adopt(keys: [(key: String, heardKey: String?)]) -> [BeaconIndex?] {
    let adopted = keys.map { beacon(key: $0.key) }
    for ((key, heardKey), beacon) in zip(keys, adopted) {
      guard let beacon else { continue }
      guard let heardKey else {
        traits[Int(beacon.rawValue)].isSighted = true
        continue
      }
      // Earlier versions stored the identity that a sender sent last.
      guard entriesByKey[key] == nil, let sender = self.beacon(key: heardKey),
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
      case .address, .resolvingKey, .scannerID, .localName, .service:
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
    case .scannerID: "entry scanner \(entry.name)"
    case .localName: "entry name \(entry.name)"
    case .service: "entry service \(entry.name)"
    default: "entry \(entry.name)"
    }
  }
}

extension BeaconEntry {
  /// The key of its only beacon; nil for a region, and for a URL, which several frames can spell.
  public var key: String? {
    switch pattern {
    case .address, .resolvingKey, .scannerID, .localName, .service: BeaconCatalogue.key(of: self)
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
  /// Empty for an entry, whose key is in the catalogue.
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

  /// nil if it is not the key of an identity.
  init?(key: String) {
    // Parsed for each observation of a fleet, so it makes no text for each word.
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

extension BeaconIdentity: StateCoded {
  func write(to coder: inout StateCoder) {
    switch self {
    case .iBeacon(let uuid, let major, let minor):
      coder.write(0 as UInt8)
      coder.write(uuid)
      coder.write(major)
      coder.write(minor)
    case .altBeacon(let high, let low):
      coder.write(1 as UInt8)
      coder.write(high)
      coder.write(low)
    case .eddystoneUID(let namespace, let instance):
      coder.write(2 as UInt8)
      coder.write(namespace)
      coder.write(instance)
    case .eddystoneURL(let high, let low, let length):
      coder.write(3 as UInt8)
      coder.write(high)
      coder.write(low)
      coder.write(length)
    case .entry(let entry):
      coder.write(4 as UInt8)
      coder.write(entry)
    }
  }

  init(reading coder: inout StateCoder) throws(StateError) {
    switch try coder.read(UInt8.self) {
    case 0: self = .iBeacon(uuid: try coder.read(), major: try coder.read(), minor: try coder.read())
    case 1: self = .altBeacon(high: try coder.read(), low: try coder.read())
    case 2:
      self = .eddystoneUID(namespace: try coder.read(), instance: try coder.read())
      guard case .eddystoneUID(let namespace, let instance) = self, namespace >> 80 == 0, instance >> 48 == 0
      else { throw coder.damaged }
    case 3:
      self = .eddystoneURL(high: try coder.read(), low: try coder.read(), length: try coder.read())
      guard case .eddystoneURL(let high, let low, let length) = self,
        EddystoneURL.isPossible(high: high, low: low, length: length)
      else { throw coder.damaged }
    case 4: self = .entry(try coder.read())
    default: throw coder.damaged
    }
  }
}

/// An identity as plain numbers; equal if and only if the identities are.
struct IdentityKey: PlaceKey {
  private var high: UInt128
  /// The kind in the uppermost octet.
  private(set) var low: UInt64

  init(_ identity: BeaconIdentity) {
    switch identity {
    case .iBeacon(let uuid, let major, let minor): (high, low) = (uuid, UInt64(major) << 16 | UInt64(minor))
    case .altBeacon(let high, let low): (self.high, self.low) = (high, 1 << 56 | UInt64(low))
    // 48 bits of instance, 32 of the URL with its length above.
    case .eddystoneUID(let namespace, let instance): (high, low) = (namespace, 2 << 56 | instance)
    case .eddystoneURL(let high, let low, let length):
      (self.high, self.low) = (low, 3 << 56 | UInt64(length) << 32 | UInt64(high))
    case .entry(let entry): (high, low) = (0, 4 << 56 | UInt64(UInt32(bitPattern: entry.rawValue)))
    }
  }

  func hash(_ seed: HashSeed) -> UInt64 {
    seed.mix(
      seed.mix(UInt64(truncatingIfNeeded: high >> 64), UInt64(truncatingIfNeeded: high)), low)
  }
}

/// Identities that match no entry, so that a stranger who is heard all day is looked up only once. The size is fixed: a
/// newcomer replaces the previous one in its place.
struct Strangers: Sendable {
  private static let size = 4096
  private var keys: [IdentityKey?] = []

  func contains(_ key: IdentityKey, hash: UInt64) -> Bool {
    !keys.isEmpty && keys[Self.place(hash)] == key
  }

  mutating func insert(_ key: IdentityKey, hash: UInt64) {
    if keys.isEmpty { keys = Array(repeating: nil, count: Self.size) }
    keys[Self.place(hash)] = key
  }

  private static func place(_ hash: UInt64) -> Int { Int(hash >> 52) }
}

/// The words of a beacon's key, in order, separated by one space.
struct KeyWords: ~Escapable {
  private let text: Span<UInt8>
  private var place = 0

  @_lifetime(copy text)
  init(_ text: Span<UInt8>) { self.text = text }

  var isAtEnd: Bool { place == text.count }

  /// Skips this word if it is next and another follows. Otherwise it does not move, and returns false.
  @_lifetime(self: copy self)
  mutating func skip(_ word: StaticString) -> Bool {
    let end = place + word.utf8CodeUnitCount
    guard end < text.count, text[end] == UInt8(ascii: " ") else { return false }
    for offset in 0..<word.utf8CodeUnitCount {
      guard unsafe word.utf8Start[offset] == text[place + offset] else { return false }
    }
    place = end + 1
    return true
  }

  /// The next word as a number; nil if it is no number, or too large.
  @_lifetime(self: copy self)
  mutating func number<Value: FixedWidthInteger>(radix: Value = 10) -> Value? {
    var value: Value = 0
    let start = place
    while place < text.count, text[place] != UInt8(ascii: " ") {
      guard let digit = hexadecimalDigit(text[place]), digit < radix else { return nil }
      let (product, isTooLarge) = value.multipliedReportingOverflow(by: radix)
      let (sum, isLarger) = product.addingReportingOverflow(Value(digit))
      guard !isTooLarge, !isLarger else { return nil }
      value = sum
      place += 1
    }
    guard place > start else { return nil }
    // A space at the end of the key is not followed by a word.
    if place < text.count - 1 { place += 1 }
    return value
  }
}
