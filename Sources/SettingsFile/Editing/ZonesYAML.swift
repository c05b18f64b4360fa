import Beacons
import Proximity
import Settings

/// Zones as YAML to paste, whole: `zones:`, and an entry for each.
public func zonesYAML(_ zones: [ZoneSettings]) -> String {
  zones.isEmpty ? "" : "zones:\n" + zones.map(entry).joined()
}

private func entry(_ zone: ZoneSettings) -> String {
  var lines = ["name: \(yamlScalar(zone.name))"]
  for (key, names) in [("receivers", zone.receivers), ("rooms", zone.rooms), ("beacons", zone.beacons)] {
    if let names { lines.append("\(key): [\(names.map(yamlScalar).joined(separator: ", "))]") }
  }
  if zone.rooms != nil {
    for (rule, dwell) in [("enter", zone.enter.dwell), ("exit", zone.exit.dwell)] where dwell > .zero {
      lines.append("\(rule): { \(pair(.dwell, .time(dwell))) }")
    }
  } else {
    lines += rules(zone)
  }
  return "  - " + lines.joined(separator: "\n    ") + "\n"
}

private func rules(_ zone: ZoneSettings) -> [String] {
  var written: WrittenRules = [:]
  var pairs: [(rule: String, pairs: [String])] = []
  for place in RulePlace.allCases {
    guard let wanted = zone.rules[place] else { continue }
    let usual = ZoneSettings(name: zone.name, rules: written).rules[place]
    let value = wanted.writable
    // A default that is beyond what a file can say comes back by itself. The reader asks for a threshold of enter.
    if value != wanted, wanted == usual, place != .enter { continue }
    written[place] = value
    if pairs.last?.rule != place.rule { pairs.append((place.rule, [])) }
    pairs[pairs.count - 1].pairs.append(pair(place.key, value))
  }
  // Left out, it means the same where there is no near, which would give it another default.
  if zone.near == nil, zone.enter == ZoneSettings(name: zone.name, rules: [:]).enter {
    pairs.removeAll { $0.rule == "enter" }
  }
  return pairs.map { "\($0.rule): { \($0.pairs.joined(separator: ", ")) }" }
}

private func pair(_ key: RulePlace.Key, _ value: RuleValue) -> String {
  "\(key.name(of: value)): \(value.text())"
}
