import Beacons
import JSON
import Proximity
import Settings

/// Rules of a zone as a page sends them: `near`, `enter` and `exit`, each left out or an object; `near` may be null. What is neither is
/// refused: a number that did not arrive as one must not count as left out.
package struct ZoneChange: Sendable {
  private let entry: JSONTree

  package init(_ entry: JSONTree) { self.entry = entry }

  /// Changes what is named and checks that the rules still make sense together.
  package func apply(to zone: inout ZoneSettings) throws(TrialRequest.Refusal) {
    var changed = zone
    switch entry["near"] {
    case nil: break
    case .null?: changed.near = nil
    case .some(let near):
      try near.expect(["threshold", "unit", "dwell_s", "rearm"], in: "near")
      // Heard at all is no way to be near.
      guard near["threshold"] != .null else { throw .init(description: "near needs a threshold") }
      var rule = zone.near?.rule ?? Rule(threshold: .distance(1), dwell: .seconds(2))
      try apply(near, to: &rule)
      var rearm = zone.near?.rearm
      if let number = try near.number("rearm") { rearm = try threshold(number, like: rule.threshold) }
      changed.near = NearRule(rule: rule, rearm: rearm ?? rule.threshold)
    }
    if let enter = entry["enter"] {
      try enter.expect(["threshold", "unit", "dwell_s"], in: "enter")
      try apply(enter, to: &changed.enter)
    }
    if let exit = entry["exit"] {
      try exit.expect(["threshold", "unit", "dwell_s", "lost_s"], in: "exit")
      try apply(exit, to: &changed.exit)
      if exit["lost_s"] == .null {
        changed.lost = .auto
      } else if let seconds = try exit.number("lost_s") {
        guard (1...30 * 86400.0).contains(seconds) else {
          throw .init(description: "lost must be from 1 s to 30 days")
        }
        changed.lost = .after(.seconds(seconds))
      }
    }
    for rule in ["enter", "exit"] where zone.rooms != nil {
      if case .number? = entry[rule]?["threshold"] {
        throw .init(description: "a zone of rooms has no thresholds")
      }
    }
    try check(changed)
    zone = changed
  }

  private func apply(_ entry: JSONTree, to rule: inout Rule) throws(TrialRequest.Refusal) {
    let like: Threshold? =
      switch entry["unit"] {
      case .text("m")?: .distance(0)
      case .text("dBm")?: .signal(0)
      case nil, .null?: nil
      default: throw .init(description: "a unit must be m or dBm")
      }
    if entry["threshold"] == .null {
      // Heard at all; what means that already keeps its own way to say it.
      if !rule.threshold.isAnySignal { rule.threshold = .signal(-127) }
    } else if let number = try entry.number("threshold") {
      rule.threshold = try threshold(number, like: like ?? rule.threshold)
    }
    if let seconds = try entry.number("dwell_s") {
      guard (0...86400).contains(seconds) else {
        throw .init(description: "a dwell must be from 0 to 86400 s")
      }
      rule.dwell = .seconds(seconds)
    }
  }

  private func threshold(_ number: Double, like other: Threshold) throws(TrialRequest.Refusal) -> Threshold {
    switch other {
    case .distance:
      guard (0.01...1000).contains(number) else {
        throw .init(description: "a distance must be from 0.01 to 1000 m")
      }
      return .distance(number)
    case .signal:
      guard (-127...20).contains(number) else {
        throw .init(description: "a signal must be from -127 to 20 dBm")
      }
      return .signal(number)
    }
  }

  private func check(_ zone: ZoneSettings) throws(TrialRequest.Refusal) {
    if let near = zone.near {
      if near.rearm.isNotFarther(than: near.rule.threshold) {
        throw .init(description: "rearm must be farther than near")
      }
      if zone.enter.threshold.isNearer(than: near.rule.threshold) {
        throw .init(description: "near must not be farther than enter")
      }
    }
    if zone.exit.threshold.isNotFarther(than: zone.enter.threshold) {
      throw .init(description: "exit must be farther than enter")
    }
  }
}

extension JSONTree {
  /// A number that may be left out. Anything else is refused.
  func number(_ key: String) throws(TrialRequest.Refusal) -> Double? {
    switch self[key] {
    case nil: return nil
    case .number(let number)?: return number
    default: throw .init(description: "\(key) must be a number")
    }
  }

  /// Refuses what is no object, and keys that would be passed over.
  func expect(_ keys: [String], in name: String) throws(TrialRequest.Refusal) {
    guard case .object(let members) = self else { throw .init(description: "\(name) must be an object") }
    if let odd = members.first(where: { !keys.contains($0.name) }) {
      throw .init(description: "\(name) has no \(odd.name)")
    }
    for key in keys where members.count(where: { $0.name == key }) > 1 {
      throw .init(description: "\(name) has two of \(key)")
    }
  }
}

extension Threshold {
  /// Whether both have one unit and this one is nearer.
  fileprivate func isNearer(than other: Threshold) -> Bool {
    switch (self, other) {
    case (.distance(let a), .distance(let b)): a < b
    case (.signal(let a), .signal(let b)): a > b
    default: false
    }
  }

  fileprivate func isNotFarther(than other: Threshold) -> Bool {
    // Heard at all is both the nearest that can be asked of enter and the farthest of exit.
    if isAnySignal, other.isAnySignal { return false }
    switch (self, other) {
    case (.distance(let a), .distance(let b)): return a <= b
    case (.signal(let a), .signal(let b)): return a >= b
    default: return false
    }
  }
}
