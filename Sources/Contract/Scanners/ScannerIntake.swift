import Beacons
import Core

/// Parses the messages of the configured scanners. A function of its input and the time that comes with it.
///
/// ```swift
/// var intake = ScannerIntake([Scanner(kind: .espresense)], ownGateway: "home", expected: [])
/// var hearing = Hearing()
/// let isOurs = intake.take(
///   payload, topic: "espresense/devices/known:c10000000001/kitchen", isRetained: false, at: now,
///   wallTime: wallNow, into: &hearing)
/// hearing.batch.forEach { advertisement, payload in … }  // receiver `kitchen` of `intake.table`
/// hearing.removeAll()
/// ```
///
/// The time of an observation is when its message arrived. Only another Beaconkeeper's times are used, because its clock is
/// compared with ours.
package struct ScannerIntake: Sendable {
  /// In bytes. A gateway that sends arrays of a thousand devices stays below this.
  package static let largestMessage = 192 << 10
  /// How many receivers scanners may add to the configured ones. Beyond that, those unheard for longest make room.
  package static let receiverLimit = 1000
  static let gatewayLimit = 4096

  package private(set) var scanners: [Scanner]
  /// Our own name, because our observations come back to us.
  let ownGateway: String
  var receivers = RemoteReceivers()
  var gateways: [String: RemoteGateway] = [:]
  /// Before this time no gateway makes room for another.
  var nextGateway = MonotonicTime(nanoseconds: .min)
  var repeats = RepeatMemory()
  /// What came from each scanner, for `health`.
  package internal(set) var figures: [HealthMessage.Scanner]
  /// Observations of other gateways that were over a minute old, and all observations of refused batches, counted each time they
  /// come. Repetitions of an accepted batch do not count.
  package internal(set) var refusedObservations: UInt64 = 0
  /// The refusals that were logged: each a cause, a topic filter, and a source or a field.
  var told: Set<[String]> = []
  private static let keyLength = 3
  /// Whether a notice said that senders decode sensors themselves.
  var hasToldDecoded = false
  static let noticeLimit = 200
  /// For each cause, this many sources are named; then one more notice says that there are others.
  private static let namedSources = 10
  private static let others = "…"
  /// The topic of the present message.
  private var topic = ""
  /// How many characters of the topic a log message shows.
  private static let toldTopic = 100

  /// - Parameters:
  ///   - expected: names of receivers that may report.
  ///   - named: those in the configuration, which never make room for others; nil: all of `expected`.
  package init(_ scanners: [Scanner], ownGateway: String, expected: [String], named: [String]? = nil) {
    self.scanners = scanners
    self.ownGateway = ownGateway
    figures = scanners.map(Self.figures)
    receivers.expect(expected, named: Set(named ?? expected))
  }

  /// Names of receivers by their index in `Hearing`.
  package var table: ReceiverTable { receivers.table }

  /// What came from other gateways, by name: from all, or from those heard last.
  package var gatewayFigures: [HealthMessage.Gateway] {
    let latest = gateways.sorted { ($1.value.heard, $0.key) < ($0.value.heard, $1.key) }
    return latest.prefix(Self.listedGateways).map { $1.figures(named: $0) }.sorted { $0.name < $1.name }
  }
  /// How many gateways are not in `gatewayFigures`.
  package var unlistedGateways: Int { max(0, gateways.count - Self.listedGateways) }
  private static let listedGateways = 100

  private static func figures(_ scanner: Scanner) -> HealthMessage.Scanner {
    HealthMessage.Scanner(kind: scanner.kind.rawValue, topic: scanner.topic.filter)
  }

  /// The filters to subscribe to, without repetitions.
  package var filters: [String] {
    var seen: Set<String> = []
    return scanners.flatMap { [$0.topic, $0.status, $0.telemetry].compactMap { $0?.filter } }.filter {
      seen.insert($0).inserted
    }
  }

  /// The filters for messages that say whether a scanner is there. These must arrive even if other messages come too fast.
  package var statusFilters: Set<String> { Set(scanners.compactMap { $0.status?.filter }) }

  /// Processes a message.
  ///
  /// - Parameters:
  ///   - arrival, wallTime: now.
  ///   - slack: how much later than `arrival` the message may have come.
  ///   - hearing: the result is appended.
  /// - Returns: false if the message is not from a scanner.
  package mutating func take(
    _ payload: [UInt8], topic: String, isRetained: Bool, at arrival: MonotonicTime, wallTime: WallTime,
    slack: TimeSpan = .zero, into hearing: inout Hearing
  ) -> Bool {
    // An empty message only clears a retained one.
    if payload.isEmpty {
      return scanners.contains { [$0.topic, $0.status, $0.telemetry].contains { $0?.match(topic) != nil } }
    }
    var isOurs = false
    self.topic = topic
    for (place, scanner) in scanners.enumerated() {
      let message = Message(
        payload: payload, scanner: place, isRetained: isRetained, arrival: arrival, wallTime: wallTime,
        slack: slack)
      // A topic with wildcards may match the status and telemetry topics, too, so these are checked first.
      if let fields = scanner.status?.match(topic) {
        isOurs = true
        takeStatus(message, fields, into: &hearing)
      } else if let fields = scanner.telemetry?.match(topic) {
        isOurs = true
        takeTelemetry(message, fields, into: &hearing)
      } else if let fields = scanner.topic.match(topic) {
        isOurs = true
        takeObservations(message, fields, into: &hearing)
      }
    }
    return isOurs
  }

  /// A message and its scanner.
  struct Message {
    var payload: [UInt8]
    /// The scanner's place in the configuration.
    var scanner: Int
    var isRetained: Bool
    var arrival: MonotonicTime
    var wallTime: WallTime
    /// How much later than stated the message may have come.
    var slack: TimeSpan
  }

  private mutating func takeObservations(
    _ message: Message, _ fields: [TopicPattern.Field: String], into hearing: inout Hearing
  ) {
    let place = message.scanner
    // A subscription to all gateways includes our own messages.
    if scanners[place].kind == .beaconkeeper, fields[.gateway].flatMap(name(ofTopicLevel:)) == ownGateway {
      return
    }
    figures[place].messages += 1
    if message.isRetained {
      figures[place].retained += 1
      return
    }
    // Another gateway reports the health of its radios itself.
    if scanners[place].kind != .beaconkeeper { noteLife(message, fields, into: &hearing) }
    guard message.payload.count <= Self.largestMessage else {
      return refuse(.size, place, into: &hearing)
    }
    if scanners[place].kind == .beaconkeeper {
      takeBatch(message, fields, into: &hearing)
    } else {
      takeDevices(message, fields, into: &hearing)
    }
  }

  /// - Parameters:
  ///   - source: a further name for the log message.
  ///   - field: the field that could not be read. Each field is logged once.
  mutating func refuse(
    _ cause: ScannerRefusal, _ place: Int, of source: String? = nil, for field: UnreadableField? = nil,
    into hearing: inout Hearing
  ) {
    figures[place].refused[cause.rawValue, default: 0] += 1
    let filter = figures[place].topic
    let key = [cause.rawValue, filter, source ?? field?.field.rawValue ?? ""]
    guard told.count < Self.noticeLimit, !told.contains(key) else { return }
    if source != nil, told.count(where: { $0[0] == key[0] && $0[1] == filter }) >= Self.namedSources {
      // Anybody can invent sources.
      guard told.insert([cause.rawValue, filter, Self.others]).inserted else { return }
      hearing.notices.append(
        "refused from still others on \(filter): \(cause.words) (counted in health; no more of them are named here)"
      )
      return
    }
    told.insert(key)
    let sender = source.map { " from \($0.printable)" } ?? ""
    let first =
      source == nil && topic != filter
      ? "; the first on \(String(topic.prefix(Self.toldTopic)).printable)" : ""
    let detail = (field.map { "; \($0.words)" } ?? "") + first
    hearing.notices.append("refused\(sender) on \(filter): \(cause.words) (counted in health\(detail))")
  }

  // MARK: The connection and time

  package mutating func brokerConnected(
    at time: MonotonicTime, wallTime: WallTime, into hearing: inout Hearing
  ) {
    receivers.brokerConnected(at: time, wallTime, into: &hearing.changes)
  }

  package mutating func brokerDisconnected(
    at time: MonotonicTime, wallTime: WallTime, into hearing: inout Hearing
  ) {
    receivers.brokerDisconnected(at: time, wallTime, into: &hearing.changes)
  }

  /// Messages since `time` may have arrived later than was stated.
  package mutating func arrivalsWereWrong(since time: MonotonicTime) {
    for name in gateways.keys { gateways[name]?.forgetClock(since: time) }
  }

  /// Time passes; call this every few seconds.
  package mutating func look(at time: MonotonicTime, wallTime: WallTime, into hearing: inout Hearing) {
    receivers.look(at: time, wallTime, into: &hearing.changes)
  }

  /// Whether a receiver's silence may mean that it failed, so that `look` is wanted twice a second.
  package var judgesSilence: Bool { receivers.judgesSilence }

  /// Before `reconfigure`: scanners that are the same take over their new `prefix` and names of receivers. Returns the receivers
  /// that have another name now.
  package mutating func rename(for new: [Scanner]) -> [ReceiverRenaming] {
    let old = scanners
    for place in old.indices {
      let same = new.first { $0.kind == old[place].kind && $0.topic == old[place].topic }
      guard let same else { continue }
      (scanners[place].prefix, scanners[place].aliases) = (same.prefix, same.aliases)
    }
    return receivers.rename { [scanners] name, place in
      old[place].receiver(named: name).map(scanners[place].name(of:))
    }
  }

  /// Continues with another configuration, keeping its state.
  package mutating func reconfigure(
    _ new: [Scanner], expected: [String], named: [String]? = nil, at time: MonotonicTime, wallTime: WallTime,
    into hearing: inout Hearing
  ) {
    let old = figures
    figures = new.map(Self.figures)
    for (place, figure) in figures.enumerated() {
      if let same = old.first(where: { $0.kind == figure.kind && $0.topic == figure.topic }) {
        figures[place] = same
      }
    }
    scanners = new
    receivers.expect(expected, named: Set(named ?? expected))
    receivers.reconfigure(
      { place in
        new.indices.first { figures[$0].kind == old[place].kind && figures[$0].topic == old[place].topic }
      }, at: time, wallTime, into: &hearing.changes)
  }
}

/// An index in `ScannerIntake.table` that belongs to another receiver now.
package struct ReceiverRenaming: Hashable, Sendable {
  package var receiver: ReceiverIndex
  package var name: String
}

/// The content of scanners' messages. A caller empties and fills the same value again and again.
package struct Hearing: Sendable {
  /// Devices with a payload or an address.
  package var batch = AdvertisementBatch()
  /// Beacons that are identified by their keys.
  package var observations: [Observation] = []
  /// Devices under a scanner's own name, for people who look for theirs. Those with an address are in `batch`, too.
  package var named: [NamedDevice] = []
  package var changes: [ReceiverHealthChange] = []
  /// Receivers whose index belongs to another one from now on. They come before everything else.
  package var renamings: [ReceiverRenaming] = []
  /// Log messages, each once.
  package var notices: [String] = []

  package init() {}

  package var isEmpty: Bool {
    batch.isEmpty && observations.isEmpty && named.isEmpty && changes.isEmpty && notices.isEmpty
      && renamings.isEmpty
  }

  package mutating func removeAll() {
    batch.removeAll()
    observations.removeAll(keepingCapacity: true)
    named.removeAll(keepingCapacity: true)
    changes.removeAll()
    renamings.removeAll()
    notices.removeAll()
  }
}

/// The whole state, exactly: a restored intake processes every further message in the same way.
extension ScannerIntake: StateFields {
  /// The intake of a snapshot.
  ///
  /// - Parameters:
  ///   - scanners, ownGateway: must be the same as when the snapshot was made.
  package init(_ scanners: [Scanner], ownGateway: String, snapshot coder: inout StateCoder)
    throws(StateError)
  {
    self.init(scanners, ownGateway: ownGateway, expected: [])
    try restore(from: &coder)
  }

  /// The table of receivers is part of the state, so the intake must have none before.
  package mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder(same: "scanners", Self.fingerprint(scanners, ownGateway))
    try coder(each: "figures", &figures)
    try coder(tally: "refused_observations", &refusedObservations)
    try receivers.fields(&coder, scanners: scanners.count)
    try coder("gateways", &gateways)
    try coder("repeats", &repeats)
    var notices = told.sorted { $0.lexicographicallyPrecedes($1) }
    try coder("told", &notices)
    try coder.check(gateways.count <= Self.gatewayLimit)
    try coder.check(notices.count <= Self.noticeLimit && notices.allSatisfy { $0.count == Self.keyLength })
    if coder.isReading { told = Set(notices) }
  }

  private static func fingerprint(_ scanners: [Scanner], _ ownGateway: String) -> UInt64 {
    var coder = StateCoder()
    coder.write(ownGateway)
    for scanner in scanners {
      coder.write(scanner.kind.rawValue)
      for topic in [scanner.topic, scanner.status, scanner.telemetry] { coder.write(topic?.filter) }
      coder.write(scanner.receiver)
      coder.write(scanner.prefix)
      coder.write(scanner.aliases)
      coder.write(scanner.identities)
    }
    return coder.fingerprint
  }
}

/// The counts only.
extension HealthMessage.Scanner: StateFields {
  package mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder(tally: "messages", &messages)
    try coder(tally: "observations", &observations)
    try coder(tally: "retained", &retained)
    try coder(tally: "without_signal", &withoutSignal)
    try coder("refused", &refused)
    try coder.check(refused.values.allSatisfy { $0 < 1 << 62 })
  }
}

/// Scanners' reports about themselves. Retained ones count here, because they are the latest.
extension ScannerIntake {
  mutating func takeStatus(
    _ message: Message, _ fields: [TopicPattern.Field: String], into hearing: inout Hearing
  ) {
    var word = String(decoding: message.payload.prefix(20), as: UTF8.self)
    // The form that zigbee2mqtt uses.
    if let state = (try? JSONTree(message.payload, limit: 16))?.text("state") { word = state }
    let isOffline: Bool
    switch word.lowercased() {
    case "online", "connected", "true", "1": isOffline = false
    case "offline", "disconnected", "false", "0": isOffline = true
    default: return refuse(.status, message.scanner, into: &hearing)
    }
    for receiver in known(by: fields, of: message.scanner) {
      let comesAndGoes = receivers.setOffline(
        receiver, isOffline, isRetained: message.isRetained, scanner: message.scanner, at: message.arrival,
        message.wallTime, into: &hearing.changes)
      if comesAndGoes {
        hearing.notices.append(
          "\(table.name(of: receiver).printable) goes offline and comes back again and again: two boards may have this name; give each its own. Or its power or network is bad. Until it is calm for a minute, it counts as gone after 5 s"
        )
      }
    }
    if !isOffline { noteLife(message, fields, into: &hearing) }
  }

  /// Any message of a receiver proves that it works, even if it is malformed or has no device.
  ///
  /// - Parameter isSign: it comes whether the receiver hears anything or not.
  mutating func noteLife(
    _ message: Message, _ fields: [TopicPattern.Field: String], isSign: Bool = false,
    into hearing: inout Hearing
  ) {
    if message.isRetained { return }
    for receiver in known(by: fields, of: message.scanner) {
      receivers.lives(
        receiver, scanner: message.scanner, isSign: isSign, at: message.arrival, message.wallTime,
        into: &hearing.changes)
      if isSign { noteSilence(of: receiver, at: message.arrival, into: &hearing) }
    }
  }

  mutating func takeTelemetry(
    _ message: Message, _ fields: [TopicPattern.Field: String], into hearing: inout Hearing
  ) {
    if scanners[message.scanner].kind == .beaconkeeper {
      takeHealth(message, fields, into: &hearing)
    } else {
      noteLife(message, fields, isSign: true, into: &hearing)
    }
  }

  /// Processes another gateway's `health`: which of its radios are blind.
  private mutating func takeHealth(
    _ message: Message, _ fields: [TopicPattern.Field: String], into hearing: inout Hearing
  ) {
    guard let gateway = fields[.gateway].flatMap(name(ofTopicLevel:)), gateway != ownGateway,
      message.payload.count <= Self.largestMessage, let health = try? JSONTree(message.payload),
      case .list(let radios)? = health["receivers"]
    else { return }
    for radio in radios.prefix(ObservationBatch.receiverLimit) {
      guard case .text(let name)? = radio["name"], case .text(let state)? = radio["state"] else { continue }
      let scanner = scanners[message.scanner]
      guard let receiver = receivers.index(ofKnown: scanner.name(of: Self.receiver(name, of: gateway))) else {
        continue
      }
      // A state of a later version is ignored.
      guard let told = state == "missing" ? .gone : ReceiverHealth(rawValue: state) else { continue }
      var reason = "\(gateway) says that it is \(state)"
      if case .text(let words)? = radio["reason"] { reason += ": \(String(words.prefix(200)).printable)" }
      receivers.setFault(
        receiver, told, told.isBlind ? reason : "", scanner: message.scanner, at: message.arrival,
        message.wallTime, into: &hearing.changes)
    }
  }

  /// The receivers of a status, if they are known or configured. Others are ignored, because many devices that are no scanners
  /// have a last will.
  private func known(by fields: [TopicPattern.Field: String], of place: Int) -> [ReceiverIndex] {
    let scanner = scanners[place]
    if let gateway = fields[.gateway].flatMap(name(ofTopicLevel:)) {
      if gateway == ownGateway { return [] }
      let all = Self.receiver("", of: gateway)
      let aliased = Set(scanner.aliases.filter { $0.key.hasPrefix(all) }.values)
      return receivers.all.filter { $0.name.hasPrefix(scanner.prefix + all) || aliased.contains($0.name) }
        .map(\.index)
    }
    guard let name = (fields[.receiver] ?? scanner.receiver).map(scanner.name(of:)) else { return [] }
    return receivers.index(ofKnown: name).map { [$0] } ?? []
  }
}
