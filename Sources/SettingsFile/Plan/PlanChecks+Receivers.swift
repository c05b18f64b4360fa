import Proximity
import Settings

/// Checks receivers' positions against the rooms that list them.
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
