import Beacons
import JSON
import Proximity
import Settings

/// Rules of a zone as a page sends them: `near`, `enter` and `exit`, each left out, null or an object.
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
      var rule = zone.near?.rule ?? Rule(threshold: .distance(1), dwell: .seconds(2))
      try apply(near, to: &rule)
      var rearm = zone.near?.rearm
      if case .number(let number)? = near["rearm"] { rearm = try threshold(number, like: rule.threshold) }
      changed.near = NearRule(rule: rule, rearm: rearm ?? rule.threshold)
    }
    if let enter = entry["enter"] { try apply(enter, to: &changed.enter) }
    if let exit = entry["exit"] {
      try apply(exit, to: &changed.exit)
      switch exit["lost_s"] {
      case .null?: changed.lost = .auto
      case .number(let seconds)?:
        guard (1...30 * 86400.0).contains(seconds) else {
          throw .init(description: "lost must be at least 1 s")
        }
        changed.lost = .after(.seconds(seconds))
      default: break
      }
    }
    try check(changed)
    zone = changed
  }

  private func apply(_ entry: JSONTree, to rule: inout Rule) throws(TrialRequest.Refusal) {
    // Heard at all.
    if entry["threshold"] == .null { rule.threshold = .signal(-127) }
    if case .number(let number)? = entry["threshold"] {
      switch entry["unit"] {
      case .text("m")?: rule.threshold = try threshold(number, like: .distance(0))
      case .text("dBm")?: rule.threshold = try threshold(number, like: .signal(0))
      case nil: rule.threshold = try threshold(number, like: rule.threshold)
      default: throw .init(description: "a unit must be m or dBm")
      }
    }
    if case .number(let seconds)? = entry["dwell_s"] {
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
