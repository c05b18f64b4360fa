import Settings
import Beacons
import WakePlanner

/// Reads `wake:`.
struct WakeReader {
  var beacons: [BeaconSettings]
  var receivers: [ReceiverSettings]
  var profiles: ProfileSettings

  func read(_ value: Value) -> WakeSettings? {
    let hint = "for example { os: ios17, strategy: background-task, uuid: … }"
    guard let section = value.section(hint: hint) else { return nil }
    defer { section.finish() }
    let uuid = section.require("uuid", hint: "the one that the app registers its wake regions with").flatMap(
      readUUID)
    let majorValue = section.take("major")
    let minorValue = section.take("minor")
    let major = majorValue.map { $0.integer(upTo: 0xFFFF) } ?? 1
    let first = minorValue.map { $0.integer(upTo: 0xFFFF) } ?? 1
    let power = section.take("measured_power").map { readMeasuredPower($0) } ?? -59
    let adapter = section.take("adapter").flatMap(readAdapter)
    let planned = WakePlanReader(profiles: profiles).read(section, of: value)
    guard let (plan, audience) = planned, let uuid, let major, let first, let power else {
      return nil
    }
    let last = first + plan.regions - 1
    guard last <= 0xFFFF else {
      minorValue?.error(
        "minor \(first) leaves no room for \(plan.regions) regions", hint: "at most \(0x10000 - plan.regions)"
      )
      return nil
    }
    let regions = WakeRegions(uuid: uuid, major: UInt16(major), minors: UInt16(first)...UInt16(last))
    refuseBeacons(among: regions, value)
    return WakeSettings(
      adapter: adapter, regions: regions, measuredPower: Int8(clamping: Int(power.rounded())), plan: plan,
      audience: audience)
  }

  private func readAdapter(_ value: Value) -> String? {
    guard let text = value.text(hint: "for example adapter: hci0") else { return nil }
    let number = text.lowercased().hasPrefix("hci") ? text.dropFirst(3) : ""
    let isKernelName = !number.isEmpty && number.allSatisfy { ("0"..."9").contains($0) }
    let named = receivers.filter { $0.adapter != nil }.map(\.name)
    if isKernelName || DeviceAddress(text, kind: .public) != nil || named.contains(text) { return text }
    return value.refused(
      "\(quoted(text)) is not an adapter",
      hint: nearest(to: text, among: named + ["hci0", "hci1"]).map { "did you mean \($0)?" }
        ?? "its name (hci0), its address, or the name of a receiver that has an adapter")
  }

  /// Reports beacons that match the wake regions: our own broadcast must not count as an arrival.
  private func refuseBeacons(among regions: WakeRegions, _ value: Value) {
    for beacon in beacons {
      guard case .iBeacon(let uuid, let major?, let minor?) = beacon.pattern,
        regions.contains(IBeacon(uuid: uuid, major: major, minor: minor, measuredPower: 0))
      else { continue }
      value.error(
        "the beacon \(quoted(beacon.name)) is a wake region of this gateway (major \(major), minor \(minor)), which is "
          + "never reported", hint: "give wake: another uuid, major or minor")
    }
  }
}
