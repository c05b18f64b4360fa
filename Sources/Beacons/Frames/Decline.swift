/// Why bytes were not decoded. A decoder never guesses and never traps: it throws one of these.
public enum Decline: Error, Hashable, Sendable {
  /// An AD structure claims more bytes than the payload still has.
  case truncated(needs: Int, has: Int)
  case wrongLength(expected: Int, got: Int)
  case unsupportedVersion(UInt8)
  case unknownFrameType(UInt8)
  /// A BTHome object id that the specification does not list. The objects after it cannot be separated.
  case unknownObject(UInt8)
  /// A byte that the format does not allow at this offset.
  case invalidByte(UInt8, at: Int)
  /// Text that is not UTF-8.
  case invalidText
  /// Reading it needs a key.
  case encrypted
  /// The key is wrong, or the data was tampered with.
  case authenticationFailed
  /// The counter went back: old advertisements are replayed.
  case replayed
  /// There is no decoder for this company, service or type yet.
  case noDecoder
}

extension Decline: CustomStringConvertible {
  /// A text for `decode` and logs.
  public var description: String {
    switch self {
    case .truncated(let needs, let has): "truncated: needs \(needs) bytes, has \(has)"
    case .wrongLength(let expected, let got): "wrong length: expected \(expected) bytes, got \(got)"
    case .unsupportedVersion(let version): "unsupported version \(version)"
    case .unknownFrameType(let type): "unknown frame type 0x\(hexadecimal(UInt128(type), octets: 1))"
    case .unknownObject(let id): "unknown object id 0x\(hexadecimal(UInt128(id), octets: 1))"
    case .invalidByte(let byte, let offset):
      "invalid byte 0x\(hexadecimal(UInt128(byte), octets: 1)) at offset \(offset)"
    case .invalidText: "text is not UTF-8"
    case .encrypted: "encrypted: needs a key"
    case .authenticationFailed: "authentication failed: wrong key or altered data"
    case .replayed: "replayed: the counter went back"
    case .noDecoder: "no decoder for this kind of data"
    }
  }
}
