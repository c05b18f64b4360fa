/// What tells one tracked beacon from another.
enum BeaconIdentity: Hashable, Sendable {
  case iBeacon(uuid: UInt128, major: UInt16, minor: UInt16)
  case altBeacon(high: UInt128, low: UInt32)
  case eddystoneUID(namespace: UInt128, instance: UInt64)
  case eddystoneURL(high: UInt32, low: UInt128, length: UInt8)
  /// Known by its address: the entry is the beacon.
  case entry(BeaconEntryIndex)

  /// nil for frames that identify nobody for long.
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

  /// What sets a member apart within the region that an entry describes; nil where the entry is this beacon.
  func memberName(in pattern: BeaconPattern) -> String? {
    switch (self, pattern) {
    case (.iBeacon(_, let major, let minor), .iBeacon(_, _, nil)): return "\(major).\(minor)"
    case (.eddystoneUID(_, let instance), .eddystoneUID(_, nil)):
      return hexadecimal(UInt128(instance), octets: 6)
    case (.altBeacon(let high, let low), .altBeacon(let prefix)) where prefix.count < 20:
      // Octets 16–19 are by convention two 16-bit numbers, as in an iBeacon.
      if prefix.count == 16 || prefix.count == 18 { return "\(low >> 16).\(low & 0xFFFF)" }
      if prefix.count > 16 { return hexadecimal(UInt128(low), octets: 20 - prefix.count) }
      return hexadecimal(high, octets: 16 - prefix.count) + hexadecimal(UInt128(low), octets: 4)
    default: return nil
    }
  }
}

/// The lowest octets of a number, in lower case.
public func hexadecimal(_ value: UInt128, octets: Int) -> String {
  let text = [UInt8](capacity: 2 * octets) { text in
    for shift in stride(from: 8 * octets - 4, through: 0, by: -4) {
      let nibble = UInt8(truncatingIfNeeded: value >> UInt128(shift)) & 15
      text.append(nibble + (nibble < 10 ? 0x30 : 0x57))
    }
  }
  return String(decoding: text, as: UTF8.self)
}
