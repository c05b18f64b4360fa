/// A 128-bit key. It never prints itself.
public struct SecretKey: Sendable, Equatable {
  let octets: [UInt8]

  /// How many octets a key may have.
  package static let lengths = [12, 16]

  /// nil unless there are 16 octets, most significant first; or 12, to which Xiaomi's devices before MiBeacon 4 add four in the
  /// middle.
  public init?(_ octets: [UInt8]) {
    guard Self.lengths.contains(octets.count) else { return nil }
    self.octets = octets.count == 16 ? octets : octets[..<6] + [0x8D, 0x3D, 0x3C, 0x97] + octets[6...]
  }
}

extension SecretKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "(secret)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
