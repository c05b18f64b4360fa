import Settings
import Proximity
import RangingPolicy

/// Reads `phones:`. Defaults:
/// - `variant`: seed;
/// - `zones`: every zone with a near rule that watches the beacon;
/// - `rearm`: each zone's own.
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
    let variant = section.take("variant").flatMap(choice.readVariant) ?? .seed
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
    let countdown = section.take("countdown").flatMap(readFlag) ?? false
    let constants = [AnyConstants(OSProfile.constants), AnyConstants(StrategyProfile.constants)]
    let set = section.take("set").map { readSet($0, constants) } ?? []

    var profile: PhoneProfile?
    if let os, let strategy, let written { profile = choice.join(os, strategy, written) }
    for setting in set {
      profile?.set(
        setting.name, to: setting.value, source: setting.source, confidence: setting.confidence)
    }
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
    guard let name, let profile else { return nil }
    var phone = PhoneSettings(
      name: name, beacon: carried.name, beaconKey: carried.key, variant: variant, profile: profile,
      zones: zoneValue.map { _ in own.map(\.name) }, entries: entries, rearm: rearm?.metres,
      countdown: countdown)
    phone.follow(zones)
    return phone
  }

  // MARK: Zones

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
