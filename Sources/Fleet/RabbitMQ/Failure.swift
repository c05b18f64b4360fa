/// A connection to RabbitMQ that failed, as text. The connection cannot be used any more.
package struct Failure: Error, Hashable, Sendable, CustomStringConvertible {
  package var description: String
  /// Whether the broker refused the user, the password, or a queue that exists with other properties. Trying again is useless
  /// until somebody changes something.
  package var isRefusal: Bool

  package init(_ description: String, isRefusal: Bool = false) {
    self.description = description
    self.isRefusal = isRefusal
  }
}
