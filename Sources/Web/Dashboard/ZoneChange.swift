import Configuration
import Core
import Proximity

/// Rules of a zone as a page sends them: `near`, `enter` and `exit`, each absent or an object; `near` may be null. Anything
/// else is refused: an invalid number must not count as absent.
struct ZoneChange {
  private let entry: JSONTree
  private let old: WrittenRules
  private var rules: WrittenRules

  /// Applies the changes, and checks that the rules still fit together, as the configuration's reader does.
  static func apply(_ entry: JSONTree, to zone: inout ZoneSettings) throws(TrialRequest.Refusal) {
    var change = ZoneChange(entry, of: zone)
    try change.read()
    if zone.rooms != nil { try change.expectDwellsOnly() }
    let changed = ZoneSettings(
      name: zone.name, receivers: zone.receivers, beacons: zone.beacons, rooms: zone.rooms,
      rules: change.rules)
    if let wrong = changed.faults.first(where: \.isError) {
      throw .init(description: "\(wrong.fault)")
    }
    zone = changed
  }

  private init(_ entry: JSONTree, of zone: ZoneSettings) {
    self.entry = entry
    old = zone.rules
    // A default may be a larger distance than a file may have; it stays a default.
    rules = old.filter { !$0.value.isBeyondDistances }
  }

  private mutating func read() throws(TrialRequest.Refusal) {
    switch entry["near"] {
    case nil: break
    case .null?: for place in RulePlace.allCases where place.rule == "near" { rules[place] = nil }
    case .some(let near):
      try near.expect(["threshold", "unit", "dwell_s", "rearm"], in: "near")
      // Near needs a threshold.
      guard near["threshold"] != .null, near["threshold"] != nil || old[.near] != nil else {
        throw .init(description: "near needs a threshold")
      }
      try change(.near, .nearDwell, near)
      if let number = try near.number("rearm") {
        try set(.rearm, number, like: rules.threshold(.near))
      } else if old.threshold(.rearm)?.dimension != rules.threshold(.near)?.dimension {
        // The old value has no meaning in the other unit.
        rules[.rearm] = nil
      }
    }
    if let enter = entry["enter"] {
      try enter.expect(["threshold", "unit", "dwell_s"], in: "enter")
      try change(.enter, .enterDwell, enter)
    }
    if let exit = entry["exit"] {
      try exit.expect(["threshold", "unit", "dwell_s", "lost_s"], in: "exit")
      try change(.exit, .exitDwell, exit)
      if exit["lost_s"] == .null {
        rules[.lost] = .auto
      } else if let seconds = try exit.number("lost_s") {
        rules[.lost] = try time(
          seconds, "lost", from: ZoneSettings.shortestLoss, to: ZoneSettings.longestLoss)
      }
    }
  }

  private func expectDwellsOnly() throws(TrialRequest.Refusal) {
    for rule in ["near", "enter", "exit"] {
      guard case .number? = entry[rule]?["threshold"] else { continue }
      throw .init(description: "a zone of rooms has no thresholds")
    }
    guard rules[.near] == nil, rules[.lost] == .auto else {
      throw .init(description: "a zone of rooms has dwell times only: a room says nothing of distance")
    }
  }

  private mutating func change(_ threshold: RulePlace, _ dwell: RulePlace, _ entry: JSONTree)
    throws(TrialRequest.Refusal)
  {
    let like: Threshold? =
      switch entry["unit"] {
      case .text("m")?: .distance(0)
      case .text("dBm")?: .signal(0)
      case nil, .null?: nil
      default: throw .init(description: "a unit must be m or dBm")
      }
    if entry["threshold"] == .null {
      // No threshold: every signal counts. A rule that already means this stays as it is written.
      if rules.threshold(threshold)?.isAnySignal != true {
        rules[threshold] = .threshold(ZoneSettings.heardAtAll)
      }
    } else if let number = try entry.number("threshold") {
      try set(threshold, number, like: like ?? old.threshold(threshold))
    }
    if let seconds = try entry.number("dwell_s") {
      rules[dwell] = try time(seconds, "a dwell", from: .zero, to: ZoneSettings.longestDwell)
    }
  }

  private mutating func set(_ place: RulePlace, _ number: Double, like other: Threshold?)
    throws(TrialRequest.Refusal)
  {
    let measure = Measure(other?.dimension ?? .distance, number)
    // The page sends back values with three digits. A value may be a default that is larger than a file may have.
    if let old = old.threshold(place), old.dimension == measure.dimension,
      abs(old.measure.value - number) < 0.000_5
    {
      return
    }
    do throws(SettingFault) { rules[place] = .threshold(try Threshold(measure)) } catch {
      throw .init(description: "\(error)")
    }
  }

  private func time(_ seconds: Double, _ name: String, from least: TimeSpan, to most: TimeSpan)
    throws(TrialRequest.Refusal) -> RuleValue
  {
    guard (least.seconds...most.seconds).contains(seconds) else {
      let (least, most) = (Measure(.time, least.seconds), Measure(.time, most.seconds))
      throw .init(description: "\(name) must be from \(least) to \(most)")
    }
    return .time(.seconds(seconds))
  }
}

extension JSONTree {
  /// A number that may be absent. Anything else is refused.
  func number(_ key: String) throws(TrialRequest.Refusal) -> Double? {
    switch self[key] {
    case nil: return nil
    case .number(let number)?: return number
    default: throw .init(description: "\(key) must be a number")
    }
  }

  /// Refuses anything but an object, and unknown keys.
  package func expect(_ keys: [String], in name: String) throws(TrialRequest.Refusal) {
    guard case .object(let members) = self else { throw .init(description: "\(name) must be an object") }
    if let odd = members.first(where: { !keys.contains($0.name) }) {
      throw .init(description: "\(name) has no \(odd.name)")
    }
    for key in keys where members.count(where: { $0.name == key }) > 1 {
      throw .init(description: "\(name) has two of \(key)")
    }
  }
}
