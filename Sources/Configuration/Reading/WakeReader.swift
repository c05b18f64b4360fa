import Beacons
import Core
import Phones

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

/// Reads which plan to broadcast: either the phone it is for (`os`, `strategy`, …), for which a plan is computed, or the
/// plan itself (`period`, `broadcasts`). Defaults:
/// - `variant`: observed;
/// - `reach`: the distance at which the strategy hears;
/// - `speed`: 1 m/s;
/// - `regions`: as many as the system allows an app;
/// - `slots`: 1, which every adapter has.
struct WakePlanReader {
  var profiles: ProfileSettings

  /// - Parameter whole: the value of `wake:`, for positions.
  func read(_ section: Section, of whole: Value) -> (plan: WakePlan, audience: String?)? {
    let period = section.take("period")
    let broadcasts = section.take("broadcasts")
    let phone = PhoneKeys(section)
    if let phone, let extra = broadcasts ?? period {
      return extra.refused(
        "\(extra.name) and \(phone.first.name) both say what to broadcast",
        hint: "give os and strategy, from which a plan is made, or period and broadcasts, which are a plan")
    }
    if let phone { return plan(for: phone, section) }
    guard period != nil || broadcasts != nil else {
      if !section.hasUnknownKey {
        whole.error(
          "what is to be broadcast?",
          hint:
            "give os and strategy, such as os: ios17 and strategy: background-task; or period and broadcasts")
      }
      return nil
    }
    return written(section).map { ($0, nil) }
  }

  // MARK: A computed plan

  /// The keys that describe the phone the plan is for; nil if there are none.
  private struct PhoneKeys {
    let os, strategy, variant, reach, speed, regions, slots: Value?
    let first: Value

    init?(_ section: Section) {
      os = section.take("os")
      strategy = section.take("strategy")
      variant = section.take("variant")
      reach = section.take("reach")
      speed = section.take("speed")
      regions = section.take("regions")
      slots = section.take("slots")
      guard let first = [os, strategy, variant, reach, speed, regions, slots].compactMap(\.self).first else {
        return nil
      }
      self.first = first
    }
  }

  private func plan(for keys: PhoneKeys, _ section: Section) -> (plan: WakePlan, audience: String?)? {
    let choice = ProfileChoice(profiles: profiles)
    let variant = keys.variant.map { choice.readVariant($0) } ?? .observed
    _ = section.require("os", hint: "for example os: ios17")
    _ = section.require("strategy", hint: "for example strategy: background-task")
    let os = keys.os.flatMap { value in
      variant.flatMap { choice.choose(value, among: profiles.systems($0), "system", \.name) }
    }
    let strategy = keys.strategy.flatMap {
      choice.choose($0, among: profiles.strategies(variant ?? .observed), "strategy", \.name)
    }
    let reach = keys.reach.map { readAmount($0, .distance, 1...1000) }
    let speed = keys.speed.map { readAmount($0, .speed, 0.01...100) } ?? 1
    let regions = keys.regions.map { readCount($0) } ?? WakePlan.mostRegions
    let slots = keys.slots.map { readCount($0) } ?? 1
    guard let os, let strategy, let place = keys.strategy, let variant, let speed, let regions, let slots,
      let profile = choice.join(os, strategy, place)
    else { return nil }
    let usual = Double(profile.strategy[.heardDistance]) / 1e6
    guard let reach = reach ?? usual else { return nil }
    let visit = WakeTrial.Visit(
      reach: Micrometres((reach * 1e6).rounded()), speed: Micrometres((speed * 1e6).rounded()))
    let found = WakeChoice(
      profile, WakeProposal.Request(visit: visit, regions: regions, slots: slots))
    let name = "\(strategy.name) on \(os.name)"
    let why = found.why.map { ": \($0)" } ?? ""
    guard let plan = found.plan, found.verdict == .gapFree else {
      return place.refused(
        found.verdict == .needsNone
          ? "\(name) needs no wake regions\(why)" : "no rotation keeps an app with \(name) listening\(why)",
        hint: found.plan == nil
          ? "remove wake:, or choose another strategy"
          : "`beaconkeeper plan` shows the best that there is; write it down as period and broadcasts")
    }
    let audience =
      "\(name) (\(variant.rawValue)), heard within \(Measure(.distance, reach)) by phones that come at "
      + "\(Measure(.speed, speed))"
    return (plan, audience)
  }

  private func readAmount(_ value: Value, _ dimension: Dimension, _ range: ClosedRange<Double>) -> Double? {
    guard let amount = value.measure(dimension) else { return nil }
    if range.contains(amount) { return amount }
    let (low, high) = (Measure(dimension, range.lowerBound), Measure(dimension, range.upperBound))
    return value.refused(
      "\(value.name) cannot be \(Measure(dimension, amount))", hint: "from \(low) to \(high)")
  }

  private func readCount(_ value: Value) -> Int? {
    guard let count = value.integer(upTo: WakePlan.mostRegions) else { return nil }
    if count > 0 { return count }
    return value.refused("\(value.name) cannot be 0", hint: "from 1 to \(WakePlan.mostRegions)")
  }

  // MARK: A plan in the file

  private func written(_ section: Section) -> WakePlan? {
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
      return value.refused("\(error)")
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
    return value.refused("regions are counted from 1", hint: "region: 1 has the first minor")
  }

  private func readMilliseconds(_ value: Value) -> Milliseconds? {
    readTime(value, upTo: .milliseconds(WakePlan.longestPeriod)).map { $0.nanoseconds / 1_000_000 }
  }
}

/// The effect of `wake:`: the plan, then each region.
func items(_ wake: WakeSettings) -> [Explanation.Item] {
  let period = Measure(.time, Double(wake.plan.period) / 1000)
  let place = wake.adapter ?? "the first adapter that is found"
  let plan = Explanation.Item(
    name: "plan",
    sentences: [
      wake.audience.map { "For \($0)." } ?? "As written in the configuration.",
      "Repeats every \(period), "
        + (wake.plan.mostAtOnce > 1
          ? "up to \(wake.plan.mostAtOnce) regions on air at once." : "one region on air at a time."),
    ])
  let regions = zip(wake.regions.minors, 0..<wake.plan.regions).map { minor, region in
    let turns = wake.plan.broadcasts.filter { $0.region == region }.map {
      "at \(Measure(.time, Double($0.start) / 1000)) for \(Measure(.time, Double($0.duration) / 1000))"
    }
    // Only the first turns of a long plan are listed.
    let told = turns.count > 6 ? Array(turns.prefix(5)) + ["\(turns.count - 5) times more"] : turns
    return Explanation.Item(
      name: "region \(region + 1)",
      sentences: [
        "Broadcast as iBeacon \(uuidText(wake.regions.uuid).uppercased()), major \(wake.regions.major), minor \(minor), by \(place).",
        "On air \(told.joined(separator: ", ")).",
      ])
  }
  return [plan] + regions
}
