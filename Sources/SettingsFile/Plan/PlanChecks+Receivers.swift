import Proximity
import Settings

/// Where receivers hang: by their positions, and by the rooms that list them.
extension PlanChecks {
  /// Metres. A receiver outside a room may hear in.
  private static let farOutside = 10.0

  func checkPositions() {
    let outlined = outlined
    guard !outlined.isEmpty else { return }
    let homes = homes
    for (receiver, entry) in placedReceivers {
      guard let position = receiver.calibration.position, let value = place(of: entry) else { continue }
      let point = Point(x: position.x, y: position.y)
      let nearest = outlined.map { $0.shape.distance(from: point) }.min() ?? 0
      if nearest > Self.farOutside {
        value.warning(
          "the receiver \(quoted(receiver.name)) hangs \(Measure(.distance, nearest.rounded())) outside all rooms",
          hint: "receivers and outlines have the same coordinates")
        continue
      }
      guard let home = homes[receiver.name], let shape = home.outline?.shape, !shape.isInside(point) else {
        continue
      }
      let floor = outlined.filter { $0.room.settings.floor == home.settings.floor }
      guard shape.distanceToWall(from: point) > Self.wallTolerance,
        let other = floor.first(where: { $0.shape.isInside(point) })
      else { continue }
      value.warning(
        "the receiver \(quoted(receiver.name)) hangs in \(quoted(home.settings.name)), but its position is in "
          + quoted(other.room.settings.name),
        hint: "correct the position, or the room that lists it")
    }
    warnOfHeights()
  }

  /// Receivers whose heights count from the site's zero, not from their floor.
  private func warnOfHeights() {
    let homes = homes
    for (receiver, entry) in placedReceivers {
      guard let position = receiver.calibration.position, let value = place(of: entry), hasHeight(value),
        let floor = floor(of: homes[receiver.name])
      else { continue }
      let top = floor.height + (floor.ceiling ?? 6)
      guard !((floor.height - 0.5)...(top + 0.5)).contains(position.z) else { continue }
      value.warning(
        "the receiver \(quoted(receiver.name)) hangs at a height of \(Measure(.distance, position.z)), and its floor "
          + "\(quoted(floor.name)) is at \(Measure(.distance, floor.height))",
        hint: "heights count from 0 m, as those of the floors do")
    }
  }

  /// The receivers, with those whose height is not given at the height of a hand above the floor of their room.
  func raised(_ receivers: [ReceiverSettings]) -> [ReceiverSettings] {
    let homes = homes
    let flat = Set(
      placedReceivers.filter { place(of: $0.entry).map(hasHeight) == false }.map(\.receiver.name))
    return receivers.map { receiver in
      var receiver = receiver
      if flat.contains(receiver.name), let floor = floor(of: homes[receiver.name]) {
        receiver.calibration.position?.z = floor.height + Position.beaconHeight
      }
      return receiver
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
      Value(node: $0, name: "position", path: entry.path + ".position", findings: entry.findings)
    }
  }

  private func hasHeight(_ position: Value) -> Bool {
    if case .list(let coordinates) = position.node.content { coordinates.count > 2 } else { false }
  }
}
