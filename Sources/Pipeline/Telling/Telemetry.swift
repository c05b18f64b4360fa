import Beacons

/// A reading in an advertisement.
package struct HeardReading: Sendable {
  package var beacon: BeaconIndex
  var reading: Reading
  /// Of the encrypted packet that it came in.
  var counter: UInt32?
  /// Whether its sender sends only when something happens.
  var isTriggerBased = false
}

/// The latest readings of each beacon, and which states must be published: at once after a transition, otherwise at most once
/// per `interval`. What changed in between is published at its end.
struct Telemetry: Sendable {
  let interval: TimeSpan
  /// By `BeaconIndex`: from when on a sighting causes the state to be published. Touched at every sighting, so only eight octets.
  var dueFrom: [MonotonicTime] = []
  /// By `BeaconIndex` too.
  var readings: [[Reading]] = []
  var due: [BeaconIndex] = []
  /// By `BeaconIndex`: whether something changed since the state was published.
  var changes: [Change] = []
  /// Beacons with changes, and others that had some.
  var heldBack = HeldBack()

  enum Change: UInt8, StateCoded { case none, waiting, told }
  /// Beacons heard for the first time, or with a reading of a new kind.
  var news: [BeaconIndex] = []
  /// By `BeaconIndex`: how often a member must still be noted before it is news. Anybody can invent members of a region.
  var trials: [UInt8] = []
  /// Those of a newcomer: they take `trialTime` at least.
  private let newcomerTrials: UInt8
  private static let trialTime = TimeSpan.seconds(10)

  /// For a beacon that is known but was never sighted, such as the second of two identities in one advertisement.
  private static let unsighted = MonotonicTime(nanoseconds: .min)
  /// Instead of a time: it is due already.
  private static let isDue = MonotonicTime(nanoseconds: .max)

  init(interval: TimeSpan) {
    self.interval = interval
    trialPause = min(max(interval, .milliseconds(100)), .seconds(5))
    newcomerTrials = UInt8(max(2, (Self.trialTime.seconds / trialPause.seconds).rounded(.up)))
  }

  /// Between two times that a newcomer is noted.
  private let trialPause: TimeSpan

  /// A member of a region was admitted: it is no news until it was noted a few times.
  mutating func tryOut(_ beacon: BeaconIndex) {
    makeRoom(for: beacon)
    trials[Int(beacon.rawValue)] = newcomerTrials
  }

  /// Forgets a beacon whose index is reused. Nothing is due.
  ///
  /// - Returns: whether there was news of it.
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

  /// The latest of each kind; nil for a beacon that was not sighted.
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

  /// Takes over what another one knew of a beacon.
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

  /// Takes up a beacon of an earlier run, last heard at a time.
  mutating func adopt(_ beacon: BeaconIndex, readings: [Reading], heard time: MonotonicTime) {
    makeRoom(for: beacon)
    self.readings[Int(beacon.rawValue)] = readings
    published(beacon, heard: time)
    tell(beacon)
  }

  /// All beacons are news, as after every reload.
  mutating func tellAll() { for beacon in known where !news.contains(beacon) { tell(beacon) } }

  /// Keeps an advertisement's readings of sighted beacons until newer ones of the same quantities arrive.
  mutating func note(_ readings: ArraySlice<HeardReading>) {
    // A beacon usually sends the same readings in the same order.
    var likely = 0
    for heard in readings {
      let index = Int(heard.beacon.rawValue)
      guard isSighted(index) else { continue }
      if !Self.keep(heard.reading, in: &self.readings[index], likely: &likely) { tell(heard.beacon) }
      // Telemetry comes without a sighting.
      holdBack(index)
    }
  }

  /// The latest of the same kind; nil: there was none.
  func reading(like reading: Reading, of beacon: BeaconIndex) -> Reading? {
    readings[Int(beacon.rawValue)].first { $0.isOfSameKind(as: reading) }
  }

  /// Replaces the previous reading of the same kind; false if there was none.
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

  /// - Parameter others: beacons with other news; newcomers among them still have to wait.
  mutating func takeNews(and others: [BeaconIndex] = []) -> [BeaconIndex] {
    defer { news.removeAll() }
    if others.isEmpty { return news }
    var taken = Set(news)
    return news
      + others.filter {
        isSighted(Int($0.rawValue)) && trials[Int($0.rawValue)] == 0 && taken.insert($0).inserted
      }
  }

  /// The news of one frame come together.
  private mutating func tell(_ beacon: BeaconIndex) {
    if news.last != beacon, trials[Int(beacon.rawValue)] == 0 { news.append(beacon) }
  }

  mutating func setDue(_ beacon: BeaconIndex) {
    let index = Int(beacon.rawValue)
    if isSighted(index), dueFrom[index] != Self.isDue { becomeDue(beacon) }
  }

  /// What is known of a beacon changed by a time, though it was not heard.
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

  /// When `popOverdue` next has something to return; it may turn out to have nothing.
  var nextDeadline: MonotonicTime? { heldBack.next }

  /// The first beacon whose changes must be published by a time. Call `takeUntold` after all that happened by then.
  mutating func popOverdue(notAfter time: MonotonicTime) -> BeaconIndex? {
    while let (due, key) = heldBack.popFirst(notAfter: time) {
      let index = Int(key)
      if changes[index] == .waiting, dueFrom[index] <= due { return BeaconIndex(rawValue: Int32(index)) }
      // It was published since it began to wait, and may have changed again.
      let hasChanged = changes[index] == .waiting
      changes[index] = .none
      if hasChanged { holdBack(index) }
    }
    return nil
  }

  /// Whether changes are still unpublished. If so, call `setDue`, and `rest` once it is published.
  mutating func takeUntold(of beacon: BeaconIndex) -> Bool {
    defer { changes[Int(beacon.rawValue)] = .none }
    return hasUntold(of: beacon)
  }

  /// A state was published at a time, though its beacon was heard before: it is not again for a while.
  mutating func rest(_ beacon: BeaconIndex, from time: MonotonicTime) {
    let index = Int(beacon.rawValue)
    guard dueFrom[index] != Self.isDue else { return }
    if trials[index] > 0 {
      // It was heard again since the last time that it was noted.
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
  /// - Parameter taken: its contents are replaced; its capacity is reused.
  mutating func takeDue(into taken: inout [BeaconIndex]) {
    taken.removeAll(keepingCapacity: true)
    swap(&taken, &due)
  }

  /// Notes that a beacon's state was published as of its newest sighting.
  mutating func published(_ beacon: BeaconIndex, heard time: MonotonicTime) {
    let next = time + (trials[Int(beacon.rawValue)] > 0 ? min(interval, trialPause) : interval)
    // The very first time there is, and the very last, stand for others.
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
