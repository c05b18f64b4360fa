import Proximity
import Settings

/// Reads `outline:` – the corners of a room in order, each `[east, north]`.
struct OutlineReader {
  private static let hint =
    "the corners in order, for example [[0 m, 0 m], [3 m, 0 m], [3 m, 4 m], [0 m, 4 m]]"
  /// m². Less than a cupboard is a wrong unit.
  private static let leastArea = 0.1

  /// nil, with a diagnostic, for anything but a plain polygon.
  func read(_ value: Value) -> Outline? {
    guard let entries = value.list(hint: Self.hint) else { return nil }
    guard entries.count <= RoomSettings.cornerLimit + 1 else {
      return value.refused(
        "\(value.name) has \(entries.count) corners", hint: "at most \(RoomSettings.cornerLimit) are possible"
      )
    }
    var corners = entries.compactMap { readPoint($0.named("a corner of \(value.name)")) }
    guard corners.count == entries.count, !entries.isEmpty else { return nil }
    // As some programs write a polygon.
    if corners.count > 1, corners.first == corners.last { corners.removeLast() }
    guard corners.count >= 3 else {
      return value.refused(
        "\(value.name) has \(corners.count) corners: that encloses nothing", hint: Self.hint)
    }
    for place in corners.indices where corners[place] == corners[(place + 1) % corners.count] {
      entries[(place + 1) % corners.count].error(
        "the corner \(words(corners[place])) is there twice in a row", hint: "remove one of them")
      return nil
    }
    let outline = Outline(corners)
    guard isFlat(outline) == false else {
      return value.refused(
        "\(value.name) encloses nothing: its corners are on one line",
        hint: "give them in order, around the room")
    }
    if let (first, second) = outline.crossing {
      let (a, b) = (outline.walls[first], outline.walls[second])
      return value.refused(
        "\(value.name) crosses itself: the side from \(words(a.from)) to \(words(a.to)) meets that from "
          + "\(words(b.from)) to \(words(b.to))",
        hint: "give the corners in order, around the room")
    }
    guard outline.area >= Self.leastArea else {
      return value.refused(
        "\(value.name) encloses only \(square(outline.area))", hint: "check the units: 3 m, 300 cm")
    }
    return outline
  }

  private func isFlat(_ outline: Outline) -> Bool {
    guard let first = outline.corners.first, let second = outline.corners.dropFirst().first else {
      return true
    }
    return outline.corners.allSatisfy { corner in
      (second.x - first.x) * (corner.y - first.y) == (second.y - first.y) * (corner.x - first.x)
    }
  }
}

/// Reads `[3 m, 4 m]`: east and north in the site's own coordinates.
func readPoint(_ value: Value) -> Point? {
  let hint = "east and north, for example [3 m, 4 m]"
  guard let entries = value.list(hint: hint) else { return nil }
  guard entries.count == 2 else {
    return value.refused("\(value.name) has \(entries.count) coordinates", hint: hint)
  }
  let metres = entries.compactMap { $0.measure(.distance) }
  guard metres.count == 2 else { return nil }
  guard metres.allSatisfy({ abs($0) <= farthest }) else {
    return value.refused(
      "\(value.name) is far away", hint: "at most \(Measure(.distance, farthest)) from [0 m, 0 m]")
  }
  return Point(x: metres[0], y: metres[1])
}

/// Metres. A site is smaller.
private let farthest = 5_000.0

/// A place as it is written.
func words(_ point: Point) -> String {
  "[\(Measure(.distance, point.x)), \(Measure(.distance, point.y))]"
}

/// An area, rounded for people: to 0.1 m² below 100 m².
func square(_ area: Double) -> String {
  let rounded = area < 100 ? (area * 10).rounded() / 10 : area.rounded()
  return rounded == rounded.rounded() ? "\(Int(rounded)) m²" : "\(rounded) m²"
}
