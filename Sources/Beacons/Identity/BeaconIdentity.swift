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
    // It is kept as long as the beacon, and a text keeps the capacity that it was made with.
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
