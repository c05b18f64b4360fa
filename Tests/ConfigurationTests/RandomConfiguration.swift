import TestSupport

/// A valid configuration in a random style: flow or block, quoted or plain, with comments wherever they may stand.
struct RandomConfiguration {
  private(set) var yaml = ""
  private var comments = 0
  private var isQuoted = false

  init(_ dice: inout SeededGenerator) {
    isQuoted = Int.random(in: 0..<4, using: &dice) == 0
    var lines = ["gateway: { name: g }", "beacons:", "  - { name: key, address: C1:00:00:00:00:01 }"]
    lines = lines.map { $0 + comment(&dice) }
    lines.append("zones:" + comment(&dice))
    let dash = Bool.random(using: &dice) ? "" : "  "
    for name in ["a", "b", "z"] {
      if Bool.random(using: &dice) { lines.append(dash + ownComment()) }
      if Int.random(in: 0..<3, using: &dice) == 0 {
        lines.append("\(dash)- { \(flowZone(name, &dice)) }" + comment(&dice))
      } else {
        lines += blockZone(name, dash, &dice)
      }
      if Bool.random(using: &dice) { lines.append("") }
    }
    lines.append("telemetry: { health: 30 s }" + comment(&dice))
    let end = Bool.random(using: &dice) ? "\n" : "\r\n"
    yaml = lines.joined(separator: end) + (Bool.random(using: &dice) ? end : "")
    if Int.random(in: 0..<8, using: &dice) == 0 { yaml = "\u{FEFF}" + yaml }
  }

  private mutating func ownComment() -> String {
    comments += 1
    return "# comment ä \(comments): { \"x\" }"
  }

  private mutating func comment(_ dice: inout SeededGenerator) -> String {
    Int.random(in: 0..<3, using: &dice) == 0 ? "  " + ownComment() : ""
  }

  private func scalar(_ text: String) -> String { isQuoted ? "\"\(text)\"" : text }

  /// The keys of each rule, in order; a rule with one key may be a scalar.
  private func rules(_ dice: inout SeededGenerator) -> [(name: String, keys: [(String, String)])] {
    var rules: [(name: String, keys: [(String, String)])] = []
    if Bool.random(using: &dice) {
      rules.append(("near", [("distance", "1 m")] + some([("dwell", "2 s"), ("rearm", "250 cm")], &dice)))
    }
    if Bool.random(using: &dice) {
      let isSignal = Int.random(in: 0..<3, using: &dice) == 0
      let threshold = isSignal ? ("signal", "-70 dBm") : ("distance", "3m")
      rules.append(("enter", [threshold] + some([("dwell", "3 s")], &dice)))
      let exit = isSignal ? ("signal", "-80 dBm") : ("distance", "6 m")
      let keys = some([exit, ("dwell", "10 s"), ("lost", "auto")], &dice)
      if !keys.isEmpty { rules.append(("exit", keys)) }
    }
    return Bool.random(using: &dice) ? rules : rules.reversed()
  }

  private func some(_ keys: [(String, String)], _ dice: inout SeededGenerator) -> [(String, String)] {
    keys.filter { _ in Bool.random(using: &dice) }
  }

  private func flow(_ keys: [(String, String)], _ dice: inout SeededGenerator) -> String {
    if keys.count == 1, ["distance", "signal"].contains(keys[0].0), Bool.random(using: &dice) {
      return scalar(keys[0].1)
    }
    let pairs = keys.map { "\(scalar($0.0)): \(scalar($0.1))" }
    return Bool.random(using: &dice)
      ? "{ \(pairs.joined(separator: ", ")) }" : "{\(pairs.joined(separator: ","))}"
  }

  private mutating func flowZone(_ name: String, _ dice: inout SeededGenerator) -> String {
    var pairs = ["\(scalar("name")): \(scalar(name))"]
    if Bool.random(using: &dice) { pairs.append("\(scalar("beacons")): [key]") }
    pairs += rules(&dice).map { "\(scalar($0.name)): \(flow($0.keys, &dice))" }
    if Bool.random(using: &dice) { pairs.swapAt(0, pairs.count - 1) }
    var text = pairs[0]
    for pair in pairs.dropFirst() {
      switch Int.random(in: 0..<4, using: &dice) {
      case 0: text += ",\n      \(pair)"
      case 1: text += ",  \(ownComment())\n      \(pair)"
      default: text += ", \(pair)"
      }
    }
    return text + (Int.random(in: 0..<4, using: &dice) == 0 ? "," : "")
  }

  private mutating func blockZone(_ name: String, _ dash: String, _ dice: inout SeededGenerator) -> [String] {
    var lines: [String] = []
    var pairs = [["\(scalar("name")): \(scalar(name))"]]
    if Bool.random(using: &dice) { pairs.append(["beacons: [key]"]) }
    if Bool.random(using: &dice) { pairs.append(["receivers:", "- hci0", "- hci1"]) }
    for rule in rules(&dice) {
      if Bool.random(using: &dice) {
        pairs.append(["\(scalar(rule.name)): \(flow(rule.keys, &dice))"])
      } else {
        var inner = ["\(scalar(rule.name)):"]
        for key in rule.keys {
          if Int.random(in: 0..<4, using: &dice) == 0 { inner.append("  " + ownComment()) }
          inner.append("   \(scalar(key.0)):  \(scalar(key.1))")
        }
        pairs.append(inner)
      }
    }
    if Int.random(in: 0..<3, using: &dice) == 0 { pairs.swapAt(0, pairs.count - 1) }
    for pair in pairs {
      for line in pair {
        let start = lines.isEmpty ? "- " : "  "
        lines.append(dash + start + line + (line.hasPrefix("#") ? "" : comment(&dice)))
      }
      if Int.random(in: 0..<4, using: &dice) == 0 { lines.append(dash + "  " + ownComment()) }
    }
    return lines
  }
}
