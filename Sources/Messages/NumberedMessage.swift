/// A message of the gateway's sequence. It is never dropped, merged or reordered, waits on disk for the broker, and is the same octet
/// for octet whenever it is sent again.
public protocol NumberedMessage: Sendable {
  /// The pair of epoch and `sequence` numbers it; 0 until it is numbered.
  var epoch: UInt64 { get set }
  var sequence: UInt64 { get set }
  var gateway: String { get }

  func message(topics: Topics) -> Message
}

extension TransitionMessage: NumberedMessage {}
