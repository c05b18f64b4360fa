import Beacons

/// Timers by the second in which they come up, a good quarter of an hour ahead: a timing wheel (Varghese and Lauck, 1987). To
/// put one in or take one out costs the same however many there are.
///
/// A timer comes up at the beginning of its slot, or of the last one where its time is farther off; so it comes up too early, and its
/// owner, who mostly wants it later by then, puts it back. It is in one slot at most; those of a slot come in no order.
struct TimerWheel: Sendable {
  /// log2 of a slot's nanoseconds: 1.07 s.
  private static let magnitude: Int64 = 30
  /// 18 minutes of them: learnt silence is shorter.
  private static let slots = 1024

  private struct Place {
    /// Where in `first`; −1: in no slot.
    var slot: Int16 = -1
    /// Next in the same slot.
    var next: DeadlineTimer?
  }

  /// By slot, which is its number less all multiples of `slots`.
  private var first = [DeadlineTimer?](repeating: nil, count: Self.slots)
  /// A bit a slot: whether it has timers.
  private var taken = InlineArray<16, UInt64>(repeating: 0)
  private var places = TimerTable<Place>()
  /// The first timers of slots that have been reached: the others follow each.
  private var due: [DeadlineTimer] = []
  /// Number of the last slot that was reached: it has no timers any more.
  private var reached = Self.number(MonotonicTime(nanoseconds: .min))
  /// Number of the first slot with timers.
  private var nextTaken = Int64.max

  mutating func addLink() { places.links.appendRow(Place()) }
  mutating func addPresence() { places.presences.appendRow(Place()) }

  /// When the next timer comes up; the end of time if there is none.
  var next: MonotonicTime {
    nextTaken == .max ? MonotonicTime(nanoseconds: .max) : Self.start(nextTaken)
  }

  /// Whether a timer comes up at `time` at the latest.
  func comesUp(_ timer: DeadlineTimer, by time: MonotonicTime) -> Bool {
    let slot = places[timer].slot
    return slot >= 0 && Self.start(number(Int(slot))) <= time
  }

  /// Whether any timer has come up.
  @inline(__always) func isDue(at time: MonotonicTime) -> Bool { nextTaken <= Self.number(time) }

  /// Puts in a timer for a time later than the slot that was reached; false if it is in already, or the time is nearer.
  mutating func insert(_ timer: DeadlineTimer, at time: MonotonicTime) -> Bool {
    let wanted = Self.number(time)
    guard wanted > reached, places[timer].slot < 0 else { return false }
    // Nobody may have looked for long, or ever: an empty wheel turns until the time lies within it.
    if nextTaken == .max, due.isEmpty { reached = max(reached, wanted - Int64(Self.slots - 1)) }
    let number = min(wanted, reached + Int64(Self.slots - 1))
    let slot = Self.slot(number)
    places[timer] = Place(slot: Int16(slot), next: first[slot])
    first[slot] = timer
    taken[slot >> 6] |= 1 << UInt64(slot & 63)
    nextTaken = min(nextTaken, number)
    return true
  }

  /// Takes out one of the timers that have come up by `time`; nil if there are none. Until there are none, only those that
  /// were taken out may be put in.
  mutating func pop(notAfter time: MonotonicTime) -> DeadlineTimer? {
    if Self.number(time) > reached { turn(to: Self.number(time)) }
    guard let timer = due.popLast() else { return nil }
    if let next = places[timer].next { due.append(next) }
    places[timer] = Place()
    return timer
  }

  /// Empties all slots up to one, however far off that is.
  private mutating func turn(to number: Int64) {
    while nextTaken <= number {
      let slot = Self.slot(nextTaken)
      if let timer = first[slot] { due.append(timer) }
      first[slot] = nil
      taken[slot >> 6] &= ~(1 << UInt64(slot & 63))
      nextTaken = followingTaken()
    }
    reached = number
  }

  private func followingTaken() -> Int64 {
    var number = nextTaken + 1
    let end = reached + Int64(Self.slots)
    while number < end {
      let slot = Self.slot(number)
      let rest = taken[slot >> 6] >> UInt64(slot & 63)
      if rest != 0 { return number + Int64(rest.trailingZeroBitCount) }
      number += Int64(64 - slot & 63)
    }
    return .max
  }

  /// Of a slot with timers: they are all of the same turn of the wheel.
  private func number(_ slot: Int) -> Int64 {
    reached + Int64(Self.slot(Int64(slot) - reached))
  }

  private static func slot(_ number: Int64) -> Int { Int(number & Int64(slots - 1)) }
  private static func number(_ time: MonotonicTime) -> Int64 { time.nanoseconds >> magnitude }
  private static func start(_ number: Int64) -> MonotonicTime {
    MonotonicTime(nanoseconds: number << magnitude)
  }
}
