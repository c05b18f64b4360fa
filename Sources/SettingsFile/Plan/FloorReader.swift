import Proximity
import Settings

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
