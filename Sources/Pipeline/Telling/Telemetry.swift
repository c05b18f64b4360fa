import Beacons
import Core
import HeapModule

/// A reading in an advertisement.
package struct HeardReading: Sendable {
  package var beacon: BeaconIndex
  var reading: Reading
  /// The counter of the encrypted packet.
  var counter: UInt32?
  /// Whether its sender sends only when something happens.
  var isTriggerBased = false
}

/// The latest readings of each beacon, and which states must be published: at once after a transition, otherwise at
/// most once per `interval`. Changes in between are published at its end.
struct Telemetry: Sendable {
  let interval: TimeSpan
  /// By `BeaconIndex`: from this time on, a sighting publishes the state. Only eight octets, because every sighting
  /// reads it.
  var dueFrom: [MonotonicTime] = []
  /// By `BeaconIndex`.
  var readings: [[Reading]] = []
  var due: [BeaconIndex] = []
  /// By `BeaconIndex`: whether something changed since the state was published.
  var changes: [Change] = []
  /// Beacons with unpublished changes, and some that were published since.
  var heldBack = HeldBack()

  enum Change: UInt8, StateCoded { case none, waiting, told }
  /// Beacons that are new or sent a new kind of reading.
  var news: [BeaconIndex] = []
  /// By `BeaconIndex`: how many more sightings a member needs before it is reported as new. Anybody can fake members
  /// of a region.
  var trials: [UInt8] = []
  /// The count for a new member. It takes at least `trialTime`.
  private let newcomerTrials: UInt8
  private static let trialTime = TimeSpan.seconds(10)

  /// Marks a beacon that is known but was never sighted, such as the second of two identities in one advertisement.
  private static let unsighted = MonotonicTime(nanoseconds: .min)
  /// Marks a state that is already due, in place of a time.
  private static let isDue = MonotonicTime(nanoseconds: .max)

  init(interval: TimeSpan) {
    self.interval = interval
    trialPause = min(max(interval, .milliseconds(100)), .seconds(5))
    newcomerTrials = UInt8(max(2, (Self.trialTime.seconds / trialPause.seconds).rounded(.up)))
  }

  /// The time between two sightings that count for a new member.
  private let trialPause: TimeSpan

  /// Starts the trial of a new member of a region. It is reported as new only after several sightings.
  mutating func tryOut(_ beacon: BeaconIndex) {
    makeRoom(for: beacon)
    trials[Int(beacon.rawValue)] = newcomerTrials
  }

  /// Forgets a beacon whose index is reused. Nothing may be due.
  ///
  /// - Returns: whether the beacon may have been reported as new.
  mutating func retire(_ beacon: BeaconIndex) -> Bool {
    let index = Int(beacon.rawValue)
    guard dueFrom.indices.contains(index) else { return false }
    defer { trials[index] = 0 }
    dueFrom[index] = Self.unsighted
    readings[index] = []
    news.removeAll { $0 == beacon }
    if changes[index] == .waiting { changes[index] = .told }
    return trials[index] == 0
  }

  /// The latest reading of each kind; nil if the beacon was not sighted.
  func readings(of beacon: BeaconIndex) -> [Reading]? {
    let index = Int(beacon.rawValue)
    return isSighted(index) ? readings[index] : nil
  }

  private func isSighted(_ index: Int) -> Bool {
    dueFrom.indices.contains(index) && dueFrom[index] != Self.unsighted
  }

  /// All beacons heard so far.
  var known: [BeaconIndex] {
    dueFrom.indices.lazy.filter { isSighted($0) }.map { BeaconIndex(rawValue: Int32($0)) }
  }

  /// Beacons that are no longer on trial.
  var reported: [BeaconIndex] { known.filter { trials[Int($0.rawValue)] == 0 } }

  mutating func note(_ sighting: Sighting) {
    guard sighting.beacon != .nobody else { return }
    makeRoom(for: sighting.beacon)
    let index = Int(sighting.beacon.rawValue)
    guard sighting.time >= dueFrom[index] else { return holdBack(index) }
    if dueFrom[index] == Self.unsighted {
      tell(sighting.beacon)
    } else if trials[index] > 0 {
      trials[index] -= 1
      tell(sighting.beacon)
    }
    if dueFrom[index] != Self.isDue { becomeDue(sighting.beacon) }
  }

  /// Adopts a beacon from another telemetry.
  mutating func adopt(_ known: BeaconIndex, of other: Telemetry, as beacon: BeaconIndex) {
    guard let readings = other.readings(of: known) else { return }
    makeRoom(for: beacon)
    self.readings[Int(beacon.rawValue)] = readings
    trials[Int(beacon.rawValue)] = other.trials[Int(known.rawValue)]
    let due = other.dueFrom[Int(known.rawValue)]
    if interval == other.interval, due != Self.isDue {
      dueFrom[Int(beacon.rawValue)] = due
    } else {
      published(beacon, heard: due == Self.isDue ? Self.unsighted : due - other.interval)
    }
    if other.changes[Int(known.rawValue)] == .waiting { holdBack(Int(beacon.rawValue)) }
    tell(beacon)
  }

  /// Adopts a beacon of an earlier run, last heard at `time`.
  mutating func adopt(_ beacon: BeaconIndex, readings: [Reading], heard time: MonotonicTime) {
    makeRoom(for: beacon)
    self.readings[Int(beacon.rawValue)] = readings
    published(beacon, heard: time)
    tell(beacon)
  }

  /// Reports all beacons as new, as after every reload.
  mutating func tellAll() { for beacon in known where !news.contains(beacon) { tell(beacon) } }

  /// Stores the readings of sighted beacons. Newer readings of the same kind replace them.
  mutating func note(_ readings: ArraySlice<HeardReading>) {
    // A beacon usually sends the same readings in the same order.
    var likely = 0
    for heard in readings {
      let index = Int(heard.beacon.rawValue)
      guard isSighted(index) else { continue }
      if !Self.keep(heard.reading, in: &self.readings[index], likely: &likely) { tell(heard.beacon) }
      // A telemetry frame causes no sighting.
      holdBack(index)
    }
  }

  /// The latest reading of the same kind; nil: none.
  func reading(like reading: Reading, of beacon: BeaconIndex) -> Reading? {
    readings[Int(beacon.rawValue)].first { $0.isOfSameKind(as: reading) }
  }

  /// Stores a reading in place of the previous one of its kind. Returns false if there was none.
  private static func keep(_ reading: Reading, in readings: inout [Reading], likely: inout Int) -> Bool {
    var place = likely
    if place >= readings.count || !readings[place].isOfSameKind(as: reading) {
      guard let other = readings.firstIndex(where: { $0.isOfSameKind(as: reading) }) else {
        readings.append(reading)
        return false
      }
      place = other
    }
    readings[place] = reading
    likely = place + 1
    return true
  }

  /// See `ZoneEngine.prefetch`.
  func prefetch(_ beacons: [BeaconIndex]) {
    for beacon in beacons { dueFrom.prefetch(at: Int(beacon.rawValue)) }
  }

  var hasNews: Bool { !news.isEmpty }

  /// - Parameter others: other beacons to report; new members still on trial are left out.
  mutating func takeNews(and others: [BeaconIndex] = []) -> [BeaconIndex] {
    defer { news.removeAll() }
    if others.isEmpty { return news }
    var taken = Set(news)
    return news
      + others.filter {
        isSighted(Int($0.rawValue)) && trials[Int($0.rawValue)] == 0 && taken.insert($0).inserted
      }
  }

  /// Several new kinds of reading in one frame are reported once.
  mutating func tell(_ beacon: BeaconIndex) {
    if news.last != beacon, trials[Int(beacon.rawValue)] == 0 { news.append(beacon) }
  }

  mutating func setDue(_ beacon: BeaconIndex) {
    let index = Int(beacon.rawValue)
    if isSighted(index), dueFrom[index] != Self.isDue { becomeDue(beacon) }
  }

  /// Records that a beacon's state changed by `time` without a sighting.
  mutating func change(_ beacon: BeaconIndex, by time: MonotonicTime) {
    let index = Int(beacon.rawValue)
    guard isSighted(index), dueFrom[index] != Self.isDue else { return }
    if time >= dueFrom[index] { becomeDue(beacon) } else { holdBack(index) }
  }

  private mutating func holdBack(_ index: Int) {
    guard changes[index] != .waiting, dueFrom[index] != Self.isDue else { return }
    if changes[index] == .none { heldBack.add(UInt64(index), due: dueFrom[index]) }
    changes[index] = .waiting
  }

  func hasUntold(of beacon: BeaconIndex) -> Bool {
    changes.indices.contains(Int(beacon.rawValue)) && changes[Int(beacon.rawValue)] == .waiting
  }

  /// When to call `popOverdue` next. It may return nothing then.
  var nextDeadline: MonotonicTime? { heldBack.next }

  /// The first beacon whose changes must be published by a time. Process everything due by then, then call `takeUntold`.
  mutating func popOverdue(notAfter time: MonotonicTime) -> BeaconIndex? {
    while let (due, key) = heldBack.popFirst(notAfter: time) {
      let index = Int(key)
      if changes[index] == .waiting, dueFrom[index] <= due { return BeaconIndex(rawValue: Int32(index)) }
      // The state was published after this entry was made, and may have changed again.
      let hasChanged = changes[index] == .waiting
      changes[index] = .none
      if hasChanged { holdBack(index) }
    }
    return nil
  }

  /// Whether changes are still unpublished. If so, call `setDue`, publish the state, and call `rest`.
  mutating func takeUntold(of beacon: BeaconIndex) -> Bool {
    defer { changes[Int(beacon.rawValue)] = .none }
    return hasUntold(of: beacon)
  }

  /// Records that a state was published at `time`, later than the beacon's last sighting. The next one is due an
  /// interval later.
  mutating func rest(_ beacon: BeaconIndex, from time: MonotonicTime) {
    let index = Int(beacon.rawValue)
    guard dueFrom[index] != Self.isDue else { return }
    if trials[index] > 0 {
      // The beacon was heard again since the last counted sighting.
      trials[index] -= 1
      tell(beacon)
    }
    published(beacon, heard: time)
  }

  private mutating func becomeDue(_ beacon: BeaconIndex) {
    dueFrom[Int(beacon.rawValue)] = Self.isDue
    due.append(beacon)
  }

  var hasDue: Bool { !due.isEmpty }

  /// The beacons whose state must be published now, in the order in which they became due. Call `published` for each.
  ///
  /// - Parameter taken: receives the beacons; its capacity is reused.
  mutating func takeDue(into taken: inout [BeaconIndex]) {
    taken.removeAll(keepingCapacity: true)
    swap(&taken, &due)
  }

  /// Records that a beacon's state was published at its latest sighting.
  mutating func published(_ beacon: BeaconIndex, heard time: MonotonicTime) {
    let next = time + (trials[Int(beacon.rawValue)] > 0 ? min(interval, trialPause) : interval)
    // The smallest and the largest time are reserved as markers.
    dueFrom[Int(beacon.rawValue)] = min(
      max(next, MonotonicTime(nanoseconds: .min + 1)), MonotonicTime(nanoseconds: .max - 1))
    if changes[Int(beacon.rawValue)] == .waiting { changes[Int(beacon.rawValue)] = .told }
  }

  mutating func makeRoom(for beacon: BeaconIndex) {
    while dueFrom.count <= Int(beacon.rawValue) {
      dueFrom.append(Self.unsighted)
      readings.append([])
      trials.append(0)
      changes.append(.none)
    }
  }
}

extension Reading {
  fileprivate func isOfSameKind(as other: Reading) -> Bool {
    quantity == other.quantity && ordinal == other.ordinal
  }
}

extension Telemetry: StateFields {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("due_from", &dueFrom, atMost: coder.bounds.beacons)
    try coder("trials", &trials)
    try coder("readings", &readings)
    try coder("changes", &changes)
    let count = dueFrom.count
    try heldBack.fields(&coder) { $0 < UInt64(count) }
    try coder("due", &due)
    try coder("news", &news)
    try coder.check(
      trials.count == count && readings.count == count && changes.count == count
        && (due + news).allSatisfy { $0.rawValue < count })
  }
}

/// When messages are due that were held back because an earlier one was just published. They are published even if
/// the beacon is silent.
struct HeldBack: Sendable {
  private struct Entry: Comparable, StateElement {
    var due = MonotonicTime.zero
    var key: UInt64 = 0

    static func < (a: Self, b: Self) -> Bool { (a.due, a.key) < (b.due, b.key) }

    mutating func fields(_ coder: inout StateCoder) throws(StateError) {
      try coder("due", &due)
      try coder("key", &key)
    }
  }

  private var heap = Heap<Entry>()

  /// When the first entry is due.
  var next: MonotonicTime? { heap.min?.due }

  mutating func add(_ key: UInt64, due: MonotonicTime) { heap.insert(Entry(due: due, key: key)) }

  mutating func popFirst(notAfter time: MonotonicTime) -> (due: MonotonicTime, key: UInt64)? {
    guard let first = heap.min, first.due <= time else { return nil }
    heap.removeMin()
    return (first.due, first.key)
  }
}

/// Obsolete entries are stored too, so that a restored pipeline is called at the same times.
extension HeldBack {
  /// - Parameter isKey: whether a key is valid.
  mutating func fields(_ coder: inout StateCoder, isKey: (UInt64) -> Bool) throws(StateError) {
    var entries = heap.unordered.sorted()
    try coder("entries", &entries)
    guard coder.isReading else { return }
    try coder.check(entries.allSatisfy { isKey($0.key) })
    heap = Heap(entries)
  }
}
