import MQTT

/// Messages that libmosquitto has not seen yet, first in, first out; only where QoS 1 has no room, QoS 0 goes past it.
struct Backlog: Sendable {
  private var waitingAtMostOnce = MessageQueue()
  private var waitingAtLeastOnce = MessageQueue()
  /// How many of each quality of service libmosquitto has not seen, those included that were taken out for it.
  private(set) var atMostOnce = 0
  private(set) var atLeastOnce = 0
  /// Of the last message.
  private(set) var number: UInt64 = 0

  /// Nothing more is taken out at once when that has so many octets.
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

  /// Puts messages of QoS 1 that were taken out before all that wait.
  mutating func putBack(_ messages: consuming MessageQueue) {
    atLeastOnce += messages.count
    while !waitingAtLeastOnce.isEmpty { waitingAtLeastOnce.moveFirst(to: &messages) }
    waitingAtLeastOnce = messages
  }

  /// Takes back messages of QoS 1 that were not handed over.
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

  /// Whether `take` would take anything, where so many of QoS 1 have room.
  func hasNext(room: Int) -> Bool { !waitingAtMostOnce.isEmpty || room > 0 && !waitingAtLeastOnce.isEmpty }

  /// Takes out the first, at most so many, and of QoS 1 at most as many as have room. They count until `handedOver`.
  ///
  /// - Parameter taken: empty.
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

  /// Takes in that libmosquitto has seen so many messages of each quality of service.
  mutating func handedOver(atMostOnce: Int, atLeastOnce: Int) {
    self.atMostOnce -= atMostOnce
    self.atLeastOnce -= atLeastOnce
  }

  /// Forgets what is worth nothing without the connection of the moment.
  mutating func dropAtMostOnce() {
    waitingAtMostOnce.removeAll()
    atMostOnce = 0
  }
}
