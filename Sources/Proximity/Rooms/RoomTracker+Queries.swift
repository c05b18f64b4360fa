import Beacons

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

  /// Whether a room is blind: all receivers are, or, without outlines, all receivers in the room.
  public func isBlind(_ room: RoomIndex) -> Bool {
    var deciding = known
    if model.grid == nil {
      let own = plan.rooms[Int(room.rawValue)].receivers.compactMap { hearer($0) }
      let heard = HearerSet(own).intersection(known)
      if !heard.isEmpty { deciding = heard }
    }
    return !deciding.isEmpty && deciding.isSubset(of: blind)
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
    let probabilities = probabilities(ofTrack: track)
    let told = Int(tracks[track].told)
    let second = probabilities.indices.filter { $0 != told }.max { probabilities[$0] < probabilities[$1] }
    let isHeard = tracks[track].window != nil
    var estimate = RoomEstimate(
      room: told >= 0 ? RoomIndex(rawValue: Int32(told)) : nil,
      probability: told >= 0 ? Double(probabilities[told]) : isHeard ? 0 : 1, since: tracks[track].since,
      isHeard: isHeard,
      runnerUp: isHeard
        ? second.map {
          .init(room: RoomIndex(rawValue: Int32($0)), probability: Double(probabilities[$0]))
        } : nil)
    if isHeard, let grid = model.grid { locate(track, grid, &estimate) }
    return estimate
  }

  /// Correction factor. The belief is too narrow because errors last longer than a window: on a recorded flat 60 % of true
  /// coordinates were within one deviation and 84 % within two, instead of 68 % and 95 %.
  private static let modesty = 1.3

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
    estimate.positionDeviation = Self.modesty * max(variance, grid.edge * grid.edge / 12).squareRoot()
  }
}
