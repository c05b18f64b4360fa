/// A text that no log, message or page shows: whatever prints it prints `(secret)`.
public struct Secret: Hashable, Sendable {
  /// The text itself, for the one call that needs it.
  public let revealed: String
  public init(_ text: String) { revealed = text }
}

/// Key bytes that no log, message or page shows.
public struct SecretBytes: Hashable, Sendable {
  /// The bytes themselves, for the one call that needs them.
  public let revealed: [UInt8]
  public init(_ bytes: [UInt8]) { revealed = bytes }
}

extension Secret: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "(secret)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "(secret)" }
  public var debugDescription: String { description }
  public var customMirror: Mirror { Mirror(self, children: []) }
}
