/// Finds the message after which a broker closes the connection, so that it does not hold up the others for ever.
///
/// So brokers may do where they do not allow a topic (MQTT 3.1.1, section 3.3.5), and mosquitto before 2.0.22 does so with
/// `max_queued_messages 0`. What was under way when the broker closed the connection is sent again one by one; the message that was
/// alone when it did so twice is the one. A function of what it is told.
struct Caution: Sendable {
  /// Messages up to this number are sent one by one.
  private var last: UInt64 = 0
  private var suspect: (number: UInt64, strikes: Int) = (0, 0)
  /// Messages found since one got through.
  private var inARow = 0

  private static let strikes = 2
  /// Who closes the connection after each of so many may do so for another reason.
  private static let limit = 3

  /// Whether messages are to be sent one by one.
  var isActive: Bool { last > 0 }

  /// Whether a broker was caught at it, and the search makes progress: no reason to wait long with the next connection.
  var isSearching: Bool { isActive && inARow < Self.limit }

  enum Verdict: Equatable {
    /// Send what was under way again, one by one.
    case sendAgain
    /// The broker does not take the one that was alone under way.
    case culprit
  }

  /// Messages up to this one are to travel alone.
  mutating func watch(upTo number: UInt64) { last = max(last, number) }

  /// The broker closed the connection, with these messages under way.
  ///
  /// - Parameter isOnTrial: the last of them was refused before: once is enough.
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

  /// The broker has taken a message, and stayed.
  mutating func gotThrough(_ number: UInt64) {
    inARow = 0
    if suspect.number == number { suspect = (0, 0) }
    if number >= last { last = 0 }
  }
}
