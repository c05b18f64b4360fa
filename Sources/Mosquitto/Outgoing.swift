/// A message on its way to the broker.
struct Outgoing: Sendable {
  var id: UInt64
  var topic: String
  var payload: [UInt8]
  var qos: QoS
  var retain: Bool
  var expiry: Duration?
}

/// First in, first out, with room given back as it empties.
struct Queue<Element> {
  private var elements: [Element] = []
  private var head = 0

  var count: Int { elements.count - head }
  var isEmpty: Bool { count == 0 }

  mutating func append(_ element: Element) { elements.append(element) }

  mutating func popFirst() -> Element? {
    guard head < elements.count else { return nil }
    let element = elements[head]
    head += 1
    if head == elements.count {
      elements.removeAll(keepingCapacity: head <= 64)
      head = 0
    } else if head > 64, head * 2 > elements.count {
      elements.removeFirst(head)
      head = 0
    }
    return element
  }
}
