import Proximity
import Settings

/// Reads `floors:`, `rooms:`, `doors:` and `calibration:`, and checks how they fit together and with the receivers.
struct PlanReader {
  /// The base of relative paths.
  var directory: String

  /// - Parameter receiverEntries: the entries of `receivers:`, as written.
  /// - Returns: the names of all rooms, also of those that could not be read, and what remains to be checked once all is read.
  func read(
    _ section: Section, receiverEntries: [Value], into configuration: inout Configuration
  ) -> (names: Set<String>, origins: ReceiverOrigins) {
    let floors = limited(entries(section.take("floors")), to: FloorSettings.limit, "floors")
    configuration.floors = floors.compactMap(FloorReader().read)
    refuseTwins(floors, "floor")
    let names = FloorNames(names: floors.compactMap(nameOf))

    let roomEntries = limited(entries(section.take("rooms")), to: RoomSettings.limit, "rooms")
    let reader = RoomReader(floors: names, receivers: receiverEntries.compactMap(nameOf))
    let rooms = roomEntries.compactMap(reader.read)
    configuration.rooms = rooms.map(\.settings)
    refuseTwins(roomEntries, "room")

    let doorEntries = limited(entries(section.take("doors")), to: DoorSettings.limit, "doors")
    let doors = doorEntries.compactMap { value in DoorReader(floors: names).read(value).map { ($0, value) } }
    configuration.doors = doors.map(\.0)
    configuration.calibrationFile = section.take("calibration").flatMap { value in
      value.text(hint: "the file that calibrate writes, for example rooms.json").map {
        absolute($0, in: directory)
      }
    }

    let checks = PlanChecks(
      rooms: rooms, floors: configuration.floors, receivers: configuration.receivers,
      receiverEntries: receiverEntries)
    checks.checkRooms()
    let origins = ReceiverOrigins(rooms: rooms, receiverEntries: receiverEntries)
    origins.refuseTooMany()
    checks.checkDoors(doors)
    checks.checkPositions()
    if !doors.isEmpty, rooms.allSatisfy({ $0.outline == nil }) {
      doors[0].1.warning("doors mean nothing without outlines", hint: "give the rooms an outline")
    }
    if let value = section.take("calibration"), roomEntries.isEmpty {
      value.warning("there are no rooms to calibrate", hint: "add rooms:")
    }
    return (Set(roomEntries.compactMap(nameOf)), origins)
  }

  private func limited(_ entries: [Value], to limit: Int, _ what: String) -> [Value] {
    if entries.count > limit {
      entries[limit].error("there are \(entries.count) \(what)", hint: "at most \(limit) are possible")
    }
    return Array(entries.prefix(limit))
  }
}
