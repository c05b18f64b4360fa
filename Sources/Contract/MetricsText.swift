import Phones

/// The contents of `health` as text for Prometheus. A receiver's state has one series per state, one of which is 1.
package enum MetricsText {
  /// A zone or a room.
  package struct Place: Sendable {
    package var kind: PlaceKind
    package var name: String
    /// `occupied`, `empty` or `unknown`.
    package var state: String
    package var beacons: Int
    /// For how long the beacon that came first has been there, seconds; 0 if none is there.
    package var longestStay: UInt64
    /// Since the start, by event.
    package var transitions: [(event: String, count: UInt64)]

    package init(
      kind: PlaceKind, name: String, state: String, beacons: Int, longestStay: UInt64,
      transitions: [(event: String, count: UInt64)]
    ) {
      self.kind = kind
      self.name = name
      self.state = state
      self.beacons = beacons
      self.longestStay = longestStay
      self.transitions = transitions
    }
  }

  /// - Parameters:
  ///   - places: the configured zones and rooms.
  ///   - records: of phones; those whose app has not reported yet are left out.
  ///   - isConnected: whether the gateway is connected to the broker.
  package static func text(
    _ health: HealthMessage, _ places: [Place] = [], _ records: [RecordMessage] = [], gateway: String,
    isConnected: Bool
  ) -> String {
    var writer = PrometheusText(labels: [("gateway", gateway)])
    writer.write(health)
    for kind in [PlaceKind.zone, .room] { writer.write(places.filter { $0.kind == kind }, kind.rawValue) }
    writer.write(records.filter { $0.record.since != nil })
    writer.family("broker_connected", "Whether the broker has taken the gateway in.")
    writer.sample("broker_connected", isConnected ? 1 : 0)
    return writer.text
  }
}

extension PrometheusText {
  private static let receiverStates = [
    "ok", "quiet", "lossy", "doubted", "deaf", "empty", "gone", "blind", "missing",
  ]
  private static let placeStates = ["occupied", "empty", "unknown"]

  fileprivate mutating func write(_ health: HealthMessage) {
    family("build_info", "The version that runs.")
    sample("build_info", [("version", health.version)], 1)
    let receivers = health.receivers
    family("receiver_state", "The health of a radio: the one that is 1.")
    for receiver in receivers {
      for state in Self.receiverStates {
        sample(
          "receiver_state", [("receiver", receiver.name), ("state", state)], receiver.state == state ? 1 : 0)
      }
    }
    func perReceiver(_ name: String, _ help: String, _ value: (HealthMessage.Receiver) -> UInt64) {
      per(receivers, name, help) { [([("receiver", $0.name)], value($0))] }
    }
    perReceiver(
      "receiver_blind", "Whether it is blind: its silence then does not mean that beacons are absent."
    ) { $0.isBlind ? 1 : 0 }
    perReceiver("receiver_advertisements_total", "Advertisements heard.") { $0.heard }
    perReceiver("receiver_empty_total", "Advertisements without data.") { $0.empty }
    perReceiver("receiver_lost_total", "Advertisements that were not read soon enough.") { $0.lost }
    perReceiver("receiver_recoveries_total", "Steps taken to make it hear again.") { $0.recoveries }
    single("advertisements_total", "Advertisements of all receivers.", health.advertisements)
    single("sightings_total", "Advertisements of known beacons.", health.sightings)
    single("transitions_total", "Decisions of zones and rooms.", health.transitions)
    single("beacons", "Beacons that are tracked.", UInt64(clamping: health.beacons))
    single("queued_messages", "Messages that wait for the broker.", UInt64(clamping: health.queued))
    single(
      "outbox_durable", "Whether transitions are on disk before they are sent.",
      health.diskFault == nil ? 1 : 0)
    single(
      "outbox_lost_total", "Transitions given up because too many waited in memory.",
      health.lostTransitions)
    single(
      "members_refused_total", "Advertisements of members of regions that were not admitted.",
      health.refusedMembers)
    single(
      "transitions_held_total", "Enters and nears that had to wait, as they came too often.",
      health.heldTransitions)
    single(
      "events_refused_total", "Beacons' events that were not told, as they came too often.",
      health.refusedEvents)
    single(
      "observations_lost_total", "Observations that were not published.",
      health.lostObservations.map { $0 + (health.waitingObservations?.lost ?? 0) })
    single(
      "observations_waiting_batches", "Batches of observations that the broker does not have yet.",
      health.waitingObservations.map { UInt64(clamping: $0.batches) })
    single("rooms_dropped_total", "Sightings that did not count for rooms.", health.droppedForRooms)
    single(
      "outbox_parked_messages",
      "Messages that the broker refuses and that wait until it takes them.",
      UInt64(clamping: health.parkedMessages))
    single(
      "refusals_unseen", "Whether the gateway cannot see which messages the broker refuses.",
      health.refusalFault == nil ? 0 : 1)
    per(
      HealthMessage.BrokerLack.allCases, "broker_lacks", "Whether the broker lacks what the gateway needs."
    ) { [([("feature", $0.rawValue)], health.brokerLacks.contains($0) ? 1 : 0)] }
    single("app_set_refused_total", "Reports on app/set that made no sense.", health.refusedReports)
    single("app_seen_refused_total", "Reports on app/seen that made no sense.", health.refusedSightings)
    single(
      "addresses_postponed_total", "Advertisements on whose private address no key was tried yet.",
      health.postponedAddresses)
    family("readings_refused_total", "Frames whose readings were refused, by reason.")
    let refused = health.refusedReadings
    for (reason, count) in [
      ("no_key", refused.noKey), ("wrong_key", refused.wrongKey), ("replayed", refused.replayed),
      ("unencrypted", refused.unencrypted),
    ] { sample("readings_refused_total", [("reason", reason)], count) }
    if let remote = health.remote { write(remote) }
  }

  /// These are no counters, because a late report turns a missed near into a seen one.
  fileprivate mutating func write(_ records: [RecordMessage]) {
    if records.isEmpty { return }
    let figures: [(name: String, help: String, count: KeyPath<PhoneRecord.Counts, Int>)] = [
      ("nears", "Nears that are concluded.", \.nears),
      ("predicted", "Nears of which a phone's app was predicted to notice.", \.predicted),
      ("seen", "Nears that a phone's app noticed.", \.seen),
      ("missed", "Nears predicted to be noticed, that a phone's app did not notice.", \.missed),
      ("unpredicted", "Nears predicted to be missed, that a phone's app noticed.", \.unpredicted),
      ("false", "Reports of a phone's app although the beacon was not near.", \.falseAlarms),
      ("late", "Nears that a phone's app noticed a second or more later.", \.late),
      ("uncounted", "Reports of a phone's app that count nowhere.", \.uncounted),
    ]
    for (name, help, count) in figures {
      per(records, "phone_\(name)", help) {
        [([("phone", $0.phone)], UInt64(clamping: $0.record.counts[keyPath: count]))]
      }
    }
  }

  /// - Parameter kind: `zone` or `room`.
  fileprivate mutating func write(_ places: [MetricsText.Place], _ kind: String) {
    if places.isEmpty { return }
    per(places, "\(kind)_state", "Whether somebody is in a \(kind): the one that is 1.") { place in
      Self.placeStates.map {
        ([(kind, place.name), ("state", $0)], place.state == $0 ? 1 : 0)
      }
    }
    per(places, "\(kind)_beacons", "Beacons in a \(kind).") { place in
      [([(kind, place.name)], UInt64(clamping: place.beacons))]
    }
    per(places, "\(kind)_longest_stay_seconds", "How long the first of them has been there.") { place in
      [([(kind, place.name)], place.longestStay)]
    }
    per(places, "\(kind)_transitions_total", "Decisions about a \(kind), by event.") { place in
      place.transitions.map { ([(kind, place.name), ("event", $0.event)], $0.count) }
    }
    family("\(kind)s", "How many \(kind)s are in each state.")
    for state in Self.placeStates {
      sample("\(kind)s", [("state", state)], UInt64(places.count { $0.state == state }))
    }
  }

  private mutating func write(_ remote: HealthMessage.Remote) {
    // Two scanners may have the same topic, but a series must not occur twice.
    var told: Set<String> = []
    let scanners = remote.scanners.filter { told.insert($0.topic).inserted }
    per(scanners, "scanner_messages_total", "Messages of a scanner's topic.") { scanner in
      [([("topic", scanner.topic)], scanner.messages)]
    }
    per(scanners, "scanner_observations_total", "What was heard, as these messages say.") {
      scanner in [([("topic", scanner.topic)], scanner.observations)]
    }
    per(scanners, "scanner_without_signal_total", "What of these messages had no rssi.") { scanner in
      [([("topic", scanner.topic)], scanner.withoutSignal)]
    }
    per(scanners, "scanner_refused_total", "What could not be taken of them, by cause.") {
      scanner in
      scanner.refused.sorted { $0.key < $1.key }.map {
        ([("topic", scanner.topic), ("cause", $0.key)], $0.value)
      }
    }
    per(remote.gateways, "remote_gateway_batches_total", "Batches of another gateway.") {
      gateway in
      [([("remote", gateway.name)], gateway.batches)]
    }
    per(
      remote.gateways, "remote_gateway_lost_total",
      "Batches of another gateway that never arrived."
    ) { gateway in [([("remote", gateway.name)], gateway.lost)] }
    per(
      remote.gateways, "remote_gateway_refused_total",
      "Batches of another gateway that were refused."
    ) { gateway in [([("remote", gateway.name)], gateway.refused)] }
    single("scanner_messages_lost_total", "Messages for scanners that came too fast.", remote.lostMessages)
  }
}

/// Series for Prometheus, as text.
///
/// Source: Prometheus text exposition format 0.0.4. Counters end in `_total`.
package struct PrometheusText: Sendable {
  package typealias Label = (name: String, value: String)

  private let labels: String
  package private(set) var text = ""

  /// - Parameter labels: of every series, because one collector may read the files of several programs.
  package init(labels: [Label]) { self.labels = Self.words(labels) }

  package mutating func family(_ name: String, _ help: String) {
    let kind = name.hasSuffix("_total") ? "counter" : "gauge"
    text += "# HELP beaconkeeper_\(name) \(help)\n# TYPE beaconkeeper_\(name) \(kind)\n"
  }

  /// A family with a series for each item, or several.
  package mutating func per<Item>(
    _ items: some Sequence<Item>, _ name: String, _ help: String,
    _ samples: (Item) -> [(labels: [Label], value: UInt64)]
  ) {
    family(name, help)
    for item in items {
      for sample in samples(item) { self.sample(name, sample.labels, sample.value) }
    }
  }

  /// A family with one series; none if there is no value.
  package mutating func single(_ name: String, _ help: String, _ value: UInt64?) {
    guard let value else { return }
    family(name, help)
    sample(name, value)
  }

  package mutating func sample(_ name: String, _ value: UInt64) { write(name, [], "\(value)") }

  package mutating func sample(_ name: String, _ labels: [Label], _ value: UInt64) {
    write(name, labels, "\(value)")
  }

  /// - Parameter thousandths: the value, in thousandths of the unit.
  package mutating func sample(_ name: String, _ labels: [Label], thousandths: Int64) {
    let rest = String(abs(thousandths % 1000))
    let sign = thousandths < 0 ? "-" : ""
    write(
      name, labels,
      "\(sign)\(abs(thousandths / 1000)).\(String(repeating: "0", count: 3 - rest.utf8.count))\(rest)")
  }

  private mutating func write(_ name: String, _ labels: [Label], _ value: String) {
    let all = labels.isEmpty ? self.labels : "\(self.labels),\(Self.words(labels))"
    text += "beaconkeeper_\(name){\(all)} \(value)\n"
  }

  private static func words(_ labels: [Label]) -> String {
    labels.map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",")
  }

  private static func escaped(_ value: String) -> String {
    var escaped = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\": escaped += "\\\\"
      case "\"": escaped += "\\\""
      case "\n": escaped += "\\n"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
