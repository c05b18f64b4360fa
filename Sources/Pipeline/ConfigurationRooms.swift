import Beacons
import Proximity
import Settings

/// The rooms of a configuration, converted for the room estimate.
extension Configuration {
  /// Receivers that are named get their index in the table. Returns nil if there are no rooms.
  ///
  /// - Returns: the plan, and the names that calibrations use.
  public func roomPlan(receivers table: inout ReceiverTable) -> (plan: RoomPlan, names: RoomCalibrator.Names)?
  {
    guard !rooms.isEmpty else { return nil }
    let floorNames: [String?] = floors.isEmpty ? [nil] : floors.map(\.name)
    func floor(_ name: String?) -> Int { floorNames.firstIndex(of: name) ?? 0 }
    var home: [String: Int] = [:]
    for room in rooms { for receiver in room.receivers { home[receiver] = floor(room.floor) } }
    let mounted = receivers.filter { $0.calibration.position != nil }.map(\.name)
    let hanging = rooms.flatMap(\.receivers)
    let measured = roomCalibration?.receiverNames ?? []
    var names: [String] = []
    for name in hanging + mounted + measured where !names.contains(name) { names.append(name) }
    let positions = Dictionary(
      receivers.map { ($0.name, $0.calibration.position) }, uniquingKeysWith: { first, _ in first })
    var hearers: [RoomPlan.Hearer] = []
    var kept: [String] = []
    for name in names.prefix(RoomPlan.hearerLimit) {
      guard let index = table.index(of: name) else { continue }
      let position = positions[name] ?? nil
      hearers.append(
        RoomPlan.Hearer(
          receiver: index, position: position, floor: home[name] ?? position.map(floorBelow) ?? 0))
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
