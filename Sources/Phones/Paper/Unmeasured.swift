/// A rule that decided an outcome, but was not measured on this phone. So the outcome is uncertain.
public struct Unmeasured: Hashable, Sendable {
  public var rule: String
  /// The system, device or condition.
  public var phone: String
  /// An older system, another scope or a device where it was measured; nil: nowhere.
  public var elsewhere: String?

  /// `exit_latency, which nobody measured on ios17 (on ios9, yes)`.
  public var words: String {
    "\(rule), which nobody measured on \(phone)" + (elsewhere.map { " (on \($0) they did)" } ?? "")
  }
}

extension Simulation {
  /// The rules that decided here, differ from phone to phone, and were not measured on this system.
  public var unmeasured: [Unmeasured] {
    var names: [String] = []
    for verdict in verdicts {
      names += verdict.outcome.constants + (verdict.blockedBy?.constants ?? [])
      for fact in verdict.evidence {
        switch fact.what {
        case .regionEnter:
          names += ["entry_latency", "grace"]
          if verdict.time - fact.time > Self.shortStay { names.append("false_exit_after") }
        case .regionExit: names.append("exit_latency")
        case .taskBegun: names.append("task_cap")
        case .scanStarted where profile.strategy.mechanism == .job: names.append("scan_interval")
        default: break
        }
      }
    }
    // If nothing is delivered, the session does not matter.
    if profile.strategy.mechanism == .activitySession, verdicts.contains(where: \.outcome.isDelivered) {
      names.append("has_activity_session")
    }
    let interval = profile.strategy[.advertisingInterval]
    if profile.os[.unheardInterval].map({ interval >= $0 }) ?? false { names.append("unheard_interval") }
    if profile.os.family == .android {
      if profile.strategy[.hitLatency] != nil { names.append("hit_latency") }
      // If nothing is delivered, the maker does not matter.
      if verdicts.contains(where: \.outcome.isDelivered) {
        names.append("ends_app_after")
        if [.cycle, .foregroundService].contains(profile.strategy.mechanism) {
          names.append("filters_scans")
        }
      }
    }
    return Self.varying.filter(names.contains).compactMap(unmeasured)
  }

  private static let varying = [
    "entry_latency", "exit_latency", "grace", "slow_slot_latency", "fix_latency", "auto_pause_after",
    "stationary_after", "scan_interval", "hit_latency", "task_cap", "doze_after", "filters_scans",
    "ends_app_after", "false_exit_after", "unheard_interval", "has_activity_session",
  ]
  /// A false exit comes no sooner after the enter, where there are any.
  private static let shortStay: Milliseconds = 120_000

  func unmeasured(_ name: String) -> Unmeasured? {
    guard let told = profile.told(name), profile.applies(name) else { return nil }
    if case .user = told.source { return nil }
    let conditions = profile.circumstances.filter { name in Catalogue.conditions.contains { $0.name == name }
    }
    let phone = profile.os.name + (conditions.isEmpty ? "" : " under \(conditions.joined(separator: ", "))")
    if let other = Catalogue.exception(to: name, of: profile, isNone: told.value == "none") {
      return Unmeasured(rule: name, phone: phone, elsewhere: other)
    }
    guard told.value != "none" else { return nil }
    guard let measured = profile.measured(name) else {
      return told.confidence == .high ? nil : Unmeasured(rule: name, phone: phone)
    }
    if !conditions.isEmpty { return Unmeasured(rule: name, phone: phone, elsewhere: measured.scope) }
    guard profile.isOlder(measured) else { return nil }
    return Unmeasured(rule: name, phone: phone, elsewhere: measured.scope)
  }
}

extension PhoneProfile {
  /// Whether it was measured on another system only; a device or strategy may have it on any system.
  func isOlder(_ measured: Measured) -> Bool {
    let system = measured.scope.split(separator: "/").last.map(String.init)
    return system != os.name && Catalogue.systems().contains { $0.name == system }
  }

  /// Whether a rule of one platform means anything on this phone.
  fileprivate func applies(_ name: String) -> Bool {
    Self.rulesOfAndroid.contains(name) == (os.family == .android)
  }
}
