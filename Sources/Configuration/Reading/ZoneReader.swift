import Core
import Proximity

/// Reads `zones:`. Defaults and checks are those of `ZoneSettings`.
struct ZoneReader {
  /// The names in the configuration that a zone may refer to.
  var beaconNames: Set<String>
  var roomNames: Set<String>

  func read(_ value: Value) -> ZoneSettings? {
    guard let section = value.section() else { return nil }
    defer { section.finish() }
    let name = readName(section)
    if name == "not_home" {
      section.take("name")?.error(
        "a zone cannot be called not_home",
        hint: "it is what beacon/<beacon>/zone says of a beacon that is in no zone")
    }
    let receivers = section.take("receivers").flatMap { list in
      uniqueNames(list.list(hint: "remove the line to hear through all receivers"), of: "receiver")
    }
    let beacons = section.take("beacons").flatMap { list in
      uniqueNames(list.list(hint: "remove the line to watch all beacons"), of: "beacon", known: beaconNames)
    }

    if let rooms = readRooms(section) {
      let rules = RoomRuleReader().read(section)
      return name.map { ZoneSettings(name: $0, beacons: beacons, rooms: rooms, rules: rules) }
    }
    var rules = RuleReader()
    rules.read(section, "near", threshold: .near, dwell: .nearDwell)
    let isEnterSound = rules.read(section, "enter", threshold: .enter, dwell: .enterDwell)
    rules.read(section, "exit", threshold: .exit, dwell: .exitDwell)
    let zone = ZoneSettings(
      name: name ?? "", receivers: receivers, beacons: beacons, rules: rules.written)
    for fault in zone.faults where isEnterSound || fault.place == .rearm {
      rules.report(fault)
    }
    return name == nil ? nil : zone
  }

  /// Reads `room:` or `rooms:`; nil if the zone has neither.
  private func readRooms(_ section: Section) -> [String]? {
    let (one, several) = (section.take("room"), section.take("rooms"))
    if let one, several != nil {
      one.error("a zone has both room and rooms", hint: "list all of them in rooms")
    }
    guard let value = several ?? one else { return nil }
    let entries = several == nil ? [value] : value.list(hint: "names of rooms, for example [kitchen, hall]")
    return uniqueNames(entries, of: "room", known: roomNames, whenEmpty: "add it under rooms:") ?? []
  }
}

/// Reads `near:`, `enter:` and `exit:`: each a threshold with its dwell, or only the threshold (`enter: 6 m`).
private struct RuleReader {
  var written: WrittenRules = [:]
  /// The places of the thresholds, for errors that are found later.
  private var places: [RulePlace: Value] = [:]

  /// Returns whether the threshold is left out or read. An unreadable one is reported.
  @discardableResult
  mutating func read(_ zone: Section, _ name: String, threshold: RulePlace, dwell: RulePlace) -> Bool {
    guard let value = zone.take(name) else { return true }
    if value.scalar != nil, !value.isNull {
      return take(value, threshold)
    }
    guard let section = value.section(hint: "for example { distance: 6 m, dwell: 3 s }") else { return false }
    defer { section.finish() }
    let distance = section.take("distance")
    let signal = section.take("signal")
    if let signal, distance != nil {
      signal.error("\(value.name) has both a distance and a signal", hint: "keep one of them")
    } else if let written = distance ?? signal {
      take(written, threshold, among: distance == nil ? [.signal] : [.distance])
    }
    let time = section.take("dwell").flatMap { readTime($0, upTo: ZoneSettings.longestDwell) }
    written[dwell] = time.map(RuleValue.time)
    if threshold == .near, let rearm = section.take("rearm") { take(rearm, .rearm) }
    if threshold == .exit { written[.lost] = section.take("lost").flatMap(readLost) }
    let mayDoWithout = threshold == .exit
    if distance == nil, signal == nil, !mayDoWithout, !section.hasUnknownKey {
      value.error("\(value.name) needs a distance or a signal", hint: "for example distance: 1.5 m")
    }
    return written[threshold] != nil
  }

  @discardableResult
  private mutating func take(
    _ value: Value, _ place: RulePlace, among dimensions: [Dimension] = [.distance, .signal]
  ) -> Bool {
    places[place] = value
    guard let measure = value.measure(among: dimensions) else { return false }
    do throws(SettingFault) {
      written[place] = .threshold(try Threshold(measure))
      return true
    } catch {
      value.error(error.message, hint: error.hint)
      return false
    }
  }

  private func readLost(_ value: Value) -> RuleValue? {
    if value.scalar == "auto" { return .auto }
    if let scalar = value.scalar, scalar.first?.isLetter == true {
      return value.refused(
        "lost must be auto or a time, not \(quoted(scalar))",
        hint: "auto learns it from the beacon's own interval")
    }
    return readTime(
      value, from: ZoneSettings.shortestLoss, upTo: ZoneSettings.longestLoss
    ).map(RuleValue.time)
  }

  func report(_ fault: ZoneSettings.RuleFault) {
    guard written[fault.place] != nil, let value = places[fault.place] else { return }
    if fault.isError {
      value.error(fault.fault.message, hint: fault.fault.hint)
    } else {
      value.warning(fault.fault.message, hint: fault.fault.hint)
    }
  }
}

/// Reads the rules of a zone of rooms, which has only dwell times.
private struct RoomRuleReader {
  func read(_ section: Section) -> WrittenRules {
    section.take("receivers")?.error(
      "a zone of rooms hears through the receivers of its rooms", hint: "remove the line")
    section.take("near")?.error(
      "a zone of rooms has no near: a room says nothing of distance",
      hint: "for near, make another zone with receivers and distances")
    var rules: WrittenRules = [:]
    rules[.enterDwell] = section.take("enter").flatMap(readDwell).map(RuleValue.time)
    rules[.exitDwell] = section.take("exit").flatMap(readDwell).map(RuleValue.time)
    return rules
  }

  private func readDwell(_ value: Value) -> TimeSpan? {
    let hint = "rooms decide; only a dwell time is possible: { dwell: 5 s }"
    guard let section = value.section(hint: hint) else { return nil }
    for key in ["distance", "signal", "lost"] {
      section.take(key, isVocabulary: false)?.error(
        "\(value.name) of a zone of rooms has no \(key)", hint: hint)
    }
    defer { section.finish() }
    return section.take("dwell").flatMap { readTime($0, upTo: ZoneSettings.longestDwell) }
  }
}

// MARK: Explanation for `check`

func sentences(_ zone: ZoneSettings, known: [String]) -> [String] {
  let beacons =
    zone.beacons.map { listed($0, joining: "and") }
    ?? (known.isEmpty ? "nothing yet: no beacon is configured" : "every beacon")
  if let rooms = zone.rooms {
    let isOne = rooms.count == 1
    return [
      "Made of \(isOne ? "the room" : "the rooms") \(listed(rooms, joining: "and")); watches \(beacons).",
      "enter: once a beacon is in \(isOne ? "it" : "one of them")\(lasting(zone.enter.dwell)).",
      "exit: once it is in \(isOne ? "another room" : "none of them")\(lasting(zone.exit.dwell)), or is no longer heard.",
    ]
  }
  let receivers = zone.receivers.map { listed($0, joining: "and") } ?? "every receiver"
  var sentences = ["Receives through \(receivers); watches \(beacons)."]
  if let near = zone.near {
    sentences.append(
      "near: once a beacon stays \(inside(near.rule)), and again only after it was \(beyond(near.rearm)).")
  }
  if zone.enter.threshold == ZoneSettings.heardAtAll {
    sentences.append("enter: once a beacon is heard at all\(lasting(zone.enter.dwell)).")
  } else {
    sentences.append("enter: once a beacon stays \(inside(zone.enter)).")
  }
  let silence =
    switch zone.lost {
    case .auto: "not heard for a time learned from its own interval"
    case .after(let time): "not heard for \(Measure(.time, time.seconds))"
    }
  if zone.enter.threshold == ZoneSettings.heardAtAll {
    sentences.append("exit: when it is \(silence).")
  } else {
    sentences.append(
      "exit: once it stays \(beyond(zone.exit.threshold))\(lasting(zone.exit.dwell)), or is \(silence).")
  }
  return sentences
}

private func inside(_ rule: Rule) -> String {
  let place =
    switch rule.threshold {
    case .distance: "within \(rule.threshold.words)"
    case .signal: "at \(rule.threshold.words) or stronger"
    }
  return place + lasting(rule.dwell)
}

private func beyond(_ threshold: Threshold) -> String {
  switch threshold {
  case .distance: "beyond \(threshold.words)"
  case .signal: "weaker than \(threshold.words)"
  }
}

private func lasting(_ dwell: TimeSpan) -> String {
  dwell > .zero ? " for \(Measure(.time, dwell.seconds))" : ""
}
