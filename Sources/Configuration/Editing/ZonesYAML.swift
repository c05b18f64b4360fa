import Core
import Proximity

/// Complete zones as YAML to paste: `zones:`, with an entry for each.
package func zonesYAML(_ zones: [ZoneSettings]) -> String {
  zones.isEmpty ? "" : "zones:\n" + zones.map(entry).joined()
}

private func entry(_ zone: ZoneSettings) -> String {
  var lines = ["name: \(yamlScalar(zone.name))"]
  for (key, names) in [("receivers", zone.receivers), ("rooms", zone.rooms), ("beacons", zone.beacons)] {
    if let names { lines.append("\(key): [\(names.map { yamlScalar($0) }.joined(separator: ", "))]") }
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
    // A default that is too large for a file is left out and applies again. The reader requires a threshold of enter.
    if value != wanted, wanted == usual, place != .enter { continue }
    written[place] = value
    if pairs.last?.rule != place.rule { pairs.append((place.rule, [])) }
    pairs[pairs.count - 1].pairs.append(pair(place.key, value))
  }
  // Without near, the default is the same, so it is left out. With near, there would be another default.
  if zone.near == nil, zone.enter == ZoneSettings(name: zone.name, rules: [:]).enter {
    pairs.removeAll { $0.rule == "enter" }
  }
  return pairs.map { "\($0.rule): { \($0.pairs.joined(separator: ", ")) }" }
}

private func pair(_ key: RulePlace.Key, _ value: RuleValue) -> String {
  "\(key.name(of: value)): \(value.text())"
}

/// A text as YAML that every reader reads as exactly this text: without quotes if it cannot be anything else, otherwise in
/// double quotes.
///
/// - Parameter isQuoted: in quotes anyway, as in JSON.
package func yamlScalar(_ text: String, isQuoted: Bool = false) -> String {
  isPlain(text) && !isQuoted ? text : "\"" + text.unicodeScalars.map(escaped).joined() + "\""
}

private func isPlain(_ text: String) -> Bool {
  guard let first = text.utf8.first, isLetter(first) || "/$".utf8.contains(first),
    text.utf8.last != UInt8(ascii: ":")
  else { return false }
  let isHarmless = text.utf8.allSatisfy { isLetter($0) || isDigit($0) || "_-./:$".utf8.contains($0) }
  return isHarmless && !words.contains(text.lowercased())
}

/// Words that some readers treat as true, false or null.
private let words: Set<String> = ["y", "n", "yes", "no", "true", "false", "on", "off", "null"]

private func isLetter(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
}

private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

/// A character between double quotes (YAML 1.2, section 5.7).
private func escaped(_ scalar: Unicode.Scalar) -> String {
  switch scalar {
  case "\"": "\\\""
  case "\\": "\\\\"
  default:
    if scalar.isPrintable {
      String(scalar)
    } else if scalar.value > 0xFFFF {
      "\\U" + hexadecimal(UInt128(scalar.value), octets: 4)
    } else {
      "\\u" + hexadecimal(UInt128(scalar.value), octets: 2)
    }
  }
}
