import Settings
import Beacons
import Proximity

/// Reads `zones:`. Defaults depend on what is given:
/// - `near.rearm`: twice the distance of near, or 6 dB weaker;
/// - `enter`: twice the distance of near, or 6 dB weaker; without near, heard at any strength;
/// - `exit`: 1.5 times the distance of enter, or 4 dB weaker;
/// - dwell: near 2 s, enter 3 s, exit 10 s; `lost`: auto.
///
/// A zone of rooms has no thresholds; see `RoomZoneReader`.
///
/// In free space, twice the distance costs 6 dB, and 1.5 times the distance 3.5 dB.
struct ZoneReader {
  /// The names in the configuration that a zone may refer to.
  var beaconNames: Set<String>
  var roomNames: Set<String>

  static let nearDwell = TimeSpan.seconds(2)
  static let enterDwell = TimeSpan.seconds(3)
  static let exitDwell = TimeSpan.seconds(10)
  /// Weaker than any radio reports: every beacon that is heard is inside.
  static let heardAtAll = Threshold.signal(-127)

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
      return RoomZoneReader(rooms: rooms).read(section, name: name, beacons: beacons)
    }
    let nearValue = section.take("near")
    let enterValue = section.take("enter")
    let exitValue = section.take("exit")
    let near = nearValue.flatMap { RuleReader($0, dwell: Self.nearDwell, alsoRearm: true) }
    let enter = enterValue.flatMap { RuleReader($0, dwell: Self.enterDwell) }
    let exit = exitValue.flatMap { RuleReader($0, dwell: Self.exitDwell, alsoLost: true) }

    let nearThreshold = near?.threshold
    let enterThreshold = enter?.threshold ?? nearThreshold?.farther(times: 2, decibels: 6) ?? Self.heardAtAll
    let exitThreshold = exit?.threshold ?? enterThreshold.farther(times: 1.5, decibels: 4)
    let rearm = near?.rearm ?? nearThreshold?.farther(times: 2, decibels: 6)

    if let near, let nearThreshold, let rearm { checkRearm(near, nearThreshold, rearm) }
    // An unreadable threshold is already reported.
    let isEnterSound = enterValue == nil || enter?.threshold != nil
    if isEnterSound, let near, let nearThreshold { checkNear(near, nearThreshold, against: enterThreshold) }
    if isEnterSound, let exit, exit.threshold != nil {
      checkExit(exit, exitThreshold, against: enterThreshold)
    }

    guard let name else { return nil }
    return ZoneSettings(
      name: name, receivers: receivers, beacons: beacons,
      near: nearThreshold.flatMap { threshold in
        rearm.map {
          NearRule(rule: Rule(threshold: threshold, dwell: near?.dwell ?? Self.nearDwell), rearm: $0)
        }
      },
      enter: Rule(threshold: enterThreshold, dwell: enter?.dwell ?? Self.enterDwell),
      exit: Rule(threshold: exitThreshold, dwell: exit?.dwell ?? Self.exitDwell), lost: exit?.lost ?? .auto)
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

  private func checkRearm(_ near: RuleReader, _ threshold: Threshold, _ rearm: Threshold) {
    guard let isBeyond = rearm.isFarther(than: threshold) else {
      near.rearmValue?.error(
        "rearm is \(rearm.dimension.noun) and near is \(threshold.dimension.noun); they cannot be compared",
        hint: "give both in \(threshold.dimension.units[0].word)")
      return
    }
    if !isBeyond {
      near.rearmValue?.error(
        "rearm (\(rearm.words)) must be farther than near (\(threshold.words)): near would fire again and again",
        hint: "try \(threshold.farther(times: 2, decibels: 6).words)")
    }
  }

  private func checkNear(_ near: RuleReader, _ threshold: Threshold, against enter: Threshold) {
    switch threshold.isFarther(than: enter) {
    case true?:
      near.thresholdValue?.error(
        "near (\(threshold.words)) is farther than enter (\(enter.words))",
        hint: "a beacon that is near is also inside: make near smaller or enter larger")
    case nil: warnOfUnits("near", near, threshold, "enter", enter)
    case false?: break
    }
  }

  private func checkExit(_ exit: RuleReader, _ threshold: Threshold, against enter: Threshold) {
    switch threshold.isFarther(than: enter) {
    case false?:
      exit.thresholdValue?.error(
        "exit (\(threshold.words)) must be farther than enter (\(enter.words)): a beacon on the line would go in and out",
        hint: "try \(enter.farther(times: 1.5, decibels: 4).words)")
    case nil: warnOfUnits("exit", exit, threshold, "enter", enter)
    case true?: break
    }
  }

  private func warnOfUnits(
    _ name: String, _ rule: RuleReader, _ a: Threshold, _ other: String, _ b: Threshold
  ) {
    rule.thresholdValue?.warning(
      "\(name) is \(a.dimension.noun) and \(other) is \(b.dimension.noun): nothing can be said of their order",
      hint: "give both in \(b.dimension.units[0].word), or make sure that they fit")
  }
}

extension Threshold {
  var dimension: Dimension {
    switch self {
    case .distance: .distance
    case .signal: .signal
    }
  }

  /// nil if one is a distance and the other a signal.
  func isFarther(than other: Threshold) -> Bool? {
    switch (self, other) {
    case (.distance(let a), .distance(let b)): a > b
    case (.signal(let a), .signal(let b)): a < b
    case (.distance, .signal), (.signal, .distance): nil
    }
  }

  func farther(times factor: Double, decibels: Double) -> Threshold {
    switch self {
    case .distance(let metres): .distance(metres * factor)
    case .signal(let strength): .signal(strength - decibels)
    }
  }

  /// Reads a number with the unit of a distance or of a signal; nil for anything else.
  public init?(_ text: String) {
    guard let measure = try? Measure(text) else { return nil }
    switch measure.dimension {
    case .distance: self = .distance(measure.value)
    case .signal: self = .signal(measure.value)
    case .time, .speed, .gain, .size: return nil
    }
  }

  /// As text: `1.5 m`, `-70 dBm`.
  public var words: String {
    switch self {
    case .distance(let metres): Measure(.distance, metres).description
    case .signal(let strength): Measure(.signal, strength).description
    }
  }
}

/// Reads a zone that is made of rooms: a beacon is in it while it is in one of them. It has no thresholds, only dwell times.
struct RoomZoneReader {
  var rooms: [String]

  func read(_ section: Section, name: String?, beacons: [String]?) -> ZoneSettings? {
    section.take("receivers")?.error(
      "a zone of rooms hears through the receivers of its rooms", hint: "remove the line")
    section.take("near")?.error(
      "a zone of rooms has no near: a room says nothing of distance",
      hint: "for near, make another zone with receivers and distances")
    let enter = section.take("enter").flatMap(readDwell) ?? .zero
    let exit = section.take("exit").flatMap(readDwell) ?? .zero
    // They mean nothing here.
    let threshold = ZoneReader.heardAtAll
    return name.map {
      ZoneSettings(
        name: $0, beacons: beacons, enter: Rule(threshold: threshold, dwell: enter),
        exit: Rule(threshold: threshold, dwell: exit), rooms: rooms)
    }
  }

  private func readDwell(_ value: Value) -> TimeSpan? {
    let hint = "rooms decide; only a dwell time is possible: { dwell: 5 s }"
    guard let section = value.section(hint: hint) else { return nil }
    for key in ["distance", "signal", "lost"] {
      section.take(key, isVocabulary: false)?.error(
        "\(value.name) of a zone of rooms has no \(key)", hint: hint)
    }
    defer { section.finish() }
    return section.take("dwell").flatMap { readTime($0, upTo: RuleReader.longestDwell) }
  }
}
