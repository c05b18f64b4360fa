import Proximity

/// The plan of a site as somebody has drawn it: all its rooms and doors, and receivers that were placed.
package struct DrawnPlan: Sendable {
  package struct Room: Sendable {
    package var name: String
    /// The room's name in the file; nil: it is new. Rooms of the file to which no drawn room refers are removed.
    package var former: String?
    package var floor: String?
    /// Empty: none.
    package var outline: [Point]
    package var receivers: [String]

    package init(name: String, former: String?, floor: String?, outline: [Point], receivers: [String]) {
      self.name = name
      self.former = former
      self.floor = floor
      self.outline = outline
      self.receivers = receivers
    }
  }

  package struct Floor: Sendable {
    package var name: String
    /// The floor's name in the file; nil: it is new. All floors of the file are drawn.
    package var former: String?
    /// As in `floors:`, in metres.
    package var height: Double

    package init(name: String, former: String?, height: Double) {
      self.name = name
      self.former = former
      self.height = height
    }
  }

  /// nil: they are as in the file.
  package var floors: [Floor]?
  package var rooms: [Room] = []
  package var doors: [DoorSettings] = []
  /// Positions by receiver; nil: the receiver is removed from the plan. Receivers that are not listed stay where they are.
  package var places: [String: Position?] = [:]

  package init() {}

  /// If there is at most one floor, everything is on it.
  mutating func put(on floors: [FloorSettings]) {
    let names = self.floors?.map(\.name) ?? floors.map(\.name)
    guard names.count < 2 else { return }
    for place in rooms.indices { rooms[place].floor = names.first }
    for place in doors.indices { doors[place].floor = names.first }
  }

  /// How many floors there are once this is in the file.
  func floorCount(over current: Configuration) -> Int { floors?.count ?? current.floors.count }

  /// The name that a floor of the file then has.
  func floor(_ former: String?) -> String? {
    former.map { name in floors?.first { $0.former == name }?.name ?? name }
  }

  /// Doors of the file, with the new names of their floors. Those without a floor are on the first.
  func moved(_ doors: [DoorSettings]) -> [DoorSettings] {
    doors.map { DoorSettings(from: $0.from, to: $0.to, floor: floor($0.floor) ?? floors?.first?.name) }
  }

  /// The new names of rooms, by those in the file.
  var newNames: [String: String] {
    Dictionary(
      rooms.compactMap { room in room.former.flatMap { $0 == room.name ? nil : ($0, room.name) } },
      uniquingKeysWith: { first, _ in first })
  }

  /// What is wrong with the drawing, in plain words. Only faults for which `check` would not name the room. nil: nothing.
  func fault(over current: Configuration) -> String? {
    // Rooms and doors without a floor are on the first.
    if let floors, floors.first?.former != current.floors.first?.name || !areInOrder(floors, current.floors) {
      return "the floors are not those of the file, with the first, in their order"
    }
    var formers: Set<String> = []
    for room in rooms {
      if let former = room.former {
        guard let old = current.rooms.first(where: { $0.name == former }) else {
          return "there is no room \(quoted(former)) in the file"
        }
        guard formers.insert(former).inserted else { return "the room \(quoted(former)) is drawn twice" }
        guard current.floors.count < 2 || floor(old.floor) == room.floor else {
          return "the room \(quoted(former)) is on another floor in the file"
        }
      }
      if !room.outline.isEmpty, let fault = fault(of: room) { return fault }
    }
    return nil
  }

  /// Some floors of the file may be gone.
  private func areInOrder(_ floors: [Floor], _ current: [FloorSettings]) -> Bool {
    var rest = current.map(\.name)[...]
    return floors.compactMap(\.former).allSatisfy { name in
      guard let place = rest.firstIndex(of: name) else { return false }
      rest = rest[(place + 1)...]
      return true
    }
  }

  /// In the words of `check`.
  private func fault(of room: Room) -> String? {
    let nowhere = Diagnostic.Position(line: 0, column: 0)
    func node(_ content: Node.Content) -> Node { Node(content: content, position: nowhere, span: 0..<0) }
    let corners = room.outline.map { corner in
      node(.list([corner.x, corner.y].map { node(.scalar("\(Measure.digits($0)) m", isPlain: true)) }))
    }
    let diagnostics = Diagnostics(file: "")
    let name = "the outline of \(quoted(room.name))"
    _ = OutlineReader().read(
      Value(node: node(.list(corners)), name: name, path: "rooms[].outline", diagnostics: diagnostics))
    return diagnostics.all.first.map { $0.message + ($0.hint.map { hint in ": \(hint)" } ?? "") }
  }

  /// Whether the changed configuration has this plan, and is otherwise the same as the former one.
  func isMeant(by changed: Configuration, instead former: Configuration) -> Bool {
    let drawnRooms =
      former.rooms.compactMap { old in rooms.first { $0.former == old.name } }
      + rooms.filter { $0.former == nil }
    guard changed.rooms.count == drawnRooms.count,
      zip(changed.rooms, drawnRooms).allSatisfy({ room, drawn in
        room.name == drawn.name && Set(room.receivers) == Set(drawn.receivers)
          && areClose(room.outline, drawn.outline)
          && room.area == former.rooms.first { $0.name == drawn.former }?.area
          && (floorCount(over: former) < 2 || room.floor == drawn.floor)
      }), changed.doors.count == doors.count,
      doors.allSatisfy({ door in changed.doors.contains { areClose($0, door) } }),
      changed.receivers.allSatisfy({ receiver in
        let old = former.receivers.first { $0.name == receiver.name }?.calibration.position
        return areClose(receiver.calibration.position, places[receiver.name] ?? old)
      }), places.allSatisfy({ name, place in place == nil || changed.receivers.contains { $0.name == name } })
    else { return false }
    var rest = former
    if let floors {
      guard changed.floors.count == floors.count,
        zip(changed.floors, floors).allSatisfy({ now, drawn in
          now.name == drawn.name && abs(now.height - drawn.height) < drawingTolerance
            && now.ceiling == former.floors.first { $0.name == drawn.former }?.ceiling
        })
      else { return false }
      rest.floors = changed.floors
    }
    rest.rooms = changed.rooms
    rest.doors = changed.doors
    for place in rest.zones.indices {
      rest.zones[place].rooms = rest.zones[place].rooms?.reduce(into: []) { names, room in
        let name = newNames[room] ?? room
        if !names.contains(name) { names.append(name) }
      }
    }
    for receiver in changed.receivers {
      if let place = rest.receivers.firstIndex(where: { $0.name == receiver.name }) {
        rest.receivers[place].calibration.position = receiver.calibration.position
      } else {
        rest.receivers.append(
          ReceiverSettings(
            name: receiver.name, calibration: Calibration(position: receiver.calibration.position)))
      }
    }
    // A calibration is fitted to the rooms when the file is read, so it may change with them.
    rest.roomCalibration = changed.roomCalibration
    rest.calibrationAccount = changed.calibrationAccount
    return rest == changed
  }
}

/// In metres. A page sends hundredths, so that a smaller difference is none.
let drawingTolerance = 0.005_1

func areClose(_ a: [Point], _ b: [Point]) -> Bool {
  a.count == b.count
    && zip(a, b).allSatisfy { abs($0.x - $1.x) < drawingTolerance && abs($0.y - $1.y) < drawingTolerance }
}

func areClose(_ a: DoorSettings, _ b: DoorSettings) -> Bool {
  a.floor == b.floor && areClose([a.from, a.to], [b.from, b.to])
}

func areClose(_ a: Position?, _ b: Position?) -> Bool {
  guard let a, let b else { return a == nil && b == nil }
  return areClose([Point(x: a.x, y: a.y)], [Point(x: b.x, y: b.y)]) && abs(a.z - b.z) < drawingTolerance
}
