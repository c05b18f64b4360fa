import Beacons
import WakePlanner

/// Reads `wake:`.
struct WakeReader {
  var beacons: [BeaconSettings]
  var receivers: [ReceiverSettings]

  func read(_ value: Value) -> WakeSettings? {
    let hint = "for example { uuid: …, period: 60 s, broadcasts: [{ region: 1, start: 0 s, duration: 5 s }] }"
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
    guard let plan = WakePlanReader().read(section), let uuid, let major, let first, let power else {
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
      adapter: adapter, regions: regions, measuredPower: Int8(clamping: Int(power.rounded())), plan: plan)
  }

  private func readAdapter(_ value: Value) -> String? {
    guard let text = value.text(hint: "for example adapter: hci0") else { return nil }
    let number = text.lowercased().hasPrefix("hci") ? text.dropFirst(3) : ""
    let isKernelName = !number.isEmpty && number.allSatisfy { ("0"..."9").contains($0) }
    let named = receivers.filter { $0.adapter != nil }.map(\.name)
    if isKernelName || DeviceAddress(text, kind: .public) != nil || named.contains(text) { return text }
    let meant = nearest(to: text, among: named + ["hci0", "hci1"]).map { "did you mean \($0)?" }
    value.error(
      "\(quoted(text)) is no adapter",
      hint: meant ?? "its name (hci0), its address, or the name of a receiver that has an adapter")
    return nil
  }

  /// What we send ourselves is nobody's arrival.
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

/// Reads which plan is broadcast: `period` and `broadcasts`.
private struct WakePlanReader {
  func read(_ section: Section) -> WakePlan? {
    let period = section.require(
      "period", hint: "after how long the broadcasts begin again, for example 60 s"
    )
    .flatMap(readMilliseconds)
    let value = section.require("broadcasts", hint: "when which region is on air")
    let broadcasts = (value?.list() ?? []).map(readBroadcast)
    guard let period, let value, !broadcasts.isEmpty, !broadcasts.contains(nil) else { return nil }
    do throws(WakePlan.Fault) {
      return try WakePlan(period: period, broadcasts: broadcasts.compactMap(\.self))
    } catch {
      value.error("\(error)")
      return nil
    }
  }

  private func readBroadcast(_ value: Value) -> WakePlan.Broadcast? {
    let hint = "for example { region: 1, start: 0 s, duration: 5 s }"
    guard let section = value.section(hint: hint) else { return nil }
    defer { section.finish() }
    let region = section.require("region", hint: "1 for the first").flatMap(readRegion)
    let start = section.require("start", hint: "since the start of the period").flatMap(readMilliseconds)
    let duration = section.require("duration", hint: "for example 5 s").flatMap(readMilliseconds)
    guard let region, let start, let duration else { return nil }
    return WakePlan.Broadcast(region: region - 1, start: start, duration: duration)
  }

  private func readRegion(_ value: Value) -> Int? {
    guard let number = value.integer(upTo: WakePlan.mostRegions) else { return nil }
    if number > 0 { return number }
    value.error("regions are counted from 1", hint: "region: 1 has the first minor")
    return nil
  }

  private func readMilliseconds(_ value: Value) -> Int64? {
    readTime(value, upTo: .milliseconds(WakePlan.longestPeriod)).map { $0.nanoseconds / 1_000_000 }
  }
}
