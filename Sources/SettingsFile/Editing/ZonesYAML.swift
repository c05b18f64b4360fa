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
      lines.append("\(rule): { \(pair("dwell", .time(dwell))) }")
    }
  } else {
    lines += rules(zone)
  }
  return "  - " + lines.joined(separator: "\n    ") + "\n"
}

private func rules(_ zone: ZoneSettings) -> [String] {
  var lines: [String] = []
  if let near = zone.near {
    let pairs = rule(near.rule) + [pair("rearm", .threshold(near.rearm))]
    lines.append("near: { \(pairs.joined(separator: ", ")) }")
  }
  // Left out, it means the same where there is no near, which would give it another default.
  if zone.near != nil || zone.enter != Rule(threshold: ZoneReader.heardAtAll, dwell: ZoneReader.enterDwell) {
    lines.append("enter: { \(rule(zone.enter).joined(separator: ", ")) }")
  }
  var leaving = zone.exit
  // Weaker than a file can say: the default where whatever is heard is inside, else the weakest that there is.
  if case .signal(let strength) = leaving.threshold, strength < -127,
    zone.enter.threshold != ZoneReader.heardAtAll
  {
    leaving.threshold = ZoneReader.heardAtAll
  }
  let exit = rule(leaving) + [pair("lost", zone.lost.value)]
  lines.append("exit: { \(exit.joined(separator: ", ")) }")
  return lines
}

private func rule(_ rule: Rule) -> [String] {
  let threshold: [String] =
    switch rule.threshold {
    case .distance: [pair("distance", .threshold(rule.threshold))]
    case .signal(let strength): strength < -127 ? [] : [pair("signal", .threshold(rule.threshold))]
    }
  return threshold + [pair("dwell", .time(rule.dwell))]
}

private func pair(_ key: String, _ value: RuleValue) -> String { "\(key): \(value.text())" }
