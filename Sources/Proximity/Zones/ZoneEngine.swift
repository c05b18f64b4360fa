import Beacons
import Core

/// Decides which beacon is in which zone. It depends only on its inputs and the times passed in; it reads no clock.
///
/// ```swift
/// let door = Zone(
///   receivers: nil, near: nil, enter: Rule(threshold: .distance(6), dwell: .seconds(1)),
///   exit: Rule(threshold: .distance(9), dwell: .seconds(2)), lost: .auto)
/// var engine = ZoneEngine(site: Site(zones: [door]))
/// engine.admit(van, zones: [ZoneIndex(rawValue: 0)])
/// var transitions: [Transition] = []
/// engine.observe(sighting, into: &transitions)  // for each sighting
/// engine.advance(to: now, into: &transitions)   // whenever `nextDeadline` has passed
/// ```
///
/// Time: an input earlier than the latest time seen counts as happening at that time. After a jump forward every deadline
/// in between happens at its own time. A deadline at or beyond the last time that a clock can show never happens. Wall times
/// of transitions follow the newest sighting of the beacon concerned.
///
/// Signal: a missing RSSI, or one outside the −127…+20 dBm of the Core Specification, proves presence only.
public struct ZoneEngine: Sendable {
  var rules: SiteRules
  var site: Site
  /// By `BeaconIndex`.
  var beacons: [BeaconRecord] = []
  /// One timer for each beacon. It fires at the beacon's first deadline, or earlier.
  var queue = DeadlineQueue()
  /// By zone: the beacons inside.
  var insiders: [Set<BeaconIndex>]
  /// Whether links between receivers and beacons are stored.
  public let keepsLinks: Bool
  /// nil: only locators are used; see `PlaceBeliefs`.
  var places: PlaceBeliefs?
  /// Whether any zone is made of rooms.
  public let hasRoomZones: Bool
  /// The sight shown last, and the receivers heard since.
  public internal(set) var sight = ReceiverSight()
  var roomSight = RoomSight()
  /// The last room decision for each beacon; empty without zones of rooms.
  var decisions: [BeaconIndex: RoomDecision] = [:]
  /// Zones in which a beacon is no longer near but still inside; read with `takeRearmed`.
  var rearmedZones: Set<ZoneIndex> = []
  /// Beacons that fell silent at a receiver; read with `takeSilenced`.
  var silenced: Set<BeaconIndex> = []
  /// The common pace of all beacons that anybody can invent.
  var crowd: RateLimit
  /// Number of enter and near transitions that had to wait.
  public internal(set) var heldTransitions: UInt64 = 0
  var held: [HeldTransition] = []
  var now = MonotonicTime(nanoseconds: .min)

  /// - Parameters:
  ///   - crowd: common limit for enter and near of all beacons that anybody can invent.
  ///   - keepsLinks: whether to store a link for each pair of receiver and beacon (200 octets). Zones of distances and signals,
  ///     `estimate` and `silence` need links; zones of rooms do not.
  public init(site: Site, crowd: RateLimit = AdmissionLimits().transitions, keepsLinks: Bool = true) {
    self.crowd = crowd
    self.keepsLinks = keepsLinks
    self.site = site
    let positions = site.receivers.values.count { $0.position != nil }
    rules = SiteRules(
      zones: site.zones.map { ZoneRules($0) }, isLocating: keepsLinks && positions >= Int(Locator.quorum))
    insiders = site.zones.map { _ in [] }
    hasRoomZones = site.zones.contains { $0.rooms != nil }
    guard keepsLinks else { return }
    places = PlaceBeliefs(site) { receiver, configured in
      Receiver(site.receivers[receiver] ?? site.calibration)
        .power(frame: nil, configured: configured.map { Float($0) })
    }
  }

  /// Starts tracking a beacon. A second call can only add zones.
  ///
  /// - Parameters:
  ///   - zones: the zones that include it; unknown ones are ignored.
  ///   - measuredPower: RSSI at 1 m in dBm from the configuration; it overrides the frames' value.
  ///   - isInventable: whether anybody can make up a beacon like it.
  ///   - isNewcomer: whether it was heard for the first time. Its first enter and near never wait for the crowd. The caller limits
  ///     the number of newcomers.
  ///
  /// Sightings of a beacon that was never admitted are ignored. Use dense beacon indices: memory grows with the largest one.
  public mutating func admit(
    _ beacon: BeaconIndex, zones: [ZoneIndex], measuredPower: Double? = nil, isInventable: Bool = false,
    isNewcomer: Bool = false
  ) {
    let index = Int(beacon.rawValue)
    guard index >= 0 else { return }
    while beacons.count <= index {
      beacons.append(BeaconRecord())
      queue.add()
    }
    let known = rules.zones.indices
    let isKnown = { (zone: ZoneIndex) in known.contains(Int(zone.rawValue)) }
    let zones = zones.allSatisfy(isKnown) ? zones : zones.filter(isKnown)
    if beacons[index].isAdmitted { return join(zones, index) }
    beacons[index].isAdmitted = true
    beacons[index].isInventable = isInventable
    beacons[index].freeTurns = isNewcomer ? TransitionPace.newcomersTurns : 0
    beacons[index].measuredPower = measuredPower.map { Float($0) }
    beacons[index].zones = zones
  }

  private mutating func join(_ zones: [ZoneIndex], _ index: Int) {
    let beacon = BeaconIndex(rawValue: Int32(index))
    for zone in zones where !beacons[index].zones.contains(zone) {
      beacons[index].join(zone, rules)
      if let decision = decisions[beacon] { restore(decision, of: beacon) }
    }
  }

  /// Removes a beacon that is in no zone. Its index may then be reused.
  ///
  /// - Returns: false if it is not admitted or in a zone; then nothing changes.
  public mutating func retire(_ beacon: BeaconIndex) -> Bool {
    guard let index = admitted(beacon), zones(of: beacon).isEmpty else { return false }
    // A queued timer will find nothing to do.
    let queuedFor = beacons[index].queuedFor
    beacons[index] = BeaconRecord()
    beacons[index].queuedFor = queuedFor
    decisions[beacon] = nil
    places?.forget(index)
    return true
  }

  /// The index of an admitted beacon's record; nil: not admitted.
  func admitted(_ beacon: BeaconIndex) -> Int? {
    let index = Int(beacon.rawValue)
    return beacons.indices.contains(index) && beacons[index].isAdmitted ? index : nil
  }

  /// Processes a sighting. Deadlines up to its time (inclusive) are processed first, in order, even if the beacon is unknown.
  public mutating func observe(_ sighting: Sighting, into transitions: inout [Transition]) {
    advance(to: sighting.time, into: &transitions)
    guard let beacon = admitted(sighting.beacon) else { return }
    if !sight.isKnown(sighting.receiver) {
      beacons[beacon].note(sighting)
      meet(sighting.receiver, into: &transitions)
    }
    let due = beacons[beacon].hear(
      sighting, at: now, rules: rules, places: &places, keepsLinks: keepsLinks)
    if due <= now {
      settle(beacon, at: now, into: &transitions)
    } else if due < beacons[beacon].queuedFor {
      schedule(beacon, at: due)
    }
  }

  /// Processes every deadline up to `time` (inclusive), in order.
  public mutating func advance(to time: MonotonicTime, into transitions: inout [Transition]) {
    if queue.isDue(at: time) { happen(until: time, into: &transitions) }
    // The last time represents "never".
    now = max(now, min(time, MonotonicTime(nanoseconds: .max - 1)))
  }

  private mutating func happen(until time: MonotonicTime, into transitions: inout [Transition]) {
    while let (due, beacon) = queue.popFirst(notAfter: time) {
      now = max(now, due)
      beacons[Int(beacon)].queuedFor = Stay.never
      settle(Int(beacon), at: now, into: &transitions)
    }
  }

  /// When to call `advance` next; nil: not before another sighting. The time may be too early: call `advance`, then query it again.
  public var nextDeadline: MonotonicTime? { queue.first }

  /// Makes the beacon's timer fire for the first of its deadlines, or earlier.
  mutating func watch(_ beacon: Int) {
    let deadline = beacons[beacon].deadline(rules)
    if deadline < beacons[beacon].queuedFor { schedule(beacon, at: deadline) }
  }

  private mutating func schedule(_ beacon: Int, at time: MonotonicTime) {
    beacons[beacon].queuedFor = time
    queue.schedule(Int32(beacon), at: time)
  }

  /// Prefetches the records for the next sightings, so that these need not wait for memory.
  ///
  /// - Parameter likely: the beacons expected next. Those without a record are skipped.
  public func prefetch(_ likely: [BeaconIndex]) {
    for beacon in likely { beacons.prefetch(at: Int(beacon.rawValue)) }
  }
}

/// The state of the engine. It is read after `see`, because sight is not in it. Derived data are left out, too: the members of zones
/// and the queue of deadlines.
extension ZoneEngine: StateFields {
  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("now", &now)
    try coder("crowd", &crowd)
    try coder(tally: "held_transitions", &heldTransitions)
    try coder("held", &held, atMost: Self.heldLimit)
    try coder("rearmed_zones", &rearmedZones)
    try coder("silenced", &silenced)
    try coder("beacons", &beacons, atMost: coder.bounds.beacons)
    try coder("decisions", &decisions)
    if places != nil { try coder("places", &places!) }
    guard coder.isReading else { return }
    try coder.check(hasRoomZones || decisions.isEmpty)
    derive()
  }

  /// Restores the derived data from the records.
  private mutating func derive() {
    // Most beacons have the same list of zones as others, and share it.
    var lists: Set<[ZoneIndex]> = []
    for index in beacons.indices {
      queue.add()
      let queuedFor = beacons[index].queuedFor
      if queuedFor < Stay.never { queue.schedule(Int32(index), at: queuedFor) }
      for link in beacons[index].links { register(link.receiver) }
      beacons[index].zones = lists.insert(beacons[index].zones).memberAfterInsert
      beacons[index].countReceivers(rules)
      for stay in beacons[index].stays where stay.isInside {
        insiders[Int(stay.zone.rawValue)].insert(BeaconIndex(rawValue: Int32(index)))
      }
    }
  }
}

extension ZoneEngine {
  /// The clock was set.
  public mutating func correct(_ step: ClockStep) {
    for beacon in beacons.indices {
      beacons[beacon].wallOffset = step.moved(beacons[beacon].wallOffset)
      for stay in beacons[beacon].stays.indices {
        beacons[beacon].stays[stay].since = step.corrected(beacons[beacon].stays[stay].since)
      }
    }
  }
}

/// Blind receivers. While all receivers of a zone are blind, no beacon leaves it.
extension ZoneEngine {
  /// Shows the engine which receivers can hear. Deadlines up to `time` (inclusive) are processed first.
  public mutating func see(
    _ sight: ReceiverSight, at time: MonotonicTime, into transitions: inout [Transition]
  ) {
    advance(to: time, into: &transitions)
    let turned = sight.turned(since: self.sight)
    let relieved = self.sight.receivers(.doubted).filter { sight[$0] != .doubted }
    // Those that are still blind may have failed only in the time in which nothing could be heard.
    let isAllBack = self.sight.isBlind && !sight.isBlind
    let unheard = isAllBack ? sight.receivers(.blind) + sight.receivers(.unproven) : []
    self.sight = sight
    if sight.count > 0 { register(ReceiverIndex(rawValue: UInt16(sight.count - 1))) }
    for place in rules.receivers.indices {
      rules.receivers[place].isDoubted = sight[ReceiverIndex(rawValue: UInt16(place))] == .doubted
    }
    // Silence restarts also at a receiver that is blind from now on: it may come back soon, as a board that crashed does.
    for receiver in turned + unheard { restartSilence(at: receiver) }
    updateBlindZones(into: &transitions)
    for receiver in relieved where !sight.isBlind(receiver) {
      for beacon in beacons.indices where beacons[beacon].link(at: receiver) != nil {
        settle(beacon, at: now, into: &transitions)
      }
    }
  }

  public func isBlind(_ zone: ZoneIndex) -> Bool {
    rules.zones.indices.contains(Int(zone.rawValue)) && rules.zones[Int(zone.rawValue)].isBlind
  }

  /// Whether any receiver of the zone has reported.
  public func isWatched(_ zone: ZoneIndex) -> Bool {
    guard rules.zones.indices.contains(Int(zone.rawValue)) else { return false }
    if rules.zones[Int(zone.rawValue)].rooms != nil { return roomSight.isWatched }
    return sight.isWatched(rules.zones[Int(zone.rawValue)].receivers)
  }

  /// Adds a receiver that was heard before it was shown. Zones of all receivers may then no longer be blind.
  mutating func meet(_ receiver: ReceiverIndex, into transitions: inout [Transition]) {
    var sight = sight
    sight[receiver] = .sees
    see(sight, at: now, into: &transitions)
  }

  /// Prepares the calibrations of all receivers up to this one.
  mutating func register(_ receiver: ReceiverIndex) {
    while rules.receivers.count <= Int(receiver.rawValue) {
      let next = ReceiverIndex(rawValue: UInt16(rules.receivers.count))
      rules.receivers.append(Receiver(site.receivers[next] ?? site.calibration))
    }
  }

  /// Restarts the silence of all beacons at a receiver that has just failed or recovered, even in zones that other receivers kept
  /// watching.
  private mutating func restartSilence(at receiver: ReceiverIndex) {
    for beacon in beacons.indices {
      guard let link = beacons[beacon].link(at: receiver) else { continue }
      beacons[beacon].links[link].silentSince = now
      for stay in beacons[beacon].stays.indices
      where beacons[beacon].stays[stay].isOf(link)
        && (beacons[beacon].links[link].isCurrent || Int(beacons[beacon].stays[stay].lastLink) == link)
      {
        regainSight(beacon, stay, since: now)
      }
      watch(beacon)
    }
  }

  private mutating func updateBlindZones(into transitions: inout [Transition]) {
    var changed: Set<ZoneIndex> = []
    for zone in rules.zones.indices where rules.zones[zone].rooms == nil {
      let isBlind = sight.isBlind(rules.zones[zone].receivers)
      guard isBlind != rules.zones[zone].isBlind else { continue }
      rules.zones[zone].isBlind = isBlind
      changed.insert(ZoneIndex(rawValue: Int32(zone)))
    }
    if changed.isEmpty { return }
    for beacon in beacons.indices {
      for stay in beacons[beacon].stays.indices where changed.contains(beacons[beacon].stays[stay].zone) {
        if rules.zones[Int(beacons[beacon].stays[stay].zone.rawValue)].isBlind {
          beacons[beacon].stays[stay].interrupt()
          beacons[beacon].stays[stay].lostDeadline = Stay.never
        } else {
          regainSight(beacon, stay, since: now)
          settle(beacon, stay, at: now, into: &transitions)
        }
      }
      watch(beacon)
    }
  }

  /// Gives a beacon a full interval from `time` to be heard again.
  mutating func regainSight(_ beacon: Int, _ stay: Int, since time: MonotonicTime) {
    let silentSince = max(beacons[beacon].stays[stay].silentSince, time)
    beacons[beacon].stays[stay].silentSince = silentSince
    guard beacons[beacon].stays[stay].isInside else { return }
    if let lost = rules.zones[Int(beacons[beacon].stays[stay].zone.rawValue)].lost {
      beacons[beacon].stays[stay].lostDeadline = silentSince + lost
    } else if !beacons[beacon].isHeard(in: stay) {
      beacons[beacon].stays[stay].lostDeadline = beacons[beacon].patienceEnds(in: stay)
    }
  }
}
