import Beacons
import Proximity
import Settings

/// Decides which keys of a zone's rules must be written to get the wanted zone: those that the reader would not make of the
/// file by itself. A default may depend on a changed key: `enter` is twice `near`.
struct ZoneChangePlan {
  /// A key of a rule and its new text.
  struct Entry: Equatable {
    var key: RulePlace.Key
    var value: RuleValue
    var text: String

    var name: String { key.name(of: value) }
  }

  /// A rule to write. Its keys are those that change or are added.
  struct RuleEntry: Equatable {
    var rule: String
    var entries: [Entry]
  }

  private(set) var rules: [RuleEntry] = []
  private(set) var removesNear = false
  /// What the reader will make of it.
  private(set) var result: ZoneSettings
  private let node: Node
  private var written: WrittenRules = [:]

  /// - Parameter node: the zone's entry in the file.
  init(from current: ZoneSettings, to wanted: ZoneSettings, in node: Node) throws(Unsupported) {
    self.node = node
    result = current
    if current.rooms != nil, wanted.near != nil || wanted.lost != .auto {
      throw Unsupported("a zone of rooms has dwell times only: a room says nothing of distance")
    }
    removesNear = current.near != nil && wanted.near == nil
    for place in RulePlace.allCases where !(removesNear && place.rule == "near") {
      written[place] = text(place).map(RuleValue.init(reading:))
    }
    let meant = wanted.rules
    for place in RulePlace.allCases where current.rooms == nil || place.key == .dwell {
      settle(place, meant[place], isNew: place.rule == "near" && current.near == nil)
    }
    read()
  }

  private mutating func read() {
    result = ZoneSettings(
      name: result.name, receivers: result.receivers, beacons: result.beacons, rooms: result.rooms,
      rules: written)
  }

  private mutating func settle(_ place: RulePlace, _ wanted: RuleValue?, isNew: Bool) {
    guard var wanted else { return }
    read()
    let usual = result.rules[place]
    // The exit of a zone in which whatever is heard is inside is weaker than a file can say.
    if usual?.isClose(to: wanted) != true { wanted = wanted.writable }
    if !isNew, let usual, usual.isClose(to: wanted) { return }
    // The reader asks for a threshold beside a dwell.
    if place == .enterDwell, result.rooms == nil, node["enter"] == nil, written[.enter] == nil {
      write(.enter, .threshold(result.enter.threshold))
    }
    write(place, wanted)
  }

  private mutating func write(_ place: RulePlace, _ value: RuleValue) {
    let text = value.text(like: text(place))
    written[place] = RuleValue(reading: text)
    let entry = Entry(key: place.key, value: value, text: text)
    if let rule = rules.firstIndex(where: { $0.rule == place.rule }) {
      rules[rule].entries.append(entry)
    } else {
      rules.append(RuleEntry(rule: place.rule, entries: [entry]))
    }
  }

  /// What the file has at a place.
  private func text(_ place: RulePlace) -> String? {
    guard let node = node[place.rule] else { return nil }
    if let scalar = node.scalar { return place.key == .threshold ? scalar : nil }
    return switch place.key {
    case .threshold: (node["distance"] ?? node["signal"])?.scalar
    default: node[place.key.rawValue]?.scalar
    }
  }
}
