import Proximity
import Settings

/// Rooms in plain words: size, neighbours, receivers, and what is missing.
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

  /// nil where it is not known.
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
    guard !names.isEmpty else { return "No receiver is in it; others decide." }
    return "\(names.count == 1 ? "Receiver" : "Receivers"): \(listed(names.map(placed), joining: "and"))."
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

  /// nil: nothing is.
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
