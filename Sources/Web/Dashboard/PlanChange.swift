import Configuration
import Core
import Proximity

/// A plan as a page sends it: all `rooms` and `doors`, and `receivers` that were placed. Anything else is refused, because rooms
/// and doors that are missing are removed from the file.
package struct PlanChange: Sendable {
  package private(set) var plan = DrawnPlan()
  /// Whether the page only asks what the change would be.
  package private(set) var isPreview = false

  /// Metres. A site is smaller.
  private static let farthest = 5_000.0

  package init(_ tree: JSONTree) throws(TrialRequest.Refusal) {
    try tree.expect(["floors", "rooms", "doors", "receivers", "revision", "preview"], in: "the body")
    guard case .text? = tree["revision"] else {
      throw .init(description: "the revision of the file that was drawn over is missing")
    }
    guard let isPreview = tree.lacks("preview") ? false : tree.flag("preview") else {
      throw .init(description: "preview must be true or false")
    }
    self.isPreview = isPreview
    if !tree.lacks("floors") {
      plan.floors = []
      for entry in try Self.list("floors", tree) { try add(floor: entry) }
    }
    for entry in try Self.list("rooms", tree) { try add(room: entry) }
    for entry in try Self.list("doors", tree) { try add(door: entry) }
    for entry in try Self.list("receivers", tree) { try place(entry) }
  }

  private mutating func add(floor entry: JSONTree) throws(TrialRequest.Refusal) {
    try entry.expect(["floor", "former", "height"], in: "each entry of floors")
    guard let name = entry.text("floor"), let height = entry["height"] else {
      throw .init(description: "each entry of floors needs a floor and a height")
    }
    let metres = try Self.metres([height])[0]
    plan.floors?.append(DrawnPlan.Floor(name: name, former: try Self.name("former", entry), height: metres))
  }

  private mutating func add(room entry: JSONTree) throws(TrialRequest.Refusal) {
    try entry.expect(["room", "former", "floor", "outline", "receivers"], in: "each entry of rooms")
    guard let name = entry.text("room") else { throw .init(description: "each entry of rooms needs a room") }
    var outline: [Point] = []
    for corner in try Self.list("outline", entry) { outline.append(try Self.point(corner)) }
    var receivers: [String] = []
    for receiver in try Self.list("receivers", entry) {
      guard case .text(let name) = receiver else { throw .init(description: "a receiver must be a name") }
      if !receivers.contains(name) { receivers.append(name) }
    }
    plan.rooms.append(
      DrawnPlan.Room(
        name: name, former: try Self.name("former", entry), floor: try Self.name("floor", entry),
        outline: outline, receivers: receivers))
  }

  private mutating func add(door entry: JSONTree) throws(TrialRequest.Refusal) {
    try entry.expect(["floor", "line"], in: "each entry of doors")
    let ends = try Self.list("line", entry)
    guard ends.count == 2 else { throw .init(description: "the line of a door has two ends") }
    plan.doors.append(
      DoorSettings(
        from: try Self.point(ends[0]), to: try Self.point(ends[1]), floor: try Self.name("floor", entry)))
  }

  private mutating func place(_ entry: JSONTree) throws(TrialRequest.Refusal) {
    try entry.expect(["receiver", "position"], in: "each entry of receivers")
    guard let name = entry.text("receiver") else {
      throw .init(description: "each entry of receivers needs a receiver")
    }
    guard entry["position"] != .null else {
      plan.places[name] = .some(nil)
      return
    }
    let metres = try Self.metres(try Self.list("position", entry))
    guard (2...3).contains(metres.count) else {
      throw .init(description: "a position is two or three numbers: east, north, height")
    }
    let height = metres.count > 2 ? metres[2] : Position.beaconHeight
    plan.places[name] = Position(x: metres[0], y: metres[1], z: height)
  }

  // MARK: Values

  private static func list(_ key: String, _ tree: JSONTree) throws(TrialRequest.Refusal) -> [JSONTree] {
    guard case .list(let entries)? = tree[key] else { throw .init(description: "\(key) must be a list") }
    return entries
  }

  /// nil: it is missing, or null.
  private static func name(_ key: String, _ tree: JSONTree) throws(TrialRequest.Refusal) -> String? {
    guard !tree.lacks(key) else { return nil }
    guard let name = tree.text(key) else { throw .init(description: "\(key) must be a name") }
    return name
  }

  private static func point(_ tree: JSONTree) throws(TrialRequest.Refusal) -> Point {
    guard case .list(let entries) = tree, entries.count == 2 else {
      throw .init(description: "a corner is two numbers: east and north")
    }
    let metres = try metres(entries)
    return Point(x: metres[0], y: metres[1])
  }

  private static func metres(_ entries: [JSONTree]) throws(TrialRequest.Refusal) -> [Double] {
    var metres: [Double] = []
    for entry in entries {
      guard case .number(let number) = entry, abs(number) <= farthest else {
        throw .init(description: "a coordinate must be a number of metres, at most 5 km")
      }
      metres.append(number)
    }
    return metres
  }
}
