import Contract
import Proximity

/// Errors in the plan of a site that only show in combination.
struct PlanChecks {
  var rooms: [RoomReader.Entry]
  var floors: [FloorSettings]
  var receivers: [ReceiverSettings]
  var receiverEntries: [Value]

  /// In metres. Positions have about this error, so larger cells make them worse.
  private static let coarse = 1.0
  /// A larger overlap, or a larger part of the smaller room, is not an error of measurement.
  private static let sliver = 1.0
  private static let sliverPart = 0.05
  /// In metres: how far a door or a receiver may be from its wall, which has some thickness.
  static let wallTolerance = 0.3

  var outlined: [(room: RoomReader.Entry, shape: Outline)] {
    rooms.compactMap { room in room.outline.map { (room, $0.shape) } }
  }

  func checkRooms() {
    refuseReceiversOfTwoRooms()
    guard !outlined.isEmpty else { return }
    warnOfMissingOutlines()
    warnOfNobodyWithAPlace()
    refuseTooManyCorners()
    warnOfOverlaps()
    warnOfCells()
  }

  private func refuseReceiversOfTwoRooms() {
    var first: [String: RoomReader.Entry] = [:]
    for room in rooms {
      for (name, value) in room.receivers {
        if let other = first[name] {
          value.error(
            "the receiver \(quoted(name)) is listed in \(quoted(other.settings.name)) already",
            hint: "keep it in one of the rooms")
        } else {
          first[name] = room
        }
      }
    }
  }

  private func warnOfMissingOutlines() {
    for room in rooms where room.outline == nil {
      room.value.warning(
        "\(quoted(room.settings.name)) has no outline, and other rooms have",
        hint: "it has no walls, and no position is in it; give all rooms an outline, or none"
      )
    }
  }

  private func warnOfNobodyWithAPlace() {
    guard rooms.allSatisfy(\.receivers.isEmpty), receivers.allSatisfy({ $0.calibration.position == nil })
    else {
      return
    }
    outlined[0].room.outline?.value.warning(
      "no receiver has a place, so the outlines have no effect",
      hint: "list the receivers in each room, or give receivers a position")
  }

  private func refuseTooManyCorners() {
    let corners = outlined.reduce(0) { $0 + $1.shape.corners.count }
    guard corners > RoomSettings.allCornersLimit, let last = outlined.last?.room.outline?.value else {
      return
    }
    last.error(
      "the outlines have \(corners) corners together",
      hint: "at most \(RoomSettings.allCornersLimit) are possible: leave out niches and pillars")
  }

  private func warnOfOverlaps() {
    let outlined = outlined
    // A plan beyond the limits has been reported already.
    guard outlined.reduce(0, { $0 + $1.shape.corners.count }) <= RoomSettings.allCornersLimit else { return }
    for (place, one) in outlined.enumerated() {
      for other in outlined[..<place] where one.room.settings.floor == other.room.settings.floor {
        let common = one.shape.overlap(with: other.shape)
        let part = Self.sliverPart * min(one.shape.area, other.shape.area)
        guard common > min(Self.sliver, part) else { continue }
        one.room.outline?.value.warning(
          "\(quoted(one.room.settings.name)) and \(quoted(other.room.settings.name)) overlap by \(square(common))",
          hint: "a beacon there counts for both; move their corners to the wall between them")
      }
    }
  }

  /// Cells grow with the site, so that small rooms may have none.
  private func warnOfCells() {
    guard outlined.count == rooms.count, !outlined[0].room.value.diagnostics.hasErrors else { return }
    let names = floors.map(\.name)
    let plan = RoomPlan(
      rooms: rooms.map { room in
        let floor = room.settings.floor.flatMap { names.firstIndex(of: $0) } ?? 0
        return RoomPlan.Room(floor: floor, outline: room.settings.outline)
      }, hearers: [], floorHeights: floors.map(\.height))
    let cells = plan.cells
    let edge = Measure(.distance, (cells.edge * 10).rounded() / 10)
    let hint =
      "what counts is the rectangle around all outlines, times the floors; draw buildings that are far apart closer together"
    if cells.edge > Self.coarse {
      outlined[0].room.outline?.value.warning(
        "the site is so large that positions are computed in cells of \(edge)", hint: hint)
    }
    // Otherwise another room covers it, which has been reported.
    guard cells.edge > RoomPlan.finestCell else { return }
    for index in cells.without {
      let room = rooms[Int(index.rawValue)]
      room.outline?.value.warning(
        "no beacon will be found in \(quoted(room.settings.name)): it shares its cell of \(edge) with another room",
        hint: hint)
    }
  }

  func checkDoors(_ doors: [(settings: DoorSettings, value: Value)]) {
    guard !outlined.isEmpty else { return }
    for (door, value) in doors {
      let shapes = outlined.filter { $0.room.settings.floor == door.floor }.map(\.shape)
      let off = [door.from, door.to].map { end in
        shapes.map { $0.distance(to: end) }.min() ?? .infinity
      }
      guard let farthest = off.max(), farthest > Self.wallTolerance else { continue }
      let place = "the door from \(words(door.from)) to \(words(door.to))"
      value.warning(
        farthest.isFinite
          ? "\(place) is on no wall: one end is \(Measure(.distance, (farthest * 100).rounded() / 100)) away from any"
          : "\(place) is on a floor without outlines",
        hint: "both ends lie on sides of outlines")
    }
  }
}

/// Checks receivers' positions against the rooms that list them.
extension PlanChecks {
  /// In metres. A receiver outside a room may still hear beacons in it.
  private static let farOutside = 10.0

  func checkPositions() {
    let outlined = outlined
    guard !outlined.isEmpty else { return }
    let homes = homes
    for (receiver, entry) in placedReceivers {
      guard let position = receiver.calibration.position, let value = place(of: entry) else { continue }
      let point = Point(x: position.x, y: position.y)
      let nearest = outlined.map { $0.shape.gap(to: point) }.min() ?? 0
      if nearest > Self.farOutside {
        value.warning(
          "the receiver \(quoted(receiver.name)) hangs \(Measure(.distance, nearest.rounded())) outside all rooms",
          hint: "receivers and outlines have the same coordinates")
        continue
      }
      guard let home = homes[receiver.name], let shape = home.outline?.shape, !shape.contains(point) else {
        continue
      }
      let floor = outlined.filter { $0.room.settings.floor == home.settings.floor }
      guard shape.distance(to: point) > Self.wallTolerance,
        let other = floor.first(where: { $0.shape.contains(point) })
      else { continue }
      value.warning(
        "the receiver \(quoted(receiver.name)) is listed in \(quoted(home.settings.name)), but its position is in "
          + quoted(other.room.settings.name),
        hint: "correct the position, or the room that lists it")
    }
    warnOfHeights()
  }

  /// Heights count from the floor of the receiver's storey.
  private func warnOfHeights() {
    let homes = homes
    for (receiver, entry) in placedReceivers {
      guard let height = receiver.calibration.position?.z, let value = place(of: entry) else { continue }
      let floor = floor(of: homes[receiver.name])
      let ceiling = floor?.ceiling ?? 20
      guard !(-0.5...ceiling + 0.5).contains(height) else { continue }
      value.warning(
        "the receiver \(quoted(receiver.name)) hangs \(Measure(.distance, height)) above "
          + (floor.map { "its floor \(quoted($0.name))" } ?? "its floor"),
        hint: "the height counts from the floor that it hangs on"
          + (floor?.ceiling.map { ", and its ceiling is at \(Measure(.distance, $0))" } ?? ""))
    }
  }

  /// The room that lists a receiver, by its name.
  private var homes: [String: RoomReader.Entry] {
    Dictionary(
      rooms.flatMap { room in room.receivers.map { ($0.name, room) } },
      uniquingKeysWith: { first, _ in first })
  }

  private var placedReceivers: [(receiver: ReceiverSettings, entry: Value)] {
    let entries = Dictionary(
      receiverEntries.compactMap { entry in nameOf(entry).map { ($0, entry) } },
      uniquingKeysWith: { first, _ in first })
    return receivers.compactMap { receiver in
      guard receiver.calibration.position != nil, let entry = entries[receiver.name] else { return nil }
      return (receiver, entry)
    }
  }

  private func floor(of room: RoomReader.Entry?) -> FloorSettings? {
    room?.settings.floor.flatMap { name in floors.first { $0.name == name } }
  }

  /// A position as written.
  private func place(of entry: Value) -> Value? {
    entry.node["position"].map {
      Value(node: $0, name: "position", path: entry.path + ".position", diagnostics: entry.diagnostics)
    }
  }
}

/// The sources of the receivers in rooms: a receiver that no adapter and no scanner provides never hears anything.
struct ReceiverOrigins {
  var rooms: [RoomReader.Entry]
  var receiverEntries: [Value]

  /// How many names are listed.
  private static let toldLimit = 5

  /// Refuses more rooms and receivers than are possible.
  ///
  /// - Parameter mapped: an outline or a calibration, if there is one: each receiver then has a map of all rooms.
  func areTooMany(mapped: Value?) -> Bool {
    let placed = receiverEntries.filter { $0.node["position"] != nil }
    let all = rooms.flatMap(\.receivers) + placed.compactMap { entry in nameOf(entry).map { ($0, entry) } }
    let count = Set(all.map(\.name)).count
    if let mapped, max(count, rooms.count) > RoomPlan.mappedLimit {
      mapped.error(
        "there are \(rooms.count) rooms and \(count) receivers in them or with a position",
        hint: "with outlines or a calibration at most \(RoomPlan.mappedLimit) each are possible, "
          + "without both \(RoomPlan.hearerLimit)")
      return true
    }
    var names: Set<String> = []
    guard
      let first = all.first(where: { names.insert($0.name).inserted && names.count > RoomPlan.hearerLimit })
    else { return false }
    first.value.error(
      "there are \(count) receivers in rooms or with a position",
      hint: "at most \(RoomPlan.hearerLimit) are possible")
    return true
  }

  /// - Parameter configuration: the whole configuration. A fleet's receivers come through its queues.
  func warnOfStrangers(_ configuration: Configuration) {
    // An entry that could not be read may be the missing one.
    guard rooms.first?.value.diagnostics.hasErrors == false, configuration.fleet == nil else { return }
    let strangers = rooms.flatMap(\.receivers).filter {
      configuration.remedy(ifNobodyProvides: $0.name) != nil
    }
    guard let first = strangers.first else { return }
    let told = strangers.prefix(Self.toldLimit).map { quoted($0.name) }
    let more = strangers.count > told.count ? " and \(strangers.count - told.count) more" : ""
    first.value.warning(
      "no adapter or scanner provides \(listed(Array(told), joining: "or"))\(more)",
      hint: configuration.remedy(ifNobodyProvides: first.name))
  }
}

extension Configuration {
  /// How to mend a receiver that no adapter and no scanner provides; nil: one may provide it.
  package func remedy(ifNobodyProvides name: String) -> String? {
    if radio.duty != .off, isAdapter(name) { return nil }
    if scanners.contains(where: { $0.mayHear(as: name) }) { return nil }
    if scanners.isEmpty {
      return radio.duty == .off && isAdapter(name)
        ? "the radio is off: remove radio: { duty: off }, or add scanners:"
        : "add its scanner, for example scanners: [{ kind: espresense }]; this machine's adapters are hci0, hci1, …"
    }
    let prefixes = scanners.map(\.prefix).filter { !$0.isEmpty && !name.hasPrefix($0) }
    guard let prefix = prefixes.first else { return "compare the name with those of the scanners" }
    return "a scanner has prefix: \(prefix), so its receivers are called \(prefix)…"
  }

  private func isAdapter(_ name: String) -> Bool {
    let number = name.dropFirst(3)
    return name.hasPrefix("hci") && !number.isEmpty && number.allSatisfy(\.isWholeNumber)
      || receivers.contains { $0.name == name && $0.adapter != nil }
  }
}

extension Scanner {
  /// Whether one of its receivers can have this name in the configuration.
  fileprivate func mayHear(as name: String) -> Bool {
    if aliases.values.contains(name) { return true }
    guard name.hasPrefix(prefix) else { return false }
    let rest = name.dropFirst(prefix.count)
    // The gateway's name and the receiver's.
    if kind == .beaconkeeper { return rest.contains("/") }
    guard topic.has(.receiver) || mapping.fields[.receiver] != nil else {
      return receiver.map { $0 == rest } ?? true
    }
    return !rest.isEmpty
  }
}

/// Reports scanners whose broker is private.
func warnOfPrivateBroker(_ scannerEntries: [Value], _ configuration: Configuration) {
  guard let first = scannerEntries.first, !first.diagnostics.hasErrors, !configuration.scanners.isEmpty,
    configuration.broker == .embedded, configuration.fleet == nil
  else { return }
  first.warning(
    "no broker is configured that this scanner could publish to",
    hint:
      "the gateway's private broker is not open to other machines; name yours: broker: { url: \"mqtt://…\" }")
}
