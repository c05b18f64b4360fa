import Contract

/// A hash that identifies a message of a queue.
package func messageHash(key: String, _ payload: [UInt8]) -> UInt64 {
  var hash = FNV1a()
  hash.combine(key.utf8.span)
  hash.combine(payload.span)
  return UInt64(truncatingIfNeeded: hash.value)
}

/// After a takeover, separates messages that are already in the state from new ones.
///
/// A worker saves a state first and acknowledges its messages afterwards. If the acknowledgement is lost, the queue delivers
/// messages again that are in the state. It keeps their order, and delivers none that was acknowledged. So the repeated
/// messages come first, and they are the end of the list of messages that were unacknowledged when the state was saved.
package struct SeenAgain<Item> {
  private let seen: [UInt64]
  private var held: [Item] = []
  /// Where in `seen` the first of `held` may be: all places that agree with all of `held`.
  private var starts: [Int]?
  /// How many of `held` are in the state, unless a later message proves otherwise.
  private var known = 0
  package private(set) var isDecided: Bool

  /// - Parameter seen: hashes of the messages that were unacknowledged when the state was saved, in order.
  package init(_ seen: [UInt64]) {
    self.seen = seen
    isDecided = seen.isEmpty
  }

  /// Adds the next message. Messages are held until it is known which of them are repetitions; then all are returned.
  package mutating func take(_ hash: UInt64, _ item: Item) -> (seen: [Item], new: [Item])? {
    if isDecided { return ([], [item]) }
    let place = held.count
    held.append(item)
    let candidates = starts ?? Array(seen.indices)
    let left = candidates.filter { $0 + place < seen.count && seen[$0 + place] == hash }
    starts = left
    if left.contains(where: { $0 + held.count == seen.count }) { known = held.count }
    // Another start may still match.
    guard !left.contains(where: { $0 + held.count < seen.count }) else { return nil }
    isDecided = true
    defer { held = [] }
    return (Array(held.prefix(known)), Array(held.dropFirst(known)))
  }
}
