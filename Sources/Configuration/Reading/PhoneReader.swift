import Beacons
import Core
import Phones
import Proximity

/// Reads `phones:`. Defaults:
/// - `variant`: observed;
/// - `zones`: every zone with a near rule that watches the beacon;
/// - `rearm`: each zone's own;
/// - `regions`: one.
struct PhoneReader {
  var beacons: [BeaconSettings]
  /// Includes entries that could not be read.
  var beaconNames: Set<String>
  var zones: [ZoneSettings]
  var zoneNames: Set<String>
  var profiles: ProfileSettings

  private var choice: ProfileChoice { ProfileChoice(profiles: profiles) }

  func read(_ value: Value) -> PhoneSettings? {
    let hint = "for example { name: anna, beacon: van, os: ios13, strategy: background-task }"
    guard let section = value.section(hint: hint) else { return nil }
    defer { section.finish() }
    let name = readName(section)
    let carried = section.require("beacon", hint: "the beacon that the phone carries").flatMap {
      CarriedBeacon($0, among: beacons, known: beaconNames)
    }
    let variant = section.take("variant").flatMap(choice.readVariant) ?? .observed
    let os = section.require("os", hint: "for example os: ios17").flatMap { value in
      choice.choose(value, among: profiles.systems(variant), "system", \.name)
    }
    let written = section.take("strategy")
    if written == nil { _ = section.require("strategy", hint: "for example strategy: background-task") }
    let strategy = written.flatMap {
      choice.choose($0, among: profiles.strategies(variant), "strategy", \.name)
    }
    let zoneValue = section.take("zones")
    let rearm = section.take("rearm").flatMap { value in
      readMetres(value).map { (value: value, metres: $0) }
    }
    let regions = section.take("regions")
    let countdown = section.take("countdown").flatMap(readFlag) ?? false
    let set = section.take("set").map { readSet($0, PhoneProfile.rules) } ?? []

    var profile: PhoneProfile?
    if let os, let strategy, let written { profile = choice.join(os, strategy, written) }
    for setting in set { profile?.set(setting) }
    guard let carried else { return nil }
    let entries = Set(beacons.filter(carried.belongs).map(\.name))
    let own =
      zoneValue.map { chosen($0, by: carried.name, entries) }
      ?? zones.filter { $0.near != nil && $0.watches(anyOf: entries) }
    if own.isEmpty, zoneValue == nil, !section.diagnostics.hasErrors {
      section.diagnostics.warning(
        "no zone with a near rule watches \(quoted(carried.name)), so there will never be a verdict",
        at: section.position, hint: "give a zone that watches it a near distance")
    }
    if let rearm { for zone in own { check(rearm.value, rearm.metres, against: zone) } }
    let hasRegionOfEachZone = regions.map { readRegions($0, zones: own.count) } ?? false
    guard let name, let profile else { return nil }
    var phone = PhoneSettings(
      name: name, beacon: carried.name, beaconKey: carried.key, variant: variant, profile: profile,
      zones: zoneValue.map { _ in own.map(\.name) }, entries: entries, rearm: rearm?.metres,
      hasRegionOfEachZone: hasRegionOfEachZone, countdown: countdown)
    phone.follow(zones)
    return phone
  }

  // MARK: Zones

  private func readRegions(_ value: Value, zones: Int) -> Bool {
    guard let text = value.text() else { return false }
    switch text {
    case "one": return false
    case "zones" where zones <= BeaconRegion.limit: return true
    case "zones":
      value.error(
        "\(zones) zones would take as many regions, and an app monitors at most \(BeaconRegion.limit)",
        hint: "list fewer zones, or leave the line out: one region for all")
    default:
      value.error("regions must be one or zones, not \(quoted(text))", hint: "zones: a region for each zone")
    }
    return false
  }

  private func chosen(_ value: Value, by beacon: String, _ entries: Set<String>) -> [ZoneSettings] {
    var chosen: [ZoneSettings] = []
    for entry in value.list(hint: "remove the line to take every zone with a near rule") ?? [] {
      guard let name = checkedName(entry) else { continue }
      guard zoneNames.contains(name) else {
        entry.error(
          "there is no zone \(quoted(name))",
          hint: suggestion(for: name, among: zoneNames, whenEmpty: "zones: is empty"))
        continue
      }
      // A zone with an error of its own, which is already reported.
      guard let zone = zones.first(where: { $0.name == name }) else { continue }
      if chosen.contains(zone) {
        entry.warning("\(quoted(name)) is listed twice")
      } else if zone.near == nil {
        entry.error(
          "the zone \(quoted(name)) has no near rule, so nothing triggers there",
          hint: "add one to the zone, for example near: { distance: 2 m }")
      } else if !zone.watches(anyOf: entries) {
        entry.error(
          "the zone \(quoted(name)) does not watch \(quoted(beacon))",
          hint: "add it to the beacons of that zone")
      } else {
        chosen.append(zone)
      }
    }
    return chosen
  }

  private func check(_ value: Value, _ metres: Double, against zone: ZoneSettings) {
    guard let near = zone.near?.distance, metres < near else { return }
    value.error(
      "rearm (\(Measure(.distance, metres))) is nearer than near (\(Measure(.distance, near))) of \(quoted(zone.name))",
      hint: "a verdict is given when the phone has left: try \(Measure(.distance, 2 * near))")
  }
}

/// The beacon that a phone carries: an entry of `beacons:`, or a member of a region there.
struct CarriedBeacon {
  /// The name used in the phone's settings.
  var name: String
  /// Its identity in advertisements; nil if it is known only by its address or key.
  var pattern: BeaconPattern

  /// Its key in observations.
  var key: String? { BeaconEntry(name: name, pattern: pattern).key }

  /// Finds the beacon; nil, with a diagnostic, if there is none.
  init?(_ value: Value, among beacons: [BeaconSettings], known: Set<String>) {
    guard let text = value.text() else { return nil }
    if known.contains(text), let entry = beacons.first(where: { $0.name == text }) {
      guard !entry.pattern.isRegion else {
        value.error(
          "\(quoted(text)) is a region of many beacons, and a phone carries one",
          hint: "name the member, for example \(text):\(entry.pattern.memberExample)")
        return nil
      }
      name = text
      pattern = entry.pattern
      return
    }
    // An entry with an error of its own, which is already reported.
    if known.contains(text) { return nil }
    if let colon = text.firstIndex(of: ":"),
      let region = beacons.first(where: { $0.name == text[..<colon] && $0.pattern.isRegion })
    {
      let member = text[text.index(after: colon)...].lowercased()
      guard let pattern = region.pattern.member(member) else {
        value.error(
          "\(quoted(text)) is not a member of the region \(quoted(region.name))",
          hint: "members are called like \(region.name):\(region.pattern.memberExample)")
        return nil
      }
      name = "\(region.name):\(member)"
      self.pattern = pattern
      return
    }
    if let colon = text.firstIndex(of: ":"), known.contains(String(text[..<colon])) {
      if beacons.contains(where: { $0.name == text[..<colon] }) {
        value.error(
          "\(quoted(String(text[..<colon]))) is not a region, so it has no members",
          hint: "write beacon: \(text[..<colon])")
      }
      return nil
    }
    value.error(
      "there is no beacon \(quoted(text))",
      hint: suggestion(for: text, among: known, whenEmpty: "beacons: is empty"))
    return nil
  }

  /// Whether an entry of `beacons:` matches it.
  func belongs(to entry: BeaconSettings) -> Bool { entry.name == name || entry.pattern.includes(pattern) }
}

extension BeaconPattern {
  /// The member of a region with the name that `BeaconCatalogue` gives it: `1.2`, or hexadecimal digits.
  package func member(_ name: String) -> BeaconPattern? {
    switch self {
    case .iBeacon(let uuid, let own, nil):
      guard let (major, minor) = pair(name), own == nil || own == major else { return nil }
      return .iBeacon(uuid: uuid, major: major, minor: minor)
    case .eddystoneUID(let namespace, nil):
      guard let bytes = octets(hexadecimal: name), bytes.count == 6 else { return nil }
      return .eddystoneUID(
        namespace: namespace, instance: UInt64(truncatingIfNeeded: number(bigEndian: bytes)))
    case .altBeacon(let prefix) where prefix.count == 16 || prefix.count == 18:
      guard let (high, low) = pair(name) else { return nil }
      let id = prefix.prefix(16) + [UInt8(high >> 8), UInt8(high & 255), UInt8(low >> 8), UInt8(low & 255)]
      return id.starts(with: prefix) ? .altBeacon(idPrefix: Array(id)) : nil
    case .altBeacon(let prefix) where prefix.count < 20:
      guard let bytes = octets(hexadecimal: name), prefix.count + bytes.count == 20 else { return nil }
      return .altBeacon(idPrefix: prefix + bytes)
    default: return nil
    }
  }

  /// An example of a member's name in this region.
  var memberExample: String {
    switch self {
    case .iBeacon(_, let major, _): "\(major ?? 1).2"
    case .eddystoneUID: "0bdb87539b67"
    default: "1.2"
    }
  }

  /// Whether every beacon of another pattern also matches this pattern.
  fileprivate func includes(_ other: BeaconPattern) -> Bool {
    switch (self, other) {
    case (.iBeacon(let uuid, let major, let minor), .iBeacon(let otherUUID, let otherMajor, let otherMinor)):
      uuid == otherUUID && (major == nil || major == otherMajor) && (minor == nil || minor == otherMinor)
    case (.altBeacon(let prefix), .altBeacon(let id)): id.starts(with: prefix)
    case (.eddystoneUID(let namespace, let instance), .eddystoneUID(let otherNamespace, let otherInstance)):
      namespace == otherNamespace && (instance == nil || instance == otherInstance)
    case (.resolvingKey, _): false
    default: self == other
    }
  }
}

/// Two numbers as `1.2`, without leading zeros.
func pair(_ text: String) -> (UInt16, UInt16)? {
  let parts = text.split(separator: ".", omittingEmptySubsequences: false)
  guard parts.count == 2, let first = UInt16(parts[0]), let second = UInt16(parts[1]),
    "\(first).\(second)" == text
  else { return nil }
  return (first, second)
}

/// Reads `os`, `strategy` and `variant`, in any section that has them.
struct ProfileChoice {
  var profiles: ProfileSettings

  func choose<Profile>(
    _ value: Value, among profiles: [Profile], _ kind: String, _ name: (Profile) -> String
  ) -> Profile? {
    guard let text = value.text() else { return nil }
    if let profile = profiles.first(where: { name($0) == text }) { return profile }
    if kind == "system", let older = Catalogue.systemName(for: text),
      let profile = profiles.first(where: { name($0) == older })
    {
      value.diagnostics.warning(
        "there is no profile of \(quoted(text)) alone: \(older) is used, the newest before it",
        at: value.position)
      return profile
    }
    return value.refused(text, kind: kind, known: profiles.map(name))
  }

  func join(_ os: OSProfile, _ strategy: StrategyProfile, _ value: Value) -> PhoneProfile? {
    if let profile = PhoneProfile(os: os, strategy: strategy) { return profile }
    let fitting = profiles.strategies().filter { PhoneProfile(os: os, strategy: $0) != nil }.map(\.name)
    return value.refused(
      PhoneProfile.mismatch(os: os, strategy: strategy) ?? "",
      hint: "strategies on \(os.name): \(listed(fitting, joining: "and"))")
  }

  func readVariant(_ value: Value) -> Variant? {
    guard let text = value.text() else { return nil }
    if let variant = Variant(rawValue: text) { return variant }
    return value.refused(
      "variant must be seed or observed, not \(quoted(text))",
      hint: "seed: as the documents have it; observed: with the latencies and refusals seen since")
  }
}

/// What is simulated for a phone, and when its app would be suspended, in plain words.
func sentences(_ phone: PhoneSettings) -> [String] {
  let (os, strategy) = (phone.profile.os, phone.profile.strategy)
  var sentences = [
    "Carries \(phone.beacon). Simulated as \(os.name) (\(os.summary)) "
      + "with \(strategy.name) (\(strategy.summary))."
  ]
  if os.family == .iOS { sentences.append("Its rules: \(phone.variant.words).") }
  sentences.append(awake(phone.profile))
  if strategy[.heardDistance] >= StrategyProfile.usualHearing {
    sentences.append("Whenever the gateway hears the beacon, the phone does.")
  } else {
    sentences.append("The phone hears the beacon within \(distance(strategy[.heardDistance])) only.")
  }
  if phone.triggers.isEmpty {
    sentences.append("No zone has a near trigger for it: its windows are published, but no verdicts.")
  } else {
    let zones = phone.triggers.map { "\($0.zone), until it is \(left($0))" }
    sentences.append("It gets a verdict for each near of \(listed(zones, joining: "and")), or lost.")
  }
  if phone.hasRegionOfEachZone {
    sentences.append("Its app has a region for each of these zones: each enter and exit gives it time.")
  }
  if phone.countdown { sentences.append("Its window is published every second while time runs out.") }
  return sentences
}

private func awake(_ profile: PhoneProfile) -> String {
  let (os, strategy) = (profile.os, profile.strategy)
  guard os[.supportsBeacons] else {
    return "This system does not support beacons: nothing is ever delivered."
  }
  let grace = os[.grace]
  switch strategy.mechanism {
  case .events where strategy[.beginsTask] && strategy[.taskGranted]:
    guard strategy[.endsTask] else {
      let end = grace + os[.taskCap]
      return "Its app ranges for \(time(end)) after the beacon is first heard or lost, is killed "
        + "\(time(os[.killDelay])) later, and stays so until somebody launches it."
    }
    let end = grace + max(0, os[.taskCap] - os[.expirationMargin])
    return "Its app ranges for \(time(end)) after the beacon is first heard or lost, and is suspended then."
  case .events:
    return "Its app ranges for \(time(grace)) after the beacon is first heard or lost, and is suspended then."
  case .location:
    let rules = PhoneRules(profile)
    guard rules.locationRunsInBackground, !rules.isLocationRejected else {
      let lost =
        rules.isLocationRejected
        ? "This system rejects its location settings (LOCATION_CONFIG_REJECTED)"
        : "Its settings do not let location updates run in the background"
      if rules.tellsWhenInUseApart && strategy.permission == .whenInUse {
        return "\(lost), and with this permission no beacon wakes it: in the background its app never ranges."
      }
      return "\(lost): its app ranges for \(time(grace)) after the beacon is first heard or lost."
    }
    return "Its app ranges for as long as location updates run: until reboot, force-quit or low memory."
      + pause(rules)
  case .activitySession:
    return "Its app ranges for as long as a session runs that began in the foreground."
      + pause(PhoneRules(profile))
  case .sampledLocation:
    let window = strategy[.sampleWindow].map { " for \(time($0))" } ?? ""
    return
      "Its app starts location every \(time(strategy[.sampleInterval]))\(window), a background task in between."
  case .cycle:
    let limit = os[.serviceLimit].map { ", for \(time($0)) after the app left the foreground" } ?? ""
    return
      "Its app scans for \(time(strategy[.scanPeriod])) of every \(time(strategy[.scanInterval]))\(limit)."
  case .job:
    return
      "Its app scans for \(time(strategy[.scanPeriod])) about every \(time(strategy[.scanInterval]))."
  case .intent:
    return "The system scans, and wakes the app for \(time(strategy[.scanPeriod])) at a hit."
  case .foregroundService:
    return "Its app scans for as long as its foreground service runs."
  }
}

private func pause(_ rules: PhoneRules) -> String {
  guard let limit = rules.autoPauseAfter else { return "" }
  let end = rules[.resumesWhenMoving] ? "until it moves" : "until the app is opened"
  return " Location pauses itself when the phone has lain still for \(time(limit)), \(end)."
}

private func left(_ trigger: PhoneSettings.Trigger) -> String {
  if let signal = trigger.rearmSignal { return "weaker than \(Measure(.signal, signal))" }
  return "beyond \(distance(trigger.near.rearm))"
}

private func time(_ time: Milliseconds) -> String { "\(Measure(.time, Double(time) / 1000))" }
private func distance(_ distance: Micrometres) -> String { "\(Measure(.distance, Double(distance) / 1e6))" }
