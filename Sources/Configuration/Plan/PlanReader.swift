import Proximity

/// Reads `floors:`, `rooms:`, `doors:` and `calibration:`, and checks how they fit together and with the receivers.
struct PlanReader {
  /// The folder for relative paths.
  var directory: String

  /// - Parameter receiverEntries: the entries of `receivers:`, as written.
  /// - Returns: the names of all rooms, including those that could not be read, and the checks to make once everything is read.
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
    let origins = ReceiverOrigins(rooms: rooms, receiverEntries: receiverEntries)
    let mapped = checks.outlined.first?.room.outline?.value ?? section.take("calibration")
    // The other checks would take long.
    if !origins.areTooMany(mapped: mapped) {
      checks.checkRooms()
      checks.checkDoors(doors)
      checks.checkPositions()
    }
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

/// Reads `floors:`.
struct FloorReader {
  private static let heights = -500.0...2_000.0
  private static let ceilings = 1.0...100.0

  func read(_ value: Value) -> FloorSettings? {
    guard let section = value.section(hint: "for example { name: upstairs, height: 2.8 m }") else {
      return nil
    }
    defer { section.finish() }
    let name = readName(section)
    let height = section.require(
      "height", hint: "of its floor, for example height: 2.8 m; 0 m for the lowest"
    )
    .flatMap { readHeight($0, in: Self.heights) }
    let ceiling = section.take("ceiling").flatMap { readHeight($0, in: Self.ceilings) }
    guard let name, let height else { return nil }
    return FloorSettings(name: name, height: height, ceiling: ceiling)
  }

  private func readHeight(_ value: Value, in range: ClosedRange<Double>) -> Double? {
    guard let metres = value.measure(.distance) else { return nil }
    guard range.contains(metres) else {
      return value.refused(
        "\(value.name) cannot be \(Measure(.distance, metres))",
        hint: "from \(Measure(.distance, range.lowerBound)) to \(Measure(.distance, range.upperBound))")
    }
    return metres
  }
}

/// Reads `doors:`.
struct DoorReader {
  var floors: FloorNames

  func read(_ value: Value) -> DoorSettings? {
    let hint = "for example { from: [3 m, 1 m], to: [3 m, 1.9 m] }"
    guard let section = value.section(hint: hint) else { return nil }
    defer { section.finish() }
    let from = section.require("from", hint: hint).flatMap(readPoint)
    let to = section.require("to", hint: hint).flatMap(readPoint)
    let floor = floors.read(section, of: value)
    guard let from, let to, let floor else { return nil }
    guard from != to else {
      return value.refused("the door at \(words(from)) has no width", hint: "give both of its sides")
    }
    return DoorSettings(from: from, to: to, floor: floor.name)
  }
}

/// The floors that a room or a door may be on.
struct FloorNames {
  /// In the file's order, with those that could not be read.
  var names: [String]

  /// The name of an entry's floor, or nil if there are no floors.
  struct Choice {
    var name: String?
  }

  /// Reads `floor:`; nil, with a diagnostic, if it is missing or unknown.
  func read(_ section: Section, of value: Value) -> Choice? {
    guard let written = section.take("floor") else {
      if names.count < 2 { return Choice(name: names.first) }
      return value.refused("it is not said on which floor this is", hint: "floor: \(listed(names))")
    }
    guard let name = checkedName(written) else { return nil }
    if names.contains(name) { return Choice(name: name) }
    return written.refused(
      "there is no floor \(quoted(name))",
      hint: names.isEmpty
        ? "add floors: with { name: \(name), height: 0 m }"
        : suggestion(for: name, among: names, whenEmpty: "floors: is empty"))
  }
}

/// Reads `rooms:`.
struct RoomReader {
  var floors: FloorNames
  /// Names under `receivers:`. Other receivers may exist, too: `hci0`, and scanners.
  var receivers: [String]

  /// A room with the values for the checks.
  struct Entry {
    var settings: RoomSettings
    var value: Value
    /// The outline, and the place of its corners in the file.
    var outline: (shape: Outline, value: Value)?
    var receivers: [(name: String, value: Value)]
  }

  func read(_ value: Value) -> Entry? {
    let hint = "for example { name: kitchen, receivers: [esp-kitchen] }"
    guard let section = value.section(hint: hint) else { return nil }
    defer { section.finish() }
    let name = readName(section)
    if name == "not_home" {
      section.take("name")?.error(
        "a room cannot be called not_home", hint: "it is what Home Assistant shows of a beacon in no room")
    }
    let floor = floors.read(section, of: value)
    let outlineValue = section.take("outline")
    let outline = outlineValue.flatMap { value in
      OutlineReader().read(value).map { (shape: $0, value: value) }
    }
    let list = section.take("receivers")
    let receivers = list.map(readReceivers) ?? []
    let area = section.take("area").flatMap(checkedName)
    guard let name, let floor, outlineValue == nil || outline != nil else { return nil }
    return Entry(
      settings: RoomSettings(
        name: name, floor: floor.name, outline: outline?.shape.corners ?? [],
        receivers: receivers.map(\.name),
        area: area),
      value: value, outline: outline, receivers: receivers)
  }

  private func readReceivers(_ value: Value) -> [(name: String, value: Value)] {
    let entries = value.list(hint: "the receivers in it, for example [esp-kitchen]") ?? []
    var seen: Set<String> = []
    return entries.compactMap { entry in
      guard let name = checkedName(entry) else { return nil }
      guard seen.insert(name).inserted else {
        entry.warning("\(quoted(name)) is listed twice")
        return nil
      }
      if !receivers.contains(name), let meant = nearest(to: name, among: receivers) {
        entry.warning("\(quoted(name)) is not under receivers:", hint: "did you mean \(meant)?")
      }
      return (name, entry)
    }
  }
}

/// Rooms in plain words: size, neighbours, receivers, and missing parts.
struct RoomExplanation {
  var configuration: Configuration
  private var shapes: [(name: String, floor: String?, outline: Outline)]

  init(_ configuration: Configuration) {
    self.configuration = configuration
    shapes = configuration.rooms.filter { $0.outline.count >= 3 }
      .map { ($0.name, $0.floor, Outline($0.outline)) }
  }

  /// About all of them; nil: there are no rooms.
  var summary: String? {
    let rooms = configuration.rooms
    guard !rooms.isEmpty else { return nil }
    var parts = [count(rooms.count, "room")]
    if !configuration.floors.isEmpty {
      let floors = configuration.floors.map {
        "\($0.name) at \($0.height == 0 ? "0 m" : "\(Measure(.distance, $0.height))")"
      }
      parts.append("on \(listed(floors, joining: "and"))")
    }
    if shapes.isEmpty {
      parts.append("decided by receivers alone, because there are no outlines")
    } else {
      parts.append("\(square(shapes.reduce(0) { $0 + $1.outline.area })) inside outlines")
      parts.append(
        configuration.doors.isEmpty
          ? "no doors are known, so a wall may have one anywhere"
          : "with \(count(configuration.doors.count, "door"))")
    }
    parts.append(
      CalibrationExplanation(configuration).text
        ?? "not calibrated: `beaconkeeper calibrate` improves this")
    return parts.joined(separator: "; ")
  }

  var items: [Explanation.Item] {
    configuration.rooms.map { Explanation.Item(name: $0.name, sentences: sentences($0)) }
  }

  private func sentences(_ room: RoomSettings) -> [String] {
    [size(room), neighbours(room), receivers(room), missing(room)].compactMap(\.self)
  }

  private func shape(of room: RoomSettings) -> Outline? { shapes.first { $0.name == room.name }?.outline }

  private func size(_ room: RoomSettings) -> String {
    let floor = room.floor.map { ", on \($0)" } ?? ""
    guard let shape = shape(of: room) else { return "Without an outline\(floor)." }
    return "\(square(shape.area)), \(shape.corners.count) corners\(floor)."
  }

  /// nil: unknown.
  private func neighbours(_ room: RoomSettings) -> String? {
    guard let shape = shape(of: room) else { return nil }
    let names = shapes.filter { other in
      other.name != room.name && other.floor == room.floor && shape.sharedWall(with: other.outline) >= 0.5
    }.map(\.name)
    return names.isEmpty ? "Next to no other room." : "Next to \(listed(names, joining: "and"))."
  }

  private func receivers(_ room: RoomSettings) -> String {
    let inside = shape(of: room).map { shape in
      configuration.receivers.filter { receiver in
        guard let position = receiver.calibration.position else { return false }
        return isListedNowhere(receiver.name) && shape.contains(Point(x: position.x, y: position.y))
      }.map(\.name)
    }
    let names = room.receivers + (inside ?? [])
    guard !names.isEmpty else {
      return shape(of: room) != nil || isMeasured(room)
        ? "No receiver is in it; others decide."
        : "No receiver is in it, and no walk has shown how others hear it: no beacon will be there."
    }
    return "\(names.count == 1 ? "Receiver" : "Receivers"): \(listed(names.map(placed), joining: "and"))."
  }

  private func isMeasured(_ room: RoomSettings) -> Bool {
    configuration.roomCalibration?.histograms.contains {
      $0.room == room.name && $0.counts.contains { $0 > 0 }
    } ?? false
  }

  /// Whether no room lists a receiver, so that its position decides its room.
  private func isListedNowhere(_ receiver: String) -> Bool {
    !configuration.rooms.contains { $0.receivers.contains(receiver) }
  }

  private func placed(_ name: String) -> String {
    guard let position = position(of: name) else { return name }
    return "\(name) (\(words(Point(x: position.x, y: position.y))), \(Measure(.distance, position.z)) high)"
  }

  private func position(of receiver: String) -> Position? {
    configuration.receivers.first { $0.name == receiver }?.calibration.position
  }

  /// nil: nothing is missing.
  private func missing(_ room: RoomSettings) -> String? {
    guard shape(of: room) != nil else {
      return shapes.isEmpty ? nil : "Missing: its outline, as other rooms have one."
    }
    let unplaced = room.receivers.filter { position(of: $0) == nil }
    guard !unplaced.isEmpty else { return nil }
    return "Missing: the position of \(listed(unplaced, joining: "and")), under receivers:."
  }

  private func count(_ number: Int, _ what: String) -> String { "\(number) \(what)\(number == 1 ? "" : "s")" }
}
