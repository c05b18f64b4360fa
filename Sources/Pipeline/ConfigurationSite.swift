import Beacons
import Configuration
import Proximity

/// The configuration, converted to the types of the modules that do the work.
extension Configuration {
  /// Beacons, converted for the catalogue, in the order of `beacons`.
  var beaconEntries: [BeaconEntry] {
    beacons.map { beacon in
      let power = beacon.measuredPower.map { Int8(clamping: Int($0.rounded())) }
      return BeaconEntry(name: beacon.name, pattern: beacon.pattern, measuredPower: power)
    }
  }

  /// Keys that resolve private addresses, each with its entry.
  var identityKeys: [(entry: BeaconEntryIndex, key: SecretKey)] {
    beacons.enumerated().compactMap { position, beacon in
      secretKey(beacon.identityKey).map { (BeaconEntryIndex(rawValue: Int32(clamping: position)), $0) }
    }
  }

  /// Keys that decrypt readings.
  var bindKeys: [BeaconEntryIndex: SecretKey] {
    var keys: [BeaconEntryIndex: SecretKey] = [:]
    for (position, beacon) in beacons.enumerated() {
      keys[BeaconEntryIndex(rawValue: Int32(clamping: position))] = secretKey(beacon.bindKey)
    }
    return keys
  }

  private func secretKey(_ name: String?) -> SecretKey? {
    name.flatMap { keys[$0] }.flatMap { SecretKey($0.revealed) }
  }

  /// Zones and calibrations, converted for the engine. Receivers that are named get their index here.
  func site(receivers table: inout ReceiverTable) -> Site {
    var calibrations: [ReceiverIndex: Calibration] = [:]
    for receiver in receivers {
      if let index = table.index(of: receiver.name) { calibrations[index] = receiver.calibration }
    }
    let roomNames = rooms.map(\.name)
    let zones = zones.map { zone in
      Zone(
        receivers: zone.receivers.map { names in Set(names.compactMap { table.index(of: $0) }) },
        near: zone.near, enter: zone.enter, exit: zone.exit, lost: zone.lost,
        rooms: zone.rooms.map { names in
          Set(names.compactMap { roomNames.firstIndex(of: $0) }.map { RoomIndex(rawValue: Int32($0)) })
        })
    }
    let survey = roomPlan(receivers: &table).map {
      SignalSurvey(plan: $0.plan, names: $0.names, calibration: roomCalibration)
    }
    return Site(zones: zones, receivers: calibrations, survey: survey)
  }
}

/// The rooms of a configuration, converted for the room estimate.
extension Configuration {
  /// Receivers that are named get their index in the table. Returns nil if there are no rooms.
  ///
  /// - Returns: the plan, and the names that calibrations use.
  package func roomPlan(receivers table: inout ReceiverTable) -> (
    plan: RoomPlan, names: RoomCalibrator.Names
  )? {
    guard !rooms.isEmpty else { return nil }
    let floorNames: [String?] = floors.isEmpty ? [nil] : floors.map(\.name)
    func floor(_ name: String?) -> Int { floorNames.firstIndex(of: name) ?? 0 }
    var home: [String: Int] = [:]
    for room in rooms { for receiver in room.receivers { home[receiver] = floor(room.floor) } }
    let mounted = receivers.filter { $0.calibration.position != nil }.map(\.name)
    let hanging = rooms.flatMap(\.receivers)
    let measured = roomCalibration?.receiverNames ?? []
    var known: Set<String> = []
    let names = (hanging + mounted + measured).filter { known.insert($0).inserted }
    let calibrations = Dictionary(
      receivers.map { ($0.name, $0.calibration) }, uniquingKeysWith: { first, _ in first })
    var hearers: [RoomPlan.Hearer] = []
    var kept: [String] = []
    for name in names.prefix(RoomPlan.hearerLimit) {
      guard let index = table.index(of: name) else { continue }
      let calibration = calibrations[name] ?? Calibration()
      let position = calibration.position
      // Within rooms the usual exponent is another one, so only a configured one counts.
      let exponent = calibration.exponent == Calibration.defaultExponent ? nil : calibration.exponent
      hearers.append(
        RoomPlan.Hearer(
          receiver: index, position: position, floor: home[name] ?? position.map(floorBelow) ?? 0,
          gain: calibration.offset
            + (calibration.measuredPower.map { $0 - Calibration.defaultMeasuredPower } ?? 0),
          exponent: exponent))
      kept.append(name)
    }
    let plan = RoomPlan(
      rooms: rooms.map { room in
        RoomPlan.Room(
          floor: floor(room.floor), outline: room.outline,
          receivers: room.receivers.compactMap { table.index(of: $0) })
      }, hearers: hearers,
      doors: doors.map { RoomPlan.Door(from: $0.from, to: $0.to, floor: floor($0.floor)) },
      floorHeights: floors.isEmpty ? [0] : floors.map(\.height))
    return (plan, RoomCalibrator.Names(rooms: rooms.map(\.name), receivers: kept, floors: floorNames))
  }

  /// The floor of the room that contains a receiver's position. The first floor if no room or several rooms contain it.
  private func floorBelow(_ position: Position) -> Int {
    let point = Point(x: position.x, y: position.y)
    let room = rooms.first { $0.outline.count > 2 && Outline($0.outline).contains(point) }
    return room.flatMap { room in floors.firstIndex { $0.name == room.floor } } ?? 0
  }
}
