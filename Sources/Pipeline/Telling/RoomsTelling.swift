import Beacons
import Configuration
import Contract
import Core
import Proximity

/// Decides which room each beacon is in.
extension Pipeline {
  /// How late an observation of another gateway may arrive and still count.
  static func lateness(_ configuration: Configuration) -> TimeSpan {
    // The interval, and an allowance for the network and for the time steps of a fleet.
    if let fleet = configuration.fleet { return fleet.interval + .milliseconds(500) }
    return configuration.scannersLateness
  }

  static func rooms(_ configuration: Configuration, receivers: inout ReceiverTable) -> RoomTracker? {
    guard let (plan, names) = configuration.roomPlan(receivers: &receivers) else { return nil }
    return RoomTracker(
      plan, calibration: configuration.roomCalibration, rooms: names.rooms, receivers: names.receivers,
      floors: names.floors, lateness: lateness(configuration))
  }

  /// Processes the rooms' deadlines up to `time`.
  mutating func advanceRooms(to time: MonotonicTime, into output: inout Output) {
    guard let due = rooms?.nextDeadline, due <= time else { return }
    rooms?.advance(to: time, into: &scratch.roomTransitions)
    for beacon in rooms?.takeChanged() ?? [] { teller.telemetry.change(beacon, by: time) }
    // Swapped out first: emptying an array while it is shared would allocate memory each time.
    var decided: [RoomTransition] = []
    swap(&decided, &scratch.roomTransitions)
    tell(decided, into: &output)
    decided.removeAll(keepingCapacity: true)
    swap(&decided, &scratch.roomTransitions)
  }

  /// Converts the rooms' decisions to messages.
  mutating func tell(_ decided: [RoomTransition], into output: inout Output) {
    for transition in decided {
      counts.transitions += 1
      teller.telemetry.setDue(transition.beacon)
      var message = TransitionMessage(
        .room(transition), gateway: configuration.gatewayName, place: name(of: transition.room),
        beacon: roster.name(of: transition.beacon), receiver: receivers.name(of: transition.receiver),
        witnesses: transition.evidence.map { receivers.name(of: $0.receiver) })
      message.displayName = roster.displayName(of: transition.beacon)
      output.items.append(.transition(message))
    }
    for room in Set(decided.map(\.room)).sorted() {
      let place = configuration.zones.count + Int(room.rawValue)
      guard teller.crowds.isToBeTold(place, members: rooms?.memberCount(of: room) ?? 0, at: time) else {
        continue
      }
      output.items.append(.state(.occupancy(occupancy(of: room))))
    }
    placeInZones(decided)
    tell(into: &output)
  }

  func name(of room: RoomIndex) -> String { configuration.rooms[Int(room.rawValue)].name }

  package func occupancy(of room: RoomIndex) -> OccupancyMessage {
    let members = rooms?.members(of: room) ?? []
    let isKnown = rooms.map { !$0.isBlind(room) && $0.isWatched } ?? false
    return OccupancyMessage(
      room: name(of: room), state: !isKnown ? "unknown" : members.isEmpty ? "empty" : "occupied",
      members: members.map {
        .init(
          beacon: roster.name(of: $0.beacon), displayName: roster.displayName(of: $0.beacon), since: $0.since)
      })
  }

  /// The room that a beacon is in; nil: there are no rooms. A beacon that no receiver of the rooms ever heard is
  /// published as in no room, because an earlier run may have published another room.
  func roomMessage(of beacon: BeaconIndex) -> RoomMessage? {
    guard let rooms else { return nil }
    var message = RoomMessage(
      beacon: roster.name(of: beacon), displayName: roster.displayName(of: beacon), room: nil)
    guard let estimate = rooms.estimate(of: beacon) else { return message }
    message.room = estimate.room.map { name(of: $0) }
    message.floor = estimate.room.flatMap { configuration.rooms[Int($0.rawValue)].floor }
    message.probability = estimate.isHeard ? estimate.probability : nil
    message.since = estimate.since.nanoseconds == 0 ? nil : estimate.since
    message.lastRoom = estimate.latestRoom.map { name(of: $0) }
    message.lastSeen = estimate.lastHeard
    message.runnerUp = estimate.runnerUp.map { .init(room: name(of: $0.room), probability: $0.probability) }
    message.position = estimate.position
    message.positionDeviation = estimate.positionDeviation
    return message
  }

  package var roomIndices: [RoomIndex] { configuration.rooms.indices.map { RoomIndex(rawValue: Int32($0)) } }

  /// Every retained state of rooms.
  var roomStates: [Message] { roomIndices.map { occupancy(of: $0).message(topics: topics) } }
}

/// For programs that follow a beacon through the rooms of a recording.
extension Pipeline {
  /// The next deadline of the rooms.
  package var roomDeadline: MonotonicTime? { rooms?.nextDeadline }

  /// The receiver whose signal levels no longer match the calibration, and the difference in dB; nil: none is known.
  package var movedReceiver: (receiver: ReceiverIndex, decibels: Double)? { rooms?.movedReceiver }

  /// How many dB stronger than expected each receiver of the rooms hears. Receivers without an estimate are left out.
  package var receiverGains: [ReceiverIndex: Double] { rooms?.receiverGains ?? [:] }

  /// nil: there are no rooms, or none of their receivers ever heard it.
  package func roomEstimate(of beacon: BeaconIndex) -> RoomEstimate? { rooms?.estimate(of: beacon) }
}

/// For the dashboard's floor plan.
extension Pipeline {
  /// The beacons in a room, in the order in which they entered.
  package func members(of room: RoomIndex) -> [(beacon: BeaconIndex, since: WallTime)] {
    rooms?.members(of: room) ?? []
  }

  package func roomCloud(of beacon: BeaconIndex) -> RoomTracker.Cloud? { rooms?.cloud(of: beacon) }

  /// The probability of each room, in the order of the configuration.
  package func roomShares(of beacon: BeaconIndex) -> [Double]? { rooms?.shares(of: beacon) }
}

/// Zones that consist of rooms follow the decisions about rooms.
extension Pipeline {
  /// Passes the rooms' decisions to the zones. If a beacon moves to the next room, only the enter is passed
  /// on, without the exit before it.
  mutating func placeInZones(_ decided: [RoomTransition]) {
    guard engine.hasRoomZones else { return }
    for (place, transition) in decided.enumerated() {
      if transition.event == .exit, place + 1 < decided.count {
        let next = decided[place + 1]
        if next.beacon == transition.beacon, next.time == transition.time { continue }
      }
      engine.observe(
        RoomDecision(transition), of: transition.beacon, at: transition.time, into: &scratch.transitions)
    }
  }

  /// Restores the place of a beacon for zones of rooms, with the reason if it is known.
  ///
  /// - Parameter told: the decision about it under the earlier configuration. Its room index is replaced. nil: not
  ///   available.
  mutating func restoreInZones(_ beacon: BeaconIndex, told: RoomDecision? = nil) {
    guard let rooms, engine.hasRoomZones else { return }
    guard let room = rooms.room(of: beacon) else {
      // Without a sighting, receiver 0 is a placeholder.
      let receiver = engine.lastSighting(of: beacon)?.receiver ?? ReceiverIndex(rawValue: 0)
      return engine.restore(RoomDecision(room: nil, receiver: receiver), of: beacon)
    }
    let last = rooms.state(of: beacon)?.receiver ?? ReceiverIndex(rawValue: 0)
    var decision = told ?? RoomDecision(room: room, receiver: last)
    decision.room = room
    engine.restore(decision, of: beacon)
  }

  /// Why a beacon is in its room: the decision itself if a zone used it, otherwise the present probability. nil: it
  /// is in no room.
  func roomDecision(of beacon: BeaconIndex) -> RoomDecision? {
    guard let rooms, let room = rooms.room(of: beacon), let receiver = rooms.state(of: beacon)?.receiver
    else { return nil }
    if let told = engine.decision(of: beacon), told.room == room { return told }
    let estimate = rooms.estimate(of: beacon)
    return RoomDecision(
      room: room, probability: estimate?.isHeard == true ? estimate?.probability : nil, receiver: receiver)
  }
}

extension RoomDecision {
  fileprivate init(_ transition: RoomTransition) {
    let isThere = transition.event == .enter
    self.init(
      room: isThere ? transition.room : nil, probability: isThere ? transition.probability : nil,
      witnesses: isThere ? transition.evidence : [], receiver: transition.receiver,
      reason: transition.reason == .zoneRemoved ? .roomRemoved : transition.reason)
  }
}
