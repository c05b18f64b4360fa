import DequeModule

/// Messages that libmosquitto has not seen yet, first in, first out; only where QoS 1 has no room, QoS 0 goes past it.
struct Backlog {
  private var messages = Deque<Outgoing>()
  /// How many of `messages` are of QoS 0.
  private var waitingAtMostOnce = 0
  /// How many of each quality of service libmosquitto has not seen, those included that were taken out for it.
  private(set) var atMostOnce = 0
  private(set) var atLeastOnce = 0

  mutating func append(_ message: consuming Outgoing) {
    count(message.qos, 1)
    if message.qos == .atMostOnce { waitingAtMostOnce += 1 }
    messages.append(message)
  }

  /// Whether `take` would take anything, where so many of QoS 1 have room.
  func hasNext(room: Int) -> Bool { waitingAtMostOnce > 0 || room > 0 && !messages.isEmpty }

  /// Takes out the first, at most so many, and of QoS 1 at most as many as have room. They count until `handedOver`.
  mutating func take(atMost limit: Int, room: Int) -> [Outgoing] {
    guard hasNext(room: room) else { return [] }
    var room = room
    var taken: [Outgoing] = []
    taken.reserveCapacity(min(limit, messages.count))
    while taken.count < limit, !messages.isEmpty, messages[0].qos == .atMostOnce || room > 0 {
      if messages[0].qos == .atLeastOnce { room -= 1 } else { waitingAtMostOnce -= 1 }
      taken.append(messages.removeFirst())
    }
    if taken.count < limit, waitingAtMostOnce > 0 { takePast(atMost: limit, into: &taken) }
    return taken
  }

  /// Takes QoS 0 messages from behind those of QoS 1 that have no room.
  private mutating func takePast(atMost limit: Int, into taken: inout [Outgoing]) {
    messages.removeAll { message in
      guard message.qos == .atMostOnce, taken.count < limit else { return false }
      taken.append(message)
      waitingAtMostOnce -= 1
      return true
    }
  }

  mutating func handedOver(_ taken: [Outgoing]) {
    let taken = taken.span
    for index in taken.indices { count(taken[index].qos, -1) }
  }

  /// Forgets what is worth nothing without the connection of the moment.
  mutating func dropAtMostOnce() {
    messages.removeAll { $0.qos == .atMostOnce }
    (atMostOnce, waitingAtMostOnce) = (0, 0)
  }

  private mutating func count(_ qos: QoS, _ change: Int) {
    switch qos {
    case .atMostOnce: atMostOnce += change
    case .atLeastOnce: atLeastOnce += change
    }
  }
}
