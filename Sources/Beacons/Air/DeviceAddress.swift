import Core

/// A Bluetooth device address with its type (Core Specification, Vol 6, Part B, 1.3).
public struct DeviceAddress: Hashable, Sendable {
  public enum Kind: UInt8, Sendable, CaseIterable {
    case `public` = 0
    case random = 1
  }

  /// The 48 bits of the address. The octet written first is the most significant.
  public var bits: UInt64
  public var kind: Kind

  public init(bits: UInt64, kind: Kind) {
    self.bits = bits & 0xFFFF_FFFF_FFFF
    self.kind = kind
  }

  /// Whether these are the bits of a resolvable private address: random, with the two top bits `01`.
  public var isResolvablePrivate: Bool { kind == .random && bits >> 46 == 0b01 }
}

extension DeviceAddress: CustomStringConvertible {
  /// The usual notation: `C1:00:00:00:00:01`.
  public var description: String {
    let digits = Array("0123456789ABCDEF".utf8)
    var text: [UInt8] = []
    text.reserveCapacity(17)
    for shift in stride(from: 40, through: 0, by: -8) {
      let octet = Int(truncatingIfNeeded: bits >> UInt64(shift)) & 0xFF
      if !text.isEmpty { text.append(UInt8(ascii: ":")) }
      text.append(digits[octet >> 4])
      text.append(digits[octet & 15])
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads `C1:00:00:00:00:01` (colons or hyphens, either case); nil for anything else.
  public init?(_ text: some StringProtocol, kind: Kind) {
    var bits: UInt64 = 0
    var position = 0
    for character in text.utf8 {
      if position % 3 == 2 {
        guard character == UInt8(ascii: ":") || character == UInt8(ascii: "-") else { return nil }
      } else {
        guard let digit = hexadecimalDigit(character) else { return nil }
        bits = bits << 4 | UInt64(digit)
      }
      position += 1
      if position > 17 { return nil }
    }
    guard position == 17 else { return nil }
    self.init(bits: bits, kind: kind)
  }
}
