import Beacons
import Core

/// The current state of the rooms.
extension RoomTracker {
  public var roomCount: Int { plan.rooms.count }

  /// Beacons whose estimate may have changed since the last call.
  public mutating func takeChanged() -> [BeaconIndex] {
    defer { changed.removeAll(keepingCapacity: true) }
    return changed.sorted { $0.rawValue < $1.rawValue }
  }

  /// Whether any receiver of the rooms has reported.
  public var isWatched: Bool { !known.isEmpty }

  /// Whether a room is blind: all receivers are, or, without outlines, all receivers in the room, also if none of them was ever
  /// heard and nothing was measured. A room without outline and receivers is blind until it was measured.
  public func isBlind(_ room: RoomIndex) -> Bool {
    if isUnmeasured(room) { return true }
    var deciding = known
    if model.grid == nil {
      let residents = model.access.residents[Int(room.rawValue)]
      let heard = residents.intersection(known)
      if heard.isEmpty, !residents.isEmpty, !isCalibrated { return true }
      if !heard.isEmpty { deciding = heard }
    }
    return !deciding.isEmpty && deciding.isSubset(of: blind)
  }

  /// Whether nothing shows that a beacon is in a room: it has neither outline nor receivers, and was not measured.
  func isUnmeasured(_ room: RoomIndex) -> Bool {
    model.grid == nil && model.access.sizes[Int(room.rawValue)] == 0
  }

  /// The beacons in a room, in the order of arrival.
  public func members(of room: RoomIndex) -> [(beacon: BeaconIndex, since: WallTime)] {
    insiders[Int(room.rawValue)].map { (beacon: $0.key, since: $0.value) }
      .sorted { ($0.since, $0.beacon.rawValue) < ($1.since, $1.beacon.rawValue) }
  }

  public func memberCount(of room: RoomIndex) -> Int { insiders[Int(room.rawValue)].count }

  /// The receiver whose levels changed since the calibration, and by how many dB; nil: none.
  public var movedReceiver: (receiver: ReceiverIndex, decibels: Double)? {
    drift.moved.map { (plan.hearers[$0.hearer].receiver, Double($0.decibels)) }
  }

  public var isCalibrated: Bool { model.isCalibrated }

  /// The learnt gain of each receiver, dB: relative to the calibration or, without one, to the mean of all receivers.
  public var receiverGains: [ReceiverIndex: Double] {
    Dictionary(
      zip(plan.hearers, gainsOfHearers).lazy.filter { $1 != 0 }.map { ($0.receiver, Double($1)) },
      uniquingKeysWith: { first, _ in first })
  }

  /// The clock was set.
  public mutating func correct(_ step: ClockStep) {
    for track in tracks.indices {
      tracks[track].since = step.corrected(tracks[track].since)
      tracks[track].wallOffset = step.moved(tracks[track].wallOffset)
    }
    insiders = insiders.map { $0.mapValues { step.corrected($0) } }
  }

  /// Adopts the receivers' drift if rooms, receivers and maps are the same.
  public mutating func adopt(driftOf earlier: RoomTracker) {
    guard maps == earlier.maps, plan.hearers.map(\.receiver) == earlier.plan.hearers.map(\.receiver),
      roomCount == earlier.roomCount
    else { return }
    drift = earlier.drift
  }

  /// Adopts the gains that an earlier run or configuration learnt without a calibration.
  public mutating func adopt(receiverGains earlier: [ReceiverIndex: Double]) {
    gains.adopt(plan.hearers.map { earlier[$0.receiver].map { Float($0) } })
    fittedGains.begin(from: gains.decibels)
  }

  public func room(of beacon: BeaconIndex) -> RoomIndex? {
    knownTrack(of: beacon).flatMap { tracks[$0].told >= 0 ? RoomIndex(rawValue: tracks[$0].told) : nil }
  }

  /// The receiver with the strongest level in the newest window with the beacon; nil: no receiver of the rooms ever heard it.
  public func receiver(of beacon: BeaconIndex) -> ReceiverIndex? {
    knownTrack(of: beacon).flatMap {
      tracks[$0].lastHeard.nanoseconds == .min ? nil : tracks[$0].lastReceiver
    }
  }

  /// nil: no receiver of the rooms ever heard the beacon.
  public func estimate(of beacon: BeaconIndex) -> RoomEstimate? {
    guard let track = knownTrack(of: beacon) else { return nil }
    let (rooms, others) = probabilities(ofTrack: track)
    let told = tracks[track].told
    let second = rooms.filter { $0.room != told }.max { $0.probability < $1.probability }
    let probability = rooms.first { $0.room == told }?.probability ?? others
    let isHeard = tracks[track].window != nil
    var estimate = RoomEstimate(
      room: told >= 0 ? RoomIndex(rawValue: told) : nil,
      probability: told >= 0 ? Double(probability) : isHeard ? 0 : 1, since: tracks[track].since,
      isHeard: isHeard,
      runnerUp: isHeard
        ? second.map {
          .init(room: RoomIndex(rawValue: $0.room), probability: Double($0.probability))
        } : nil)
    estimate.latestRoom = tracks[track].latest < 0 ? nil : RoomIndex(rawValue: tracks[track].latest)
    let lastHeard = tracks[track].lastHeard
    estimate.lastHeard = lastHeard.nanoseconds == .min ? nil : tracks[track].wallTime(at: lastHeard)
    if isHeard, let grid = model.grid { locate(track, grid, &estimate) }
    return estimate
  }

  /// Correction factor where nothing was measured. The belief is too narrow because errors last longer than a window: on a recorded
  /// flat 60 % of true coordinates were within one deviation and 84 % within two, instead of 68 % and 95 %.
  private static let modesty = 1.3
  /// Standard deviation of a place in measured maps, metres. Each of their places is a mean over its surroundings, so all windows
  /// there have the same error, and more of them do not help.
  private static let blur = 0.62

  private func locate(_ track: Int, _ grid: RoomGrid, _ estimate: inout RoomEstimate) {
    var (x, y, xx, yy, sum) = (0.0, 0.0, 0.0, 0.0, 0.0)
    beliefs.read(track) { belief in
      for run in model.runs {
        for place in run.places {
          let share = Double(belief[place])
          guard share > 1e-7, let point = grid.place(of: place)?.point else { continue }
          sum += share
          x += share * point.x
          y += share * point.y
          xx += share * point.x * point.x
          yy += share * point.y * point.y
        }
      }
    }
    guard sum > 0 else { return }
    let middle = Point(x: x / sum, y: y / sum)
    let variance = (xx / sum - middle.x * middle.x + yy / sum - middle.y * middle.y) / 2
    estimate.position = middle
    let own = max(variance, grid.edge * grid.edge / 12)
    estimate.positionDeviation =
      model.isCalibrated ? (own + Self.blur * Self.blur).squareRoot() : Self.modesty * own.squareRoot()
  }
}

extension RoomTracker {
  /// The belief of a beacon, cell by cell.
  public struct Cloud: Sendable {
    /// The middle of a cell, and the probability that the beacon is in it.
    public struct Cell: Sendable {
      public var point: Point
      /// An index into `RoomPlan.floorHeights`.
      public var floor: Int
      public var probability: Double
    }

    /// Edge of a cell, metres.
    public var edge: Double
    /// The cells whose probability is at least 0.2 %.
    public var cells: [Cell]
  }

  /// nil: the rooms have no outlines, or no receiver of theirs hears the beacon.
  public func cloud(of beacon: BeaconIndex) -> Cloud? {
    guard let grid = model.grid, let track = knownTrack(of: beacon), tracks[track].window != nil else {
      return nil
    }
    var cells: [Cloud.Cell] = []
    beliefs.read(track) { belief in
      for run in model.runs {
        for place in run.places where Double(belief[place]) >= 0.002 {
          guard let (point, floor) = grid.place(of: place) else { continue }
          cells.append(.init(point: point, floor: floor, probability: Double(belief[place])))
        }
      }
    }
    return Cloud(edge: grid.edge, cells: cells)
  }

  /// How probable each room is, in the order of the plan; nil: no receiver of the rooms hears the beacon.
  public func shares(of beacon: BeaconIndex) -> [Double]? {
    guard let track = knownTrack(of: beacon), tracks[track].window != nil else { return nil }
    let (rooms, others) = probabilities(ofTrack: track)
    var shares = model.access.sizes.map { $0 > 0 ? Double(others) : 0 }
    for (room, probability) in rooms { shares[Int(room)] = Double(probability) }
    return shares
  }
}

/// Collects the errors of receivers. They show which receiver was moved or, without a calibration, how sensitive each one is.
extension RoomTracker {
  /// By hearer: gain relative to the maps, dB.
  var gainsOfHearers: [Float] {
    model.isCalibrated ? drift.gains : fittedGains.isFitted ? fittedGains.decibels : gains.decibels
  }

  /// Records that a beacon changed rooms.
  mutating func beginStay(_ track: Int) {
    gains.begin(track)
    leaveOneOut.begin(track, in: tracks[track].told)
  }

  /// Windows between two checks of a beacon: 1.2 s. A check costs as much as judging a window. With more than eight receivers the
  /// interval is half as many windows as there are receivers.
  private static let driftPace = 4

  /// In calibrated rooms: records one receiver's error, predicted from the others.
  ///
  /// - Parameter last: the previous window of this beacon.
  mutating func noteDrift(_ track: Int, in window: Int64, after last: Int64?) {
    let pace = Int64(max(Self.driftPace, plan.hearers.count / 2))
    guard last.map({ ($0 + Int64(track)) / pace }) != (window + Int64(track)) / pace, tracks[track].told >= 0
    else { return }
    hearings.removeAll(keepingCapacity: true)
    held.add(track, in: window, isPast: false, except: blind, to: &hearings)
    for index in hearings.indices { hearings[index].takeOff(drift.gains[hearings[index].hearer]) }
    guard hearings.count > 2, let turn = leaveOneOut.turn(ofTrack: track, among: hearings.count) else {
      return
    }
    let own = hearings[turn]
    // Moved receivers are left out if at least two others remain.
    let elsewhere = drift.elsewhere
    let others = hearings.count { $0.hearer != own.hearer && !elsewhere.contains($0.hearer) }
    if others > 1 { hearings.removeAll { $0.hearer != own.hearer && elsewhere.contains($0.hearer) } }
    guard let index = hearings.firstIndex(where: { $0.hearer == own.hearer }),
      let expected = leaveOneOut.expectation(
        of: index, in: hearings, ofTrack: track, offset: tracks[track].offset, model, prior: beliefs.prior,
        filter)
    else { return }
    drift.note(own.level + drift.gains[own.hearer] - expected.level, of: own.hearer, in: expected.room)
  }

  /// Maximum error, dB. A larger one is caused by the beacon: it lies on a receiver or is outside all rooms.
  private static let oddError: Float = 15

  /// In uncalibrated rooms: records the error of each receiver for the estimated position. Only if the room is certain: the
  /// reported room may be wrong.
  ///
  /// - Parameter count: the first `count` entries of `hearings` are from this window.
  mutating func noteGains(_ track: Int, hearings count: Int) {
    let room = Int(tracks[track].told)
    guard room >= 0, probability(of: room) >= Self.toldFrom, gains.counts(track, in: room) else { return }
    let (offset, known) = (tracks[track].offset, gainsOfHearers)
    beliefs.look(track, nearby) { belief in
      for hearing in hearings.prefix(count) {
        let error = hearing.level - offset - model.expectedLevel(hearing.hearer, belief, filter, at: nearby)
        let bounded = min(max(error, -Self.oddError), Self.oddError)
        gains.note(bounded + known[hearing.hearer], of: hearing.hearer, in: room)
      }
    }
  }
}

/// The estimated room and position of a beacon.
public struct RoomEstimate: Hashable, Sendable {
  /// A room, and how probable it is.
  public struct Candidate: Hashable, Sendable {
    public var room: RoomIndex
    /// 0 to 1.
    public var probability: Double
  }

  /// The reported room; nil: in no room.
  public var room: RoomIndex?
  /// Probability of `room`, 0 to 1; if `room` is nil, of being in no room.
  public var probability: Double
  /// Since when the beacon is in `room`, or in no room.
  public var since: WallTime
  /// Whether the beacon is heard at present; if not, the probability means nothing.
  public var isHeard = true
  /// The room that the beacon is in, or was in last; nil: none yet.
  public var latestRoom: RoomIndex?
  /// When a receiver of the rooms heard it last; nil: unknown.
  public var lastHeard: WallTime?
  /// The most probable of the other rooms; nil: there is none.
  public var runnerUp: Candidate?
  /// nil: the rooms have no outlines.
  public var position: Point?
  /// Standard deviation of `position` in metres, the mean over both axes.
  public var positionDeviation: Double?
}
