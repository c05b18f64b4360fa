import Beacons
import Configuration
import Core
import Proximity

/// A request to try rules of zones and calibrations of receivers that differ from the configured ones.
package struct TrialRequest: Sendable {
  /// Why a request cannot be tried, in plain words.
  package struct Refusal: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
  }

  /// nil: all beacons.
  package var beacon: String?
  package var length = TimeSpan.seconds(3600)
  /// The changed configuration.
  package var configuration: Configuration
  /// Names of the zones that differ.
  package private(set) var zones: [String] = []
  /// Receivers whose calibration differs.
  package private(set) var receivers: [ReceiverSettings] = []

  private static let longest = 24 * 60.0

  /// The beacon that a request names.
  package static func beacon(in tree: JSONTree) -> String? {
    if case .text(let name)? = tree["beacon"] { name } else { nil }
  }

  package init(_ tree: JSONTree, of configuration: Configuration) throws(Refusal) {
    self.configuration = configuration
    guard case .object = tree else { throw Refusal(description: "the body must be a JSON object") }
    try tree.expect(["beacon", "minutes", "zones", "receivers"], in: "the body")
    beacon = Self.beacon(in: tree)
    guard beacon != nil || tree["beacon"] == nil || tree["beacon"] == .null else {
      throw Refusal(description: "beacon must be a name")
    }
    if let minutes = try tree.number("minutes") {
      guard (0.1...Self.longest).contains(minutes) else {
        throw Refusal(description: "minutes must be from 0.1 to \(Int(Self.longest))")
      }
      length = .seconds(minutes * 60)
    }
    for entry in try Self.entries("zones", tree) { try change(zone: entry) }
    for entry in try Self.entries("receivers", tree) { try change(receiver: entry) }
  }

  /// Rules of one zone and calibrations of receivers, to be saved: `near`, `enter`, `exit`, `receivers`.
  package init(_ tree: JSONTree, saving zone: String, of configuration: Configuration) throws(Refusal) {
    self.configuration = configuration
    guard case .object(let members) = tree else {
      throw Refusal(description: "the body must be a JSON object")
    }
    guard members.contains(where: { ["near", "enter", "exit", "receivers"].contains($0.name) }) else {
      throw Refusal(description: "near, enter, exit and receivers are all missing")
    }
    try change(zone: tree, named: zone)
    for entry in try Self.entries("receivers", tree) { try change(receiver: entry) }
  }

  private static func entries(_ key: String, _ tree: JSONTree) throws(Refusal) -> [JSONTree] {
    switch tree[key] {
    case nil: return []
    case .list(let entries)?: return entries
    default: throw Refusal(description: "\(key) must be a list")
    }
  }

  private mutating func change(zone entry: JSONTree) throws(Refusal) {
    guard case .text(let name)? = entry["zone"] else {
      throw Refusal(description: "each entry of zones needs a zone")
    }
    try change(zone: entry, named: name)
  }

  private mutating func change(zone entry: JSONTree, named name: String) throws(Refusal) {
    guard let place = configuration.zones.firstIndex(where: { $0.name == name }) else {
      throw Refusal(description: "there is no zone \(name)")
    }
    try ZoneChange.apply(entry, to: &configuration.zones[place])
    zones.append(name)
    for phone in configuration.phones.indices { try follow(name, configuration.zones[place].near, phone) }
  }

  /// A phone's triggers are the near rules of its zones. A rule that the configuration's reader would refuse is refused here,
  /// too.
  private mutating func follow(_ zone: String, _ near: NearRule?, _ place: Int) throws(Refusal) {
    configuration.phones[place].follow(configuration.zones)
    let phone = configuration.phones[place]
    if near == nil, phone.zones?.contains(zone) == true {
      throw Refusal(description: "the phone \(phone.name) needs a near rule there")
    }
    let follows = phone.triggers.contains { $0.zone == zone }
    if follows, let rearm = phone.rearm, let near = near?.distance, rearm < near {
      throw Refusal(description: "the phone \(phone.name) would re-arm nearer than near")
    }
  }

  private mutating func change(receiver entry: JSONTree) throws(Refusal) {
    guard case .text(let name)? = entry["receiver"] else {
      throw Refusal(description: "each entry of receivers needs a receiver")
    }
    try entry.expect(["receiver", "exponent", "offset_db"], in: "each entry of receivers")
    if !configuration.receivers.contains(where: { $0.name == name }) {
      configuration.receivers.append(ReceiverSettings(name: name))
    }
    guard let place = configuration.receivers.firstIndex(where: { $0.name == name }) else { return }
    let old = configuration.receivers[place].calibration
    if let exponent = try entry.number("exponent") {
      guard (1...6).contains(exponent) else { throw Refusal(description: "an exponent must be from 1 to 6") }
      configuration.receivers[place].calibration.exponent = exponent
    }
    if let offset = try entry.number("offset_db") {
      guard (-40...40).contains(offset) else {
        throw Refusal(description: "an offset must be from -40 to 40 dB")
      }
      configuration.receivers[place].calibration.offset = offset
    }
    // The page sends values rounded to three digits.
    let new = configuration.receivers[place].calibration
    if abs(new.exponent - old.exponent) >= 0.000_5 || abs(new.offset - old.offset) >= 0.05 {
      receivers.append(configuration.receivers[place])
    } else {
      configuration.receivers[place].calibration = old
    }
  }
}

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
