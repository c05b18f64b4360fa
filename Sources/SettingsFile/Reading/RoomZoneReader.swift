import Beacons
import Proximity
import Settings

/// Reads a zone that is made of rooms: a beacon is in it while it is in one of them. It has no thresholds, only dwell times.
struct RoomZoneReader {
  var rooms: [String]

  func read(_ section: Section, name: String?, beacons: [String]?) -> ZoneSettings? {
    section.take("receivers")?.error(
      "a zone of rooms hears through the receivers of its rooms", hint: "remove the line")
    section.take("near")?.error(
      "a zone of rooms has no near: a room says nothing of distance",
      hint: "for near, make another zone with receivers and distances")
    let enter = section.take("enter").flatMap(readDwell) ?? .zero
    let exit = section.take("exit").flatMap(readDwell) ?? .zero
    // They mean nothing here.
    let threshold = ZoneReader.heardAtAll
    return name.map {
      ZoneSettings(
        name: $0, beacons: beacons, enter: Rule(threshold: threshold, dwell: enter),
        exit: Rule(threshold: threshold, dwell: exit), rooms: rooms)
    }
  }

  private func readDwell(_ value: Value) -> TimeSpan? {
    let hint = "rooms decide; only a dwell time is possible: { dwell: 5 s }"
    guard let section = value.section(hint: hint) else { return nil }
    for key in ["distance", "signal", "lost"] {
      section.take(key, isVocabulary: false)?.error(
        "\(value.name) of a zone of rooms has no \(key)", hint: hint)
    }
    defer { section.finish() }
    return section.take("dwell").flatMap { readTime($0, upTo: RuleReader.longestDwell) }
  }
}
