import Messages

/// A hash of a message of a queue, by which it is known again.
public func messageHash(key: String, _ payload: [UInt8]) -> UInt64 {
  var hash = FNV1a()
  hash.combine(key.utf8.span)
  hash.combine(payload.span)
  return UInt64(truncatingIfNeeded: hash.value)
}

/// Tells apart, after a takeover, what the state has seen already and what is new.
///
/// A state is saved first and acknowledged then. If the acknowledgement is lost, with a worker or with a node, the queue gives
/// messages out again that the state has seen. It keeps their order, and gives out none that was acknowledged. So what was seen comes
/// first, and is the end of what was unacknowledged when the state was saved: from some message to the last one.
public struct SeenAgain<Item> {
  private let seen: [UInt64]
  private var held: [Item] = []
  /// Where in `seen` the first of `held` may stand; those that all of `held` agrees with.
  private var starts: [Int]?
  /// How many of `held` were seen if no later message says otherwise.
  private var known = 0
  public private(set) var isDecided: Bool

  /// - Parameter seen: hashes of the messages that were unacknowledged when the state was saved, in order.
  public init(_ seen: [UInt64]) {
    self.seen = seen
    isDecided = seen.isEmpty
  }

  /// Takes the next message in. Messages are held until it is clear what they are; then all come out.
  public mutating func take(_ hash: UInt64, _ item: Item) -> (seen: [Item], new: [Item])? {
    if isDecided { return ([], [item]) }
    let place = held.count
    held.append(item)
    let candidates = starts ?? Array(seen.indices)
    let left = candidates.filter { $0 + place < seen.count && seen[$0 + place] == hash }
    starts = left
    if left.contains(where: { $0 + held.count == seen.count }) { known = held.count }
    // Another beginning would have to go on.
    guard !left.contains(where: { $0 + held.count < seen.count }) else { return nil }
    isDecided = true
    defer { held = [] }
    return (Array(held.prefix(known)), Array(held.dropFirst(known)))
  }
}
