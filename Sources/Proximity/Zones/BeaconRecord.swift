import Beacons
import Core

/// The engine's state of one beacon: the receivers that hear it and its standing in its zones.
struct BeaconRecord: Sendable {
  /// Maximum number of receivers per beacon: `Stay.links` has a bit for each. Further ones are ignored until one falls silent,
  /// except receivers that a zone names: invented ones must not keep them out.
  static let receiverLimit = 64
  /// If the beacon has this many receivers, a new one replaces a silent one.
  static let receiversKept = 16

  var measuredPower: Float?
  var isAdmitted = false
  var isInventable = false
  /// Number of transitions that need not wait for the crowd's pace.
  var freeTurns: UInt8 = 0
  /// The receiver of the newest sighting.
  var lastReceiver = ReceiverIndex(rawValue: 0)
  /// Wall time minus monotonic time at the newest sighting.
  var wallOffset = TimeSpan.zero
  /// Time of the newest sighting; the earliest possible time if there was none.
  var lastHeard = MonotonicTime(nanoseconds: .min)
  /// When the beacon's timer fires, or `Stay.never`. A copy of the queue's value, so that most sightings need not touch the queue.
  var queuedFor = Stay.never
  /// The zones that include it.
  var zones: [ZoneIndex] = []
  /// Oldest first. A replacement takes the place of the old link.
  var links: [Link] = []
  var stays: [Stay] = []
  /// nil: no receiver of known position heard it, or the site has too few.
  var locator: Locator?

  @inline(__always) mutating func note(_ sighting: Sighting) {
    lastReceiver = sighting.receiver
    wallOffset = sighting.wallTime - WallTime(nanoseconds: sighting.time.nanoseconds)
    lastHeard = sighting.time
  }

  /// The newest sighting's times and receiver. Wall times that are centuries off the monotonic time are not exact. nil: never
  /// heard, or heard at the earliest possible time.
  var lastSighting: LastSighting? {
    if lastHeard.nanoseconds == .min { return nil }
    return LastSighting(
      time: lastHeard, wallTime: WallTime(nanoseconds: lastHeard.nanoseconds) + wallOffset,
      receiver: lastReceiver)
  }

  /// Processes a sighting. It is ignored if its receiver has no link and none is free.
  ///
  /// - Parameter keepsLinks: whether links are stored.
  /// - Returns: the earliest changed deadline, or `Stay.never`.
  @inline(__always) mutating func hear(
    _ sighting: Sighting, at now: MonotonicTime, rules: borrowing SiteRules, places: inout PlaceBeliefs?,
    keepsLinks: Bool
  ) -> MonotonicTime {
    note(sighting)
    guard keepsLinks,
      let link = link(at: sighting.receiver)
        ?? add(Link(receiver: sighting.receiver, power: 0, time: now), rules)
    else { return Stay.never }
    let receiver = Int(sighting.receiver.rawValue)
    let news = links[link].hear(
      rssi: sighting.level,
      power: rules.receivers[receiver].power(frame: sighting.measuredPower, configured: measuredPower),
      decadesPerDecibel: rules.receivers[receiver].decadesPerDecibel, at: now)
    var isOpen = false
    if rules.isLocating {
      locate(
        link, Int(sighting.beacon.rawValue), rssi: sighting.level, news: news, at: now,
        rules.receivers[receiver],
        &places)
      isOpen = places?.isOpen(Int(sighting.beacon.rawValue)) == true
    }
    var next = links[link].silenceDeadline
    for index in stays.indices where stays[index].isOf(link) {
      let zone = Int(stays[index].zone.rawValue)
      let lost = rules.zones[zone].lost
      stays[index].lastLink = Int8(link)
      stays[index].lastReceiver = sighting.receiver
      stays[index].silentSince = now
      stays[index].lostDeadline = lost.map { now + $0 } ?? Stay.never
      if !isOpen,
        let standing = rules.zones[zone].standing(of: nearest(stays[index].links, lost: lost, at: now))
      {
        stays[index].stand(standing, at: now)
      }
      next = min(
        next, stays[index].deadline(dwells: rules.zones[zone].dwells, isBlind: rules.zones[zone].isFrozen))
    }
    return next
  }

  /// If enough receivers of known position hear the beacon, replaces this link's distance by one from the joint position.
  private mutating func locate(
    _ link: Int, _ beacon: Int, rssi: Int8?, news: Link.News, at time: MonotonicTime, _ receiver: Receiver,
    _ places: inout PlaceBeliefs?
  ) {
    guard let position = receiver.calibration.position else { return }
    var located = locator ?? Locator()
    defer { locator = located }
    let power = links[link].power
    if news.isReturning {
      if located.receivers == 0 {
        let decades = (power - Float(rssi ?? -80)) * receiver.decadesPerDecibel
        located.restart(at: position, logDistance: decades, time: time)
      }
      located.receivers += 1
    }
    guard news.isOfSignal, let rssi else { return }
    let number = Int(links[link].receiver.rawValue)
    if places?.hear(beacon, at: number, level: Float(rssi), power: power, time: time) == true {
      guard located.isUsable, let found = places?.logDistances(of: beacon, to: number) else { return }
      // `Lines` subtracts or adds the margin; the results are the two quantiles.
      links[link].margin = (found.within - found.median) / 2
      links[link].logDistance = found.median + links[link].margin
      links[link].isLocated = true
      return
    }
    located.add(
      rssi: Double(rssi), position: position, power: Double(power), exponent: receiver.calibration.exponent,
      deviation: receiver.calibration.deviation, time: time)
    guard located.isUsable else { return }
    links[link].logDistance = located.logDistance(to: position)
    // The joint position needs no margin: the more likely side decides.
    links[link].margin = 0
    links[link].isLocated = true
  }
}

/// Links and stays.
extension BeaconRecord {
  /// The index of the link with a receiver; nil: none, or it was replaced.
  @inline(__always) func link(at receiver: ReceiverIndex) -> Int? {
    for link in links.indices.reversed() where links[link].receiver == receiver { return link }
    return nil
  }

  /// Adds a link. It may replace the link that was silent for longest.
  ///
  /// - Returns: the index of the link; nil if none is free.
  mutating func add(_ link: Link, _ rules: borrowing SiteRules) -> Int? {
    let index: Int
    if links.count >= Self.receiversKept, let silent = longestSilent ?? leastNamed(for: link, rules) {
      for stay in stays.indices {
        stays[stay].links &= ~(1 << UInt64(silent))
        if Int(stays[stay].lastLink) == silent { stays[stay].lastLink = -1 }
      }
      links[silent] = link
      index = silent
    } else {
      guard links.count < Self.receiverLimit else { return nil }
      index = links.count
      links.append(link)
    }
    for zone in zones where rules.zones[Int(zone.rawValue)].counts(link.receiver) {
      attach(index, to: zone)
    }
    return index
  }

  private var longestSilent: Int? {
    links.indices.lazy.filter { !links[$0].isCurrent }.min { links[$0].lastHeard < links[$1].lastHeard }
  }

  /// The link to replace if all are in use and a zone of the beacon names the new link's receiver: one whose
  /// receiver no zone names. nil: there is none.
  private func leastNamed(for link: Link, _ rules: borrowing SiteRules) -> Int? {
    guard links.count >= Self.receiverLimit, isNamed(link.receiver, rules) else { return nil }
    for index in links.indices where !isNamed(links[index].receiver, rules) { return index }
    return nil
  }

  private func isNamed(_ receiver: ReceiverIndex, _ rules: borrowing SiteRules) -> Bool {
    for zone in zones {
      if let named = rules.zones[Int(zone.rawValue)].receivers, named.contains(receiver) { return true }
    }
    return false
  }

  /// Makes the link count in the zone.
  private mutating func attach(_ link: Int, to zone: ZoneIndex) {
    let stay = makeStay(in: zone, at: links[link].receiver, time: links[link].lastHeard)
    stays[stay].links |= 1 << UInt64(link)
  }

  /// Adds the beacon to another zone, with its existing links.
  mutating func join(_ zone: ZoneIndex, _ rules: borrowing SiteRules) {
    zones.append(zone)
    for link in links.indices where rules.zones[Int(zone.rawValue)].counts(links[link].receiver) {
      attach(link, to: zone)
    }
  }

  func stay(in zone: ZoneIndex) -> Int? { stays.firstIndex { $0.zone == zone } }

  /// The index of the stay in a zone. Adds one if needed.
  mutating func makeStay(in zone: ZoneIndex, at receiver: ReceiverIndex, time: MonotonicTime) -> Int {
    if let known = stay(in: zone) { return known }
    stays.append(Stay(zone: zone, receiver: receiver, time: time))
    return stays.count - 1
  }

  /// The best values of the selected links that hear the beacon; see `Nearest`.
  @inline(__always) func nearest(_ mask: UInt64, lost: TimeSpan? = nil, at time: MonotonicTime) -> Nearest {
    Nearest(of: links.span, mask, lost: lost, at: time)
  }

  /// Whether any receiver of a stay still hears the beacon.
  func isHeard(in stay: Int) -> Bool {
    links.indices.contains { stays[stay].isOf($0) && links[$0].isCurrent }
  }

  /// The time at which a stay is lost with `lost: auto`. The receiver with the longest interval decides.
  func patienceEnds(in stay: Int) -> MonotonicTime {
    let silentSince = stays[stay].silentSince
    var patience = TimeSpan.zero
    var lastHeard = MonotonicTime(nanoseconds: .min)
    for link in links.indices where stays[stay].isOf(link) {
      lastHeard = max(lastHeard, links[link].lastHeard)
      patience = max(patience, links[link].interval.lost)
    }
    // No blind period since the last reception, so each receiver has already waited long enough.
    if silentSince <= lastHeard { return silentSince }
    return silentSince + max(patience, IntervalEstimator.unlearnt)
  }

  /// The earliest deadline of the beacon, or `Stay.never`.
  func deadline(_ rules: borrowing SiteRules) -> MonotonicTime {
    var next = Stay.never
    for link in links where link.isCurrent && !rules.receivers[Int(link.receiver.rawValue)].isDoubted {
      next = min(next, link.silenceDeadline)
    }
    for stay in stays {
      let zone = Int(stay.zone.rawValue)
      next = min(next, stay.deadline(dwells: rules.zones[zone].dwells, isBlind: rules.zones[zone].isFrozen))
    }
    return next
  }
}

extension BeaconRecord {
  /// Counts the receivers of known position that hear the beacon.
  mutating func countReceivers(_ rules: borrowing SiteRules) {
    if locator == nil { return }
    var count: UInt16 = 0
    for link in links
    where link.isCurrent && rules.receivers[Int(link.receiver.rawValue)].calibration.position != nil {
      count += 1
    }
    locator?.receivers = count
  }
}

extension BeaconRecord: StateElement {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("measured_power", &measuredPower)
    try coder("is_admitted", &isAdmitted)
    try coder("is_inventable", &isInventable)
    try coder("free_turns", &freeTurns)
    try coder("queued_for", &queuedFor)
    try coder("zones", &zones)
    try fieldsOfHearing(&coder)
    try coder.check(isAdmitted || zones.isEmpty && links.isEmpty && stays.isEmpty)
  }

  /// The fields that result from sightings. The others follow from the configuration.
  mutating func fieldsOfHearing(_ coder: inout StateCoder) throws(StateError) {
    var heardBy = lastHeard.nanoseconds == .min ? nil : lastReceiver
    try coder("links", &links, atMost: Self.receiverLimit)
    try coder("stays", &stays)
    try coder("locator", &locator)
    try coder(offset: "wall_offset", &wallOffset)
    try coder("last_heard", &lastHeard)
    try coder("last_receiver", &heardBy)
    guard coder.isReading else { return }
    if let heardBy {
      lastReceiver = heardBy
    } else {
      // The receiver no longer exists; the newest of the other links counts.
      let newest = links.max { $0.lastHeard < $1.lastHeard }
      lastReceiver = newest?.receiver ?? ReceiverIndex(rawValue: 0)
      lastHeard = newest?.lastHeard ?? MonotonicTime(nanoseconds: .min)
    }
    try coder.check(Set(stays.map(\.zone)).count == stays.count)
    try coder.check(
      stays.allSatisfy {
        $0.links.leadingZeroBitCount >= 64 - links.count && (-1..<links.count).contains(Int($0.lastLink))
      })
  }
}

extension Sighting {
  /// Signal in dBm; nil if missing or invalid (Core Specification, Vol 4, Part E, 7.7.65.2).
  var level: Int8? { rssi.flatMap { (-127...20).contains($0) ? $0 : nil } }
}

/// The state of one beacon in one zone.
///
/// Every sighting reads it, so it has a fixed size and no optionals.
struct Stay: Hashable, Sendable {
  /// Represents "no time". It is later than every real time.
  static var never: MonotonicTime { MonotonicTime(nanoseconds: .max) }

  var zone: ZoneIndex
  var isInside = false
  /// Whether near may fire.
  var isArmed = true
  /// Whether near must be re-armed. A sighting sets it; `settle` clears it at once.
  var isRearmDue = false
  /// Whether an enter or near is held back, and whether that was ever reported.
  var isHeld = false
  var isHoldTold = false
  /// Whether a turn in the crowd is reserved at `heldUntil`.
  var hasTurn = false
  /// When it entered.
  var since = WallTime(nanoseconds: 0)
  /// Since when each threshold has been met without a break; `never` if not met.
  var nearSince = Self.never
  var enterSince = Self.never
  var exitSince = Self.never
  /// Start of the silence in the zone: the last sighting, or a later recovery of the zone from blindness.
  var silentSince: MonotonicTime
  /// When the beacon leaves because of silence; `never` while a receiver hears it.
  var lostDeadline = Self.never
  /// Enter and near are held back until this time because they were too frequent; the earliest time if not.
  var heldUntil = MonotonicTime(nanoseconds: .min)
  /// The beacon's links that count for the zone, one bit each. Zones of rooms use none.
  var links: UInt64 = 0
  /// The link and receiver of the last sighting. The link is −1 once it was replaced.
  var lastLink: Int8 = -1
  var lastReceiver: ReceiverIndex

  init(zone: ZoneIndex, receiver: ReceiverIndex, time: MonotonicTime) {
    self.zone = zone
    lastReceiver = receiver
    silentSince = time
  }

  func isOf(_ link: Int) -> Bool { links & (1 << UInt64(link)) != 0 }

  /// Records the standing from `time` on.
  @inline(__always) mutating func stand(_ standing: Standing, at time: MonotonicTime) {
    func start(_ since: MonotonicTime, isMet: Bool) -> MonotonicTime {
      isMet ? (since == Self.never ? time : since) : Self.never
    }
    nearSince = start(nearSince, isMet: standing.contains(.near))
    enterSince = start(enterSince, isMet: standing.contains(.entered))
    // Thresholds in different units may contradict each other; the nearer one wins.
    let isAway = standing.contains(.away) && standing.isDisjoint(with: [.near, .entered])
    exitSince = start(exitSince, isMet: isAway)
    isRearmDue = !isArmed && standing.contains(.rearmed) && !standing.contains(.near)
  }

  /// The event due at `time`, the first of several.
  ///
  /// If `isBlind`, the zone is blind and the beacon cannot leave.
  func due(at time: MonotonicTime, dwells: Dwells, isBlind: Bool) -> Due {
    if isRearmDue { return .rearm }
    if !isBlind, isInside {
      if lostDeadline <= time { return .lost }
      if exitSince + dwells.exit <= time { return .exit }
    }
    let isNear = isArmed && nearSince + dwells.near <= time
    guard isNear || (!isInside && enterSince + dwells.enter <= time) else { return .nothing }
    if heldUntil > time { return .held }
    return isNear ? (isInside ? .near : .enterAndNear) : .enter
  }

  enum Due {
    case nothing, enter, near, enterAndNear, exit, lost, rearm, held

    /// Whether it is limited by `TransitionPace`.
    var isComing: Bool { self == .enter || self == .near || self == .enterAndNear }
  }

  /// When `due` will return an event without further sightings; or `never`.
  @inline(__always) func deadline(dwells: Dwells, isBlind: Bool) -> MonotonicTime {
    if isRearmDue { return silentSince }
    var coming = isInside ? Self.never : enterSince + dwells.enter
    if isArmed { coming = min(coming, nearSince + dwells.near) }
    // A new hold is recorded at the time of the event itself.
    if isHeld { coming = max(coming, heldUntil) }
    return isInside && !isBlind ? min(coming, lostDeadline, exitSince + dwells.exit) : coming
  }

  /// Ends all dwell times, because the thresholds can no longer be checked.
  mutating func interrupt() {
    nearSince = Self.never
    enterSince = Self.never
    exitSince = Self.never
  }

  /// Counts an enter or near against the pace.
  mutating func spend(at time: MonotonicTime) {
    let burst = TransitionPace.interval.times(TransitionPace.burst - 1)
    heldUntil = max(heldUntil, time - burst) + TransitionPace.interval
    isHeld = false
  }

  mutating func rearm() {
    isArmed = true
    isRearmDue = false
  }

  mutating func leave() {
    isInside = false
    rearm()
    lostDeadline = Self.never
    exitSince = Self.never
  }
}

extension Stay: StateElement {
  init() { self.init(zone: ZoneIndex(rawValue: 0), receiver: ReceiverIndex(rawValue: 0), time: .zero) }

  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("zone", &zone)
    try coder("is_inside", &isInside)
    try coder("is_armed", &isArmed)
    try coder("is_rearm_due", &isRearmDue)
    try coder("is_held", &isHeld)
    try coder("is_hold_told", &isHoldTold)
    try coder("has_turn", &hasTurn)
    try coder("since", &since)
    try coder("near_since", &nearSince)
    try coder("enter_since", &enterSince)
    try coder("exit_since", &exitSince)
    try coder("silent_since", &silentSince)
    try coder("lost_deadline", &lostDeadline)
    try coder("held_until", &heldUntil)
    var heardBy = Optional(lastReceiver)
    try coder("links", &links)
    try coder("last_link", &lastLink)
    try coder("last_receiver", &heardBy)
    if let heardBy { lastReceiver = heardBy }
    guard coder.isReading, coder.heirs != nil else { return }
    // The record's links are restored separately and may differ.
    links = 0
    lastLink = -1
  }
}
