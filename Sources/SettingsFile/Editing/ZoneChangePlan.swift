import Beacons
import Proximity
import Settings

/// Decides which keys of a zone's rules must be written to get the wanted zone.
///
/// Missing keys have defaults that may depend on a changed key: `enter` is twice `near`. Where the default is not the wanted
/// value, the key is added.
struct ZoneChangePlan {
  /// A key of a rule and its new text.
  struct Entry: Equatable {
    /// `threshold` stands for `distance` or `signal`.
    enum Key: String { case threshold, dwell, rearm, lost }

    var key: Key
    var value: RuleValue
    var text: String

    /// As the file calls it.
    var name: String {
      switch value {
      case .threshold(.distance) where key == .threshold: "distance"
      case .threshold(.signal) where key == .threshold: "signal"
      default: key.rawValue
      }
    }
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

  /// - Parameter node: the zone's entry in the file.
  init(from current: ZoneSettings, to wanted: ZoneSettings, in node: Node) throws(Unsupported) {
    self.node = node
    result = current
    guard current.rooms == nil else {
      try planDwells(of: wanted)
      return
    }
    planNear(wanted)
    planEnter(wanted)
    planExit(wanted)
  }

  private mutating func planDwells(of wanted: ZoneSettings) throws(Unsupported) {
    guard wanted.near == nil, wanted.lost == .auto else {
      throw Unsupported("a zone of rooms has dwell times only: a room says nothing of distance")
    }
    result.enter.dwell = settle("enter", .dwell, wanted.enter.dwell, usual: .zero)
    result.exit.dwell = settle("exit", .dwell, wanted.exit.dwell, usual: .zero)
  }

  private mutating func planNear(_ wanted: ZoneSettings) {
    guard let near = wanted.near else {
      removesNear = result.near != nil
      result.near = nil
      return
    }
    let isNew = result.near == nil
    let threshold = settle("near", .threshold, near.rule.threshold, usual: nil)
    let dwell = settle("near", .dwell, near.rule.dwell, usual: isNew ? nil : ZoneReader.nearDwell)
    let rearm = settle(
      "near", .rearm, near.rearm, usual: isNew ? nil : threshold.farther(times: 2, decibels: 6))
    result.near = NearRule(rule: Rule(threshold: threshold, dwell: dwell), rearm: rearm)
  }

  private mutating func planEnter(_ wanted: ZoneSettings) {
    let usual = result.near?.rule.threshold.farther(times: 2, decibels: 6) ?? ZoneReader.heardAtAll
    result.enter.threshold = settle("enter", .threshold, wanted.enter.threshold, usual: usual)
    let dwell = wanted.enter.dwell
    // The reader asks for a threshold beside a dwell.
    if node["enter"] == nil, rule("enter") == nil,
      !RuleValue.time(dwell).isClose(to: .time(ZoneReader.enterDwell))
    {
      if case .threshold(let threshold) = add("enter", .threshold, .threshold(result.enter.threshold)) {
        result.enter.threshold = threshold
      }
    }
    result.enter.dwell = settle("enter", .dwell, dwell, usual: ZoneReader.enterDwell)
  }

  private mutating func planExit(_ wanted: ZoneSettings) {
    let usual = result.enter.threshold.farther(times: 1.5, decibels: 4)
    result.exit.threshold = settle("exit", .threshold, writable(wanted.exit.threshold, usual), usual: usual)
    result.exit.dwell = settle("exit", .dwell, wanted.exit.dwell, usual: ZoneReader.exitDwell)
    let isWritten = written("exit", .lost) != nil
    if !(isWritten ? result.lost.value : .auto).isClose(to: wanted.lost.value) {
      let text = wanted.lost.value.text(like: written("exit", .lost))
      append("exit", Entry(key: .lost, value: wanted.lost.value, text: text))
      if case .time(let span) = RuleValue(reading: text) {
        result.lost = .after(span)
      } else {
        result.lost = .auto
      }
    } else if !isWritten {
      result.lost = .auto
    }
  }

  /// The exit of a zone in which whatever is heard is inside is weaker than a file can say. Nothing is weaker than -127 dBm, so
  /// that means the same.
  private func writable(_ threshold: Threshold, _ usual: Threshold) -> Threshold {
    guard case .signal(let strength) = threshold, strength < -127,
      !RuleValue.threshold(threshold).isClose(to: .threshold(usual))
    else { return threshold }
    return ZoneReader.heardAtAll
  }

  // MARK: Settling a value

  private mutating func settle(_ rule: String, _ key: Entry.Key, _ wanted: Threshold, usual: Threshold?)
    -> Threshold
  {
    let value = settle(rule, key, .threshold(wanted), usual: usual.map(RuleValue.threshold))
    if case .threshold(let threshold) = value { return threshold }
    return wanted
  }

  private mutating func settle(_ rule: String, _ key: Entry.Key, _ wanted: TimeSpan, usual: TimeSpan?)
    -> TimeSpan
  {
    let value = settle(rule, key, .time(wanted), usual: usual.map(RuleValue.time))
    if case .time(let span) = value { return span }
    return wanted
  }

  /// The value that the reader will see.
  private mutating func settle(_ rule: String, _ key: Entry.Key, _ wanted: RuleValue, usual: RuleValue?)
    -> RuleValue
  {
    let old = written(rule, key)
    let current = old.map { RuleValue(reading: $0) } ?? usual
    if let current, current.isClose(to: wanted) { return current }
    return add(rule, key, wanted)
  }

  private mutating func add(_ rule: String, _ key: Entry.Key, _ value: RuleValue) -> RuleValue {
    let text = value.text(like: written(rule, key))
    append(rule, Entry(key: key, value: value, text: text))
    return RuleValue(reading: text)
  }

  private mutating func append(_ rule: String, _ entry: Entry) {
    if let place = rules.firstIndex(where: { $0.rule == rule }) {
      rules[place].entries.append(entry)
    } else {
      rules.append(RuleEntry(rule: rule, entries: [entry]))
    }
  }

  private func rule(_ name: String) -> RuleEntry? { rules.first { $0.rule == name } }

  /// What the file has for a key.
  private func written(_ rule: String, _ key: Entry.Key) -> String? {
    guard let node = node[rule] else { return nil }
    if let scalar = node.scalar { return key == .threshold ? scalar : nil }
    return switch key {
    case .threshold: (node["distance"] ?? node["signal"])?.scalar
    default: node[key.rawValue]?.scalar
    }
  }
}
