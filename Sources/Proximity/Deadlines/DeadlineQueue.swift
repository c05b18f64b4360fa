import Beacons

/// When each timer next wants attention: what is near in exact order, what is farther off in a wheel.
///
/// Most timers are those of silence, and put off whenever a beacon is heard, so that they come up in vain nearly always: in the
/// wheel that costs little.
struct DeadlineQueue: Sendable {
  private var near = DeadlineHeap()
  private var far = TimerWheel()

  mutating func addLink() {
    near.addLink()
    far.addLink()
  }

  mutating func addPresence() {
    near.addPresence()
    far.addPresence()
  }

  /// When the first of all timers comes up, or is to be put off.
  var first: MonotonicTime? {
    let next = min(near.first ?? far.next, far.next)
    return next == Presence.never ? nil : next
  }

  /// Whether any timer has come up.
  @inline(__always) func isDue(at time: MonotonicTime) -> Bool { near.isDue(at: time) || far.isDue(at: time) }

  /// Sees to it that `timer` comes up at `time` at the latest. What comes up too early is put back by its owner:
  /// cheaper than moving an entry each time a beacon is heard.
  mutating func schedule(_ timer: DeadlineTimer, at time: MonotonicTime) {
    if near.contains(timer) { return near.schedule(timer, at: time) }
    if far.comesUp(timer, by: time) || far.insert(timer, at: time) { return }
    near.schedule(timer, at: time)
  }

  /// Takes out one of the timers that may be due at `time` or before and are in no order yet: its owner is to schedule it
  /// again. All of them come before the first that `popFirst` gives.
  mutating func popUnordered(notAfter time: MonotonicTime) -> DeadlineTimer? { far.pop(notAfter: time) }

  /// Takes out the first timer if it is due at `time` or before.
  mutating func popFirst(notAfter time: MonotonicTime) -> (time: MonotonicTime, timer: DeadlineTimer)? {
    near.popFirst(notAfter: time)
  }
}
