import Core
import DequeModule

/// Copies of the QoS 1 messages inside libmosquitto, in the order in which it got them. So a refused message can be reported
/// whole, and messages lost with a connection can be sent again one by one.
struct InFlight: Sendable {
  private struct Place {
    /// libmosquitto's message id; 0: the broker has answered.
    var mid: Int32
    /// When it answered, if the answer is not conclusive.
    var answered: ContinuousClock.Instant?
  }

  private var messages = MessageQueue()
  private var places: Deque<Place> = []
  /// How many are not answered.
  private(set) var count = 0

  /// For this time an answered message may still be the reason why the broker closes the connection.
  static let doubt = Duration.milliseconds(200)
  /// At most this many are kept for that.
  private static let doubtLimit = 64

  mutating func append(_ entry: MessageQueue.Entry, mid: Int32, topic: Span<UInt8>, payload: Span<UInt8>) {
    messages.append(entry, topic: topic, payload: payload)
    places.append(Place(mid: mid))
    count += 1
  }

  /// An unanswered message, with its topic and payload.
  func message(_ mid: Int32) -> PublishedMessage? { place(of: mid).map { messages.message(at: $0) } }

  /// Records an answer from the broker. Returns the message that it answers.
  ///
  /// - Parameters:
  /// - isReported: whether the acknowledgement is reported to the caller.
  ///   - doubtedAt: the time, if an acknowledgement does not prove that the broker allows the message.
  mutating func answered(
    _ mid: Int32, isReported: Bool, doubtedAt: ContinuousClock.Instant?
  ) -> MessageQueue.Entry? {
    guard let place = place(of: mid) else { return nil }
    let entry = messages[place]
    places[place].mid = 0
    places[place].answered = doubtedAt
    if isReported { messages.acknowledge(at: place) }
    count -= 1
    forgetAnswered(at: doubtedAt)
    return entry
  }

  private func place(of mid: Int32) -> Int? { places.firstIndex { $0.mid == mid } }

  /// Drops messages whose answers are conclusive.
  ///
  /// - Parameter time: nil: all answers are conclusive.
  mutating func forgetAnswered(at time: ContinuousClock.Instant? = nil) {
    while let place = places.first, place.mid == 0 {
      if let time, let answered = place.answered, time - answered < Self.doubt,
        places.count - count <= Self.doubtLimit
      {
        return
      }
      places.removeFirst()
      messages.removeFirst()
    }
  }

  /// Takes out all messages that may be why the connection ended: those without an answer, or answered just now.
  mutating func takeDoubtful(at time: ContinuousClock.Instant) -> MessageQueue {
    var doubtful = MessageQueue()
    while let place = places.popFirst() {
      if place.mid != 0 || place.answered.map({ time - $0 < Self.doubt }) ?? false {
        messages.moveFirst(to: &doubtful)
      } else {
        messages.removeFirst()
      }
    }
    count = 0
    return doubtful
  }
}

/// A complete published message.
package struct PublishedMessage: Sendable, Equatable {
  package var id: UInt64
  package var topic: String
  package var payload: [UInt8]
  package var qos: QoS
  package var retain: Bool
  package var expiry: Duration?
  /// `acknowledged` was already reported for it.
  package var isAcknowledged: Bool
}
