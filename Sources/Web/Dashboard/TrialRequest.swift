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
