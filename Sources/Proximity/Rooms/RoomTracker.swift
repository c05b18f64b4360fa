import Beacons
import Core

/// Estimates the room of each beacon of a site. The result depends only on sightings and time.
public struct RoomTracker: Sendable {
  let plan: RoomPlan
  /// All receivers.
  let everyone: HearerSet
  let model: RoomModel
  /// Fingerprint of the maps with which beacons' strengths are learnt.
  let maps: UInt64
  var filter = RoomFilter()
  var placeAndPower = PlaceAndPower()
  var appearance = Appearance()
  /// By `ReceiverIndex`: its index among the hearers, or −1.
  private var hearers: [Int16]
  var windows: RoomWindows
  /// By `BeaconIndex`: its track, or −1.
  var trackOfBeacon: [Int32] = []
  var tracks: [RoomTrack] = []
  var beaconOfTrack: [BeaconIndex] = []
  /// Tracks of retired beacons, for reuse.
  var freeTracks: [Int32] = []
  var beliefs: RoomBeliefs
  var held: HeldLevels
  var silences = DeadlineQueue()
  /// Hearers that are blind; see `ReceiverSight`.
  var blind = HearerSet()
  /// Hearers whose silence proves nothing though they are not blind.
  private var doubted = HearerSet()
  /// Hearers that have reported.
  var known = HearerSet()
  /// By hearer: the end of the newest window in which it heard any beacon. Where silence counts as evidence,
  /// unknown beacons count, too.
  var lastWords: [MonotonicTime]
  var pauses: ReceiverPauses
  /// By room: the beacons in it, and since when.
  var insiders: [[BeaconIndex: WallTime]]
  /// Beacons whose estimate may have changed; read with `takeChanged`.
  var changed: Set<BeaconIndex> = []
  var entries: [RoomWindows.Entry] = []
  var hearings: [RoomHearing] = []
  public internal(set) var now = MonotonicTime(nanoseconds: .min)
  /// The places of the belief of the beacon being judged; nil: those of the model.
  var nearby: NearbyRooms?
  /// Probability of each room for the beacon being judged: of all rooms, or of those in `nearby`.
  var sums: [Float] = []
  /// `drift` and `leaveOneOut` learn only in calibrated rooms.
  var drift: ReceiverDrift
  var leaveOneOut: LeaveOneOut
  /// Learn only in uncalibrated rooms, the second only with outlines.
  var gains: ReceiverGains
  var fittedGains: FittedGains

  /// - Parameters:
  ///   - calibration: nil: nothing was measured.
  ///   - rooms: names, by `RoomIndex`.
  ///   - receivers: names, as `plan.hearers`.
  ///   - floors: names, by floor.
  ///   - lateness: how late a sighting may arrive and still count.
  public init(
    _ plan: RoomPlan, calibration: RoomCalibration? = nil, rooms: [String] = [], receivers: [String] = [],
    floors: [String?] = [], lateness: TimeSpan = .zero
  ) {
    self.init(
      plan, RoomModel(plan, calibration, rooms: rooms, receivers: receivers, floors: floors),
      lateness: lateness)
  }

  init(_ plan: RoomPlan, _ model: RoomModel, lateness: TimeSpan = .zero) {
    self.plan = plan
    everyone = HearerSet(plan.hearers.indices)
    self.model = model
    maps = model.fingerprint
    beliefs = RoomBeliefs(model)
    held = HeldLevels(hearers: plan.hearers.count)
    hearers = [Int16](repeating: -1, count: (plan.hearers.map { Int($0.receiver.rawValue) }.max() ?? -1) + 1)
    for (place, hearer) in plan.hearers.enumerated() { hearers[Int(hearer.receiver.rawValue)] = Int16(place) }
    windows = RoomWindows(lateness: lateness)
    lastWords = plan.hearers.map { _ in MonotonicTime(nanoseconds: .min) }
    pauses = ReceiverPauses(hearers: plan.hearers.count)
    insiders = plan.rooms.map { _ in [:] }
    gains = ReceiverGains(plan, model.grid)
    fittedGains = FittedGains(plan, model)
    let calibrated = model.isCalibrated ? plan.hearers.count : 0
    drift = ReceiverDrift(hearers: calibrated, rooms: plan.rooms.count)
    leaveOneOut = LeaveOneOut(hearers: calibrated)
    if model.keepsNearby { nearby = NearbyRooms() }
  }

  /// Maximum memory of all beliefs, octets. Further beacons are in no room.
  private static let beliefLimit = 64 << 20

  /// Advertisements that were dropped because they came too late or there were too many beacons.
  public var droppedSightings: UInt64 { windows.dropped + refused }
  var refused: UInt64 = 0

  /// Processes a sighting. The caller must have advanced to its time before.
  ///
  /// - Parameter isInventable: whether anybody can make up a beacon like it. A quarter of the places is
  ///   reserved for other beacons.
  public mutating func observe(_ sighting: Sighting, isInventable: Bool = false) {
    guard let hearer = hearer(sighting.receiver) else { return }
    known.insert(hearer)
    // Unknown beacons prove that a receiver works.
    if sighting.beacon == .nobody, model.hearability != nil {
      noteWord(hearer, in: RoomWindows.window(of: sighting.time))
    }
    guard sighting.beacon != .nobody, let level = sighting.rssi, (-127...20).contains(level) else { return }
    guard let track = track(of: sighting.beacon, isInventable: isInventable) else {
      refused += 1
      return
    }
    tracks[track].wallOffset = sighting.wallTime - WallTime(nanoseconds: sighting.time.nanoseconds)
    windows.add(Int32(track), hearer: hearer, level: level, at: sighting.time, now: now)
  }

  /// When to call `advance` next; nil: not before another sighting.
  public var nextDeadline: MonotonicTime? {
    guard let due = windows.due else { return silences.first }
    return min(due, silences.first ?? due)
  }

  /// Processes everything due up to `time` (inclusive), in order.
  public mutating func advance(to time: MonotonicTime, into transitions: inout [RoomTransition]) {
    while let next = nextDeadline, next <= time {
      now = max(now, next)
      if let due = windows.due, due == next {
        judgeWindow(into: &transitions)
      } else if let (due, timer) = silences.popFirst(notAfter: next) {
        fallSilent(Int(timer), at: max(due, now), into: &transitions)
      }
    }
    now = max(now, time)
  }

  func hearer(_ receiver: ReceiverIndex) -> Int? {
    let index = Int(receiver.rawValue)
    guard index < hearers.count, hearers[index] >= 0 else { return nil }
    return Int(hearers[index])
  }

  /// How many beacons can be in rooms.
  var beaconLimit: Int {
    Self.beliefLimit / (beliefs.size + held.size + leaveOneOut.size)
  }

  func beacon(of track: Int) -> BeaconIndex { beaconOfTrack[track] }

  /// The track of a beacon; nil: never heard.
  func knownTrack(of beacon: BeaconIndex) -> Int? {
    let index = Int(beacon.rawValue)
    guard trackOfBeacon.indices.contains(index), trackOfBeacon[index] >= 0 else { return nil }
    return Int(trackOfBeacon[index])
  }

  /// nil: there are too many beacons.
  mutating func track(of beacon: BeaconIndex, isInventable: Bool = false) -> Int? {
    if let known = knownTrack(of: beacon) { return known }
    let limit = isInventable ? beaconLimit - beaconLimit / 4 : beaconLimit
    guard tracks.count - freeTracks.count < limit else { return nil }
    while trackOfBeacon.count <= Int(beacon.rawValue) { trackOfBeacon.append(-1) }
    let track: Int
    if let free = freeTracks.popLast() {
      track = Int(free)
      tracks[track] = RoomTrack()
      beaconOfTrack[track] = beacon
      beliefs.reset(track)
      held.reset(track)
      leaveOneOut.reset(track)
    } else {
      track = tracks.count
      reserveTrack()
      tracks.append(RoomTrack())
      beaconOfTrack.append(beacon)
      beliefs.append()
      held.append()
      leaveOneOut.append()
      silences.add()
    }
    trackOfBeacon[Int(beacon.rawValue)] = Int32(track)
    return track
  }

  /// Grows arrays by an eighth. Doubling would waste too much memory with long beliefs.
  mutating func reserveTrack() {
    // Either may have more capacity than requested.
    guard tracks.count == tracks.capacity || !beliefs.hasRoom else { return }
    let count = tracks.count + tracks.count / 8 + 8
    tracks.reserveCapacity(count)
    beliefs.reserve(count)
    held.reserve(count)
    leaveOneOut.reserve(count)
  }

  /// Removes a beacon that is in no room; returns false if it is in one.
  public mutating func retire(_ beacon: BeaconIndex) -> Bool {
    guard let track = knownTrack(of: beacon) else { return true }
    guard tracks[track].told < 0 else { return false }
    trackOfBeacon[Int(beacon.rawValue)] = -1
    freeTracks.append(Int32(track))
    tracks[track] = RoomTrack()
    return true
  }

  /// A copy with new beacon indices. Beacons whose new index is nil are removed.
  public func renumbered(_ heirs: [BeaconIndex?]) -> RoomTracker {
    var next = self
    next.trackOfBeacon = []
    next.insiders = insiders.map { _ in [:] }
    next.changed = Set(changed.compactMap { heirs[Int($0.rawValue)] })
    // Two beacons may be merged. The one in a room is kept; if both were in rooms, one has left before.
    var freed: Set<Int32> = []
    let order = tracks.indices.filter { tracks[$0].told >= 0 } + tracks.indices.filter { tracks[$0].told < 0 }
    for track in order where knownTrack(of: beaconOfTrack[track]) == track {
      guard let heir = heirs[Int(beaconOfTrack[track].rawValue)], next.knownTrack(of: heir) == nil else {
        next.freeTracks.append(Int32(track))
        next.tracks[track] = RoomTrack()
        freed.insert(Int32(track))
        continue
      }
      while next.trackOfBeacon.count <= Int(heir.rawValue) { next.trackOfBeacon.append(-1) }
      next.trackOfBeacon[Int(heir.rawValue)] = Int32(track)
      next.beaconOfTrack[track] = heir
      if tracks[track].told >= 0 { next.insiders[Int(tracks[track].told)][heir] = tracks[track].since }
    }
    if !freed.isEmpty { next.windows.drop(freed) }
    return next
  }
}

/// The state of all beacons in the rooms. It is read after `see`, because sight is not in it. Derived data are left out, too: the
/// members of rooms and the tracks of beacons.
extension RoomTracker: StateFields {
  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    coder.bounds.rooms = roomCount
    try coder("now", &now)
    try coder(each: "last_words", &lastWords)
    try coder(tally: "refused", &refused)
    if coder.isReading {
      for _ in 0..<(try coder.count()) { try readTrack(&coder) }
    } else {
      coder.count(tracks.count)
      for track in tracks.indices { write(track, to: &coder) }
    }
    try coder("free_tracks", &freeTracks)
    if coder.isReading { try deriveTracks(coder) }
    try windows.fields(&coder, tracks: tracks.count, hearers: plan.hearers.count)
    try coder("drift", &drift)
    try coder("gains", &gains)
    try coder("fitted_gains", &fittedGains)
    try coder("pauses", &pauses)
  }

  private func write(_ track: Int, to coder: inout StateCoder) {
    coder.write(beaconOfTrack[track])
    coder.write(tracks[track])
    coder.write(silences.time(of: Int32(track)) ?? .distantFuture)
    beliefs.write(track, to: &coder)
    held.write(track, to: &coder)
    leaveOneOut.write(track, to: &coder)
  }

  private mutating func readTrack(_ coder: inout StateCoder) throws(StateError) {
    reserveTrack()
    beaconOfTrack.append(try coder.read())
    let track: RoomTrack = try coder.read()
    try coder.check(track.recentHearers.isSubset(of: everyone))
    silences.add()
    let silence: MonotonicTime = try coder.read()
    if silence < .distantFuture { silences.schedule(Int32(tracks.count), at: silence) }
    tracks.append(track)
    try beliefs.append(from: &coder)
    try held.append(from: &coder)
    try leaveOneOut.append(from: &coder)
  }

  private mutating func deriveTracks(_ coder: borrowing StateCoder) throws(StateError) {
    var isFree = [Bool](repeating: false, count: tracks.count)
    for track in freeTracks {
      guard isFree.indices.contains(Int(track)), !isFree[Int(track)], tracks[Int(track)].told < 0 else {
        throw coder.damaged
      }
      isFree[Int(track)] = true
    }
    trackOfBeacon = [Int32](repeating: -1, count: coder.bounds.beacons)
    for track in tracks.indices where !isFree[track] {
      let beacon = beaconOfTrack[track]
      guard trackOfBeacon[Int(beacon.rawValue)] < 0 else { throw coder.damaged }
      trackOfBeacon[Int(beacon.rawValue)] = Int32(track)
      if tracks[track].told >= 0 { insiders[Int(tracks[track].told)][beacon] = tracks[track].since }
    }
  }
}

/// Silent beacons and blind receivers.
extension RoomTracker {
  /// A beacon leaves its room after an unusually long silence, unless its room or its best receiver is blind.
  mutating func fallSilent(_ track: Int, at time: MonotonicTime, into transitions: inout [RoomTransition]) {
    guard tracks[track].lastHeard.nanoseconds != .min, !tracks[track].isFrozen else { return }
    let deadline = tracks[track].silenceDeadline
    if deadline > time {
      silences.schedule(Int32(track), at: deadline)
      return
    }
    if isInBlindRoom(track) || isHeardBest(track, by: blind) {
      tracks[track].isFrozen = true
      return
    }
    if !tracks[track].recentHearers.intersection(doubted).isEmpty {
      return silences.schedule(Int32(track), at: time + Self.doubtPause)
    }
    leave(track, at: time, because: nil, into: &transitions)
    changed.insert(beacon(of: track))
    // It may appear anywhere next.
    beliefs.reset(track)
    held.reset(track)
    tracks[track].window = nil
    tracks[track].hearers = HearerSet()
    tracks[track].earlierHearers = HearerSet()
  }

  /// After a silence that proves nothing, the beacon is judged again this much later.
  private static let doubtPause = TimeSpan.seconds(1)

  /// Only the best receiver counts. The others may have lost the beacon for any reason.
  private func isHeardBest(_ track: Int, by hearers: HearerSet) -> Bool {
    hearer(tracks[track].lastReceiver).map {
      hearers.contains($0) && tracks[track].recentHearers.contains($0)
    } ?? false
  }

  /// A room that can no longer be reported, because its calibration was removed, keeps no beacon.
  private func isInBlindRoom(_ track: Int) -> Bool {
    guard tracks[track].told >= 0 else { return false }
    let room = RoomIndex(rawValue: tracks[track].told)
    return !isUnmeasured(room) && isBlind(room)
  }

  private mutating func leave(
    _ track: Int, at time: MonotonicTime, because reason: Evidence.Reason?,
    into transitions: inout [RoomTransition]
  ) {
    let room = Int(tracks[track].told)
    guard room >= 0 else { return }
    let wallTime = tracks[track].wallTime(at: time)
    let beacon = beacon(of: track)
    transitions.append(
      RoomTransition(
        event: .exit, room: RoomIndex(rawValue: Int32(room)), beacon: beacon, time: time, wallTime: wallTime,
        probability: nil, evidence: [], receiver: tracks[track].lastReceiver, reason: reason))
    tracks[track].told = -1
    tracks[track].since = wallTime
    tracks[track].outside = OutsideLevel()
    insiders[room][beacon] = nil
  }

  /// Removes a beacon from its room because of a change of the configuration.
  public mutating func leave(
    _ beacon: BeaconIndex, because reason: Evidence.Reason, at time: MonotonicTime,
    into transitions: inout [RoomTransition]
  ) {
    guard let track = knownTrack(of: beacon) else { return }
    leave(track, at: time, because: reason, into: &transitions)
  }

  /// Shows the tracker which receivers can hear. The beacons of those that can hear again get time to be heard.
  public mutating func see(_ sight: ReceiverSight, at time: MonotonicTime) {
    let wasBlind = blind
    (blind, doubted) = (HearerSet(), HearerSet())
    for (hearer, place) in plan.hearers.enumerated() {
      if sight.isKnown(place.receiver) { known.insert(hearer) }
      if sight.isBlind(place.receiver) { blind.insert(hearer) }
      if sight[place.receiver] == .doubted { doubted.insert(hearer) }
    }
    let regained = wasBlind.subtracting(blind)
    if regained.isEmpty { return }
    for track in tracks.indices
    where !tracks[track].recentHearers.intersection(regained).isEmpty
      || tracks[track].isFrozen && !isInBlindRoom(track)
    {
      tracks[track].isFrozen = false
      tracks[track].silentSince = max(tracks[track].silentSince, time)
      silences.schedule(Int32(track), at: tracks[track].silenceDeadline)
    }
  }
}

/// Detects receivers that fail without being reported as blind.
extension RoomTracker {
  /// Judges a window of a beacon whose room's receivers may have failed.
  mutating func sense(_ track: Int, at time: MonotonicTime) -> OutsideLevel.Sense {
    let told = Int(tracks[track].told)
    guard model.grid == nil, told >= 0 else { return .usual }
    let residents = model.access.residents[told].subtracting(drift.elsewhere)
    guard !residents.isEmpty else { return .usual }
    var (isHome, strongest) = (false, Float?.none)
    for hearing in hearings where !hearing.isDoubtful {
      if residents.contains(hearing.hearer) {
        isHome = true
      } else {
        strongest = max(strongest ?? hearing.level, hearing.level)
      }
    }
    return tracks[track].outside.note(
      strongest, isHome: isHome, isMute: !isHome && areMute(residents, at: time))
  }

  /// Whether none of these receivers reports any beacon.
  private func areMute(_ hearers: HearerSet, at time: MonotonicTime) -> Bool {
    var areMute = true
    hearers.subtracting(blind).forEach { hearer in
      if lastWords[hearer] + Self.silenceOfAFailure >= time { areMute = false }
    }
    return areMute
  }

  /// A receiver that hears no beacon for this long may have failed.
  private static let silenceOfAFailure = TimeSpan.seconds(3)
}
