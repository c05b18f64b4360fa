/// A text that never appears in a log, message or page: printing it gives `(secret)`.
public struct Secret: Hashable, Sendable {
  /// The text itself. Use it only in the call that needs it.
  public let revealed: String
  public init(_ text: String) { revealed = text }
}

/// Key bytes that never appear in a log, message or page.
public struct SecretBytes: Hashable, Sendable {
  /// The bytes themselves. Use them only in the call that needs them.
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
