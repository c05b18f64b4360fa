import Proximity
import Settings

/// Reads `rooms:`.
struct RoomReader {
  var floors: FloorNames
  /// Names under `receivers:`. Other receivers may exist, too: `hci0`, and scanners.
  var receivers: [String]

  /// A room with what the checks need of it.
  struct Entry {
    var settings: RoomSettings
    var value: Value
    /// With its corners' place in the file.
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
    if outlineValue == nil, list == nil, !section.hasUnknownKey {
      value.error(
        "nothing shows when a beacon is in \(name.map(quoted) ?? "this room")",
        hint: "add its receivers, or its outline")
    }
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
