import DequeModule

/// Messages that libmosquitto has not seen yet, first in, first out.
struct Backlog {
  private var messages = Deque<Outgoing>()
  /// How many of each quality of service libmosquitto has not seen, those included that were taken out for it.
  private(set) var atMostOnce = 0
  private(set) var atLeastOnce = 0

  /// None waits to be taken.
  var isEmpty: Bool { messages.isEmpty }

  mutating func append(_ message: Outgoing) {
    count(message, 1)
    messages.append(message)
  }

  /// Whether `take` would take anything, where so many of QoS 1 have room.
  func hasNext(room: Int) -> Bool {
    messages.first.map { $0.qos == .atMostOnce || room > 0 } ?? false
  }

  /// Takes out the first, at most so many, and of QoS 1 at most as many as have room. They count until `handedOver`.
  mutating func take(atMost limit: Int, room: Int) -> [Outgoing] {
    guard hasNext(room: room) else { return [] }
    var room = room
    var taken: [Outgoing] = []
    taken.reserveCapacity(min(limit, messages.count))
    while taken.count < limit, hasNext(room: room) {
      let message = messages.removeFirst()
      if message.qos == .atLeastOnce { room -= 1 }
      taken.append(message)
    }
    return taken
  }

  mutating func handedOver(_ message: Outgoing) { count(message, -1) }

  /// Forgets what is worth nothing without the connection of the moment.
  mutating func dropAtMostOnce() {
    messages.removeAll { $0.qos == .atMostOnce }
    atMostOnce = 0
  }

  private mutating func count(_ message: Outgoing, _ change: Int) {
    switch message.qos {
    case .atMostOnce: atMostOnce += change
    case .atLeastOnce: atLeastOnce += change
    }
  }
}
