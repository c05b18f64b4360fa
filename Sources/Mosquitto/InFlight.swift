import MQTT
import DequeModule

/// The messages of QoS 1 inside libmosquitto, in the order in which it took them, each with a copy: what the broker refuses can be
/// told whole, and what went under with a connection can be sent again one by one.
struct InFlight: Sendable {
  private struct Place {
    /// libmosquitto's message id; 0: the broker has answered.
    var mid: Int32
    /// When it answered, where that leaves a doubt.
    var answered: ContinuousClock.Instant?
  }

  private var messages = MessageQueue()
  private var places: Deque<Place> = []
  /// How many the broker has not answered.
  private(set) var count = 0

  /// So long what was answered may still turn out to be why the broker closes the connection.
  static let doubt = Duration.milliseconds(200)
  /// No more than so many are kept for that.
  private static let doubtLimit = 64

  mutating func append(_ entry: MessageQueue.Entry, mid: Int32, topic: Span<UInt8>, payload: Span<UInt8>) {
    messages.append(entry, topic: topic, payload: payload)
    places.append(Place(mid: mid))
    count += 1
  }

  /// The message that the broker has not answered, with its topic and payload.
  func message(_ mid: Int32) -> PublishedMessage? { place(of: mid).map { messages.message(at: $0) } }

  /// Takes in an answer of the broker's. Returns what it answers.
  ///
  /// - Parameters:
  ///   - isReported: whether the caller is told that the broker has it.
  ///   - doubtedAt: the time, where an acknowledgement does not prove that the broker allows the message.
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

  /// Lets go of what is answered beyond doubt.
  ///
  /// - Parameter time: nil: there is no doubt.
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

  /// Takes out what may be why the connection ended: all that is not answered, or was just now.
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

/// What was published, whole.
public struct PublishedMessage: Sendable, Equatable {
  public var id: UInt64
  public var topic: String
  public var payload: [UInt8]
  public var qos: QoS
  public var retain: Bool
  public var expiry: Duration?
  /// `acknowledged` told of it before.
  public var isAcknowledged: Bool
}
