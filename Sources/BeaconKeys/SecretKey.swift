import CryptoExtras

/// A 128-bit key. It never prints itself.
public struct SecretKey: Sendable, Equatable {
  let symmetric: SymmetricKey

  /// nil unless there are 16 octets, most significant first.
  public init?(_ octets: [UInt8]) {
    guard octets.count == 16 else { return nil }
    symmetric = SymmetricKey(data: octets)
  }

  /// Encrypts one block in place.
  func encrypt(_ block: inout [UInt8]) {
    // It throws for a wrong block or key size only; both are fixed here.
    try? AES.permute(&block, key: symmetric)
  }
}

extension SecretKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "(secret)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
