/// A 128-bit key. It never prints itself.
public struct SecretKey: Sendable, Equatable {
  let octets: [UInt8]

  /// nil unless there are 16 octets, most significant first.
  public init?(_ octets: [UInt8]) {
    guard octets.count == 16 else { return nil }
    self.octets = octets
  }
}

extension SecretKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "(secret)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: [:]) }
}
