import Core

/// Messages that libmosquitto has not seen yet, first in, first out. QoS 0 overtakes QoS 1 only if QoS 1 has no room.
struct Backlog: Sendable {
  private var waitingAtMostOnce = MessageQueue()
  private var waitingAtLeastOnce = MessageQueue()
  /// How many of each quality of service libmosquitto has not seen, including those already taken out for it.
  private(set) var atMostOnce = 0
  private(set) var atLeastOnce = 0
  /// The number of the last message.
  private(set) var number: UInt64 = 0

  /// `take` stops at this many bytes.
  static let octetLimit = 1 << 18

  mutating func append(_ message: Outgoing, topic: String, payload: [UInt8]) {
    number += 1
    switch message.qos {
    case .atMostOnce:
      atMostOnce += 1
      waitingAtMostOnce.append(message, topic: topic, payload: payload, number: number)
    case .atLeastOnce:
      atLeastOnce += 1
      waitingAtLeastOnce.append(message, topic: topic, payload: payload, number: number)
    }
  }

  /// Puts QoS 1 messages that were taken out back before all others.
  mutating func putBack(_ messages: consuming MessageQueue) {
    atLeastOnce += messages.count
    while !waitingAtLeastOnce.isEmpty { waitingAtLeastOnce.moveFirst(to: &messages) }
    waitingAtLeastOnce = messages
  }

  /// Withdraws QoS 1 messages that were not handed over yet.
  mutating func withdraw(_ isMeant: (_ id: UInt64, _ topic: String) -> Bool) -> [PublishedMessage] {
    var (kept, withdrawn): (MessageQueue, [PublishedMessage]) = (MessageQueue(), [])
    while !waitingAtLeastOnce.isEmpty {
      let message = waitingAtLeastOnce.message(at: 0)
      if isMeant(message.id, message.topic) {
        withdrawn.append(message)
        waitingAtLeastOnce.removeFirst()
      } else {
        waitingAtLeastOnce.moveFirst(to: &kept)
      }
    }
    waitingAtLeastOnce = kept
    atLeastOnce -= withdrawn.count
    return withdrawn
  }

  /// Whether `take` would take anything, with room for this many QoS 1 messages.
  func hasNext(room: Int) -> Bool { !waitingAtMostOnce.isEmpty || room > 0 && !waitingAtLeastOnce.isEmpty }

  /// Takes the first messages out: at most `limit`, and at most `room` of QoS 1. They still count until `handedOver`.
  ///
  /// - Parameter taken: must be empty.
  mutating func take(atMost limit: Int, room: Int, into taken: inout MessageQueue) {
    var room = room
    while taken.count < limit, taken.octetCount < Self.octetLimit {
      let atLeastOnce = room > 0 ? waitingAtLeastOnce.first : nil
      if let next = waitingAtMostOnce.first, next.number < atLeastOnce?.number ?? .max {
        waitingAtMostOnce.moveFirst(to: &taken)
      } else if atLeastOnce != nil {
        waitingAtLeastOnce.moveFirst(to: &taken)
        room -= 1
      } else {
        return
      }
    }
  }

  /// Records that libmosquitto has seen this many messages of each quality of service.
  mutating func handedOver(atMostOnce: Int, atLeastOnce: Int) {
    self.atMostOnce -= atMostOnce
    self.atLeastOnce -= atLeastOnce
  }

  /// Drops messages that are worthless without the present connection.
  mutating func dropAtMostOnce() {
    waitingAtMostOnce.removeAll()
    atMostOnce = 0
  }
}
