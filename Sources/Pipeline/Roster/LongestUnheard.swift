import Beacons

/// Members of regions, roughly in the order in which they were last heard. A heap of lower bounds, each corrected
/// when it reaches the top.
struct LongestUnheard: Sendable {
  private struct Entry: StateElement {
    var heard = MonotonicTime.zero
    var beacon = BeaconIndex.nobody

    mutating func fields(_ coder: inout StateCoder) throws(StateError) {
      try coder("heard", &heard)
      try coder("beacon", &beacon)
    }
  }

  private var heap: [Entry] = []

  mutating func insert(_ beacon: BeaconIndex, heard: MonotonicTime) {
    heap.append(Entry(heard: heard, beacon: beacon))
    var place = heap.count - 1
    while place > 0, heap[place].heard < heap[(place - 1) / 2].heard {
      heap.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  /// Removes and returns the member that was silent longest, if it was last heard before `time`.
  ///
  /// - Parameters:
  ///   - effort: how many members are examined at most.
  ///   - lastHeard: returns nil for a member that must stay.
  mutating func take(
    before time: MonotonicTime, now: MonotonicTime, effort: Int, lastHeard: (BeaconIndex) -> MonotonicTime?
  ) -> BeaconIndex? {
    for _ in 0..<effort {
      guard let first = heap.first, first.heard < time else { return nil }
      let heard = lastHeard(first.beacon) ?? now
      if heard <= first.heard {
        removeFirst()
        return first.beacon
      }
      heap[0].heard = heard
      sink()
    }
    return nil
  }

  private mutating func removeFirst() {
    let last = heap.removeLast()
    guard !heap.isEmpty else { return }
    heap[0] = last
    sink()
  }

  private mutating func sink() {
    var place = 0
    while true {
      var child = 2 * place + 1
      guard child < heap.count else { return }
      if child + 1 < heap.count, heap[child + 1].heard < heap[child].heard { child += 1 }
      guard heap[child].heard < heap[place].heard else { return }
      heap.swapAt(child, place)
      place = child
    }
  }
}

/// Stored in the order of the heap, because that order decides between members with equal times.
extension LongestUnheard: StateFields {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("heap", &heap, atMost: coder.bounds.beacons)
  }
}
