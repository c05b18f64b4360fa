/// Finds a message that makes the broker close the connection, so that it does not block all others forever.
///
/// A broker may do that if it does not allow a topic (MQTT 3.1.1, section 3.3.5); mosquitto before 2.0.22 does it with
/// `max_queued_messages 0`. All messages that were under way when the connection closed are sent again one by one. A
/// message that was alone under way at two closures is the culprit. This type only computes; it does no I/O.
struct Caution: Sendable {
  /// Messages up to this number are sent one by one.
  private var last: UInt64 = 0
  private var suspect: (number: UInt64, strikes: Int) = (0, 0)
  /// How many culprits were found since a message got through.
  private var inARow = 0

  private static let strikes = 2
  /// After this many in a row, the broker may have another reason to close the connection.
  private static let limit = 3

  /// Whether messages must be sent one by one.
  var isActive: Bool { last > 0 }

  /// Whether the search for a culprit makes progress. The next connection then need not wait long.
  var isSearching: Bool { isActive && inARow < Self.limit }

  enum Verdict: Equatable {
    /// Send everything that was under way again, one by one.
    case sendAgain
    /// The broker does not accept the message that was alone under way.
    case culprit
  }

  /// From now on messages up to this number travel alone.
  mutating func watch(upTo number: UInt64) { last = max(last, number) }

  /// The broker closed the connection while these messages were under way.
  ///
  /// - Parameter isOnTrial: the last of them was refused before, so one closure is enough.
  mutating func closed(under numbers: ClosedRange<UInt64>, isOnTrial: Bool = false) -> Verdict {
    let wasAlone = numbers.count == 1 && isActive
    last = max(last, numbers.upperBound)
    guard wasAlone else { return .sendAgain }
    if suspect.number != numbers.lowerBound { suspect = (numbers.lowerBound, 0) }
    suspect.strikes += 1
    guard isOnTrial || suspect.strikes >= Self.strikes else { return .sendAgain }
    suspect = (0, 0)
    if !isOnTrial { inARow += 1 }
    if numbers.upperBound >= last { last = 0 }
    return .culprit
  }

  /// The broker accepted a message and kept the connection.
  mutating func gotThrough(_ number: UInt64) {
    inARow = 0
    if suspect.number == number { suspect = (0, 0) }
    if number >= last { last = 0 }
  }
}
