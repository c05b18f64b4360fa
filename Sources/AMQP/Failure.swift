/// A connection to RabbitMQ that failed, in words. Nothing can be done with the connection any more.
public struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
  public var description: String
  /// Whether the broker itself refused: the user, the password, or a queue that exists with other properties. Trying again is of
  /// no use until somebody changes something.
  public var isRefusal: Bool

  public init(_ description: String, isRefusal: Bool = false) {
    self.description = description
    self.isRefusal = isRefusal
  }
}
