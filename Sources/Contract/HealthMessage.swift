import Core

/// `health`: the state and rates of each radio, and what was refused.
package struct HealthMessage: Sendable {
  package struct Receiver: Sendable {
    package var name: String
    /// `ok`, `quiet`, `lossy`, `doubted`; or why it is blind: `gone`, `deaf`, `empty`, `blind`, `missing`.
    package var state: String
    /// Whether its silence proves nothing.
    package var isBlind: Bool
    /// Whether the configuration names it.
    package var isRequired: Bool
    package var isMissing: Bool { state == "missing" }
    /// The reason as text; empty if there is nothing to add.
    package var reason: String
    package var advertisementsPerSecond: Double
    package var lastHeard: WallTime?
    /// Advertisements received so far.
    package var heard: UInt64
    /// How many of them had no data.
    package var empty: UInt64
    /// Advertisements that were lost because they were not read in time.
    package var lost: UInt64
    /// How often the gateway has tried to recover it.
    package var recoveries: UInt64
    /// How many dB stronger than rooms expect the receiver hears; nil: unknown.
    package var gain: Double?

    package init(
      name: String, state: String, isBlind: Bool, isRequired: Bool = false, reason: String,
      advertisementsPerSecond: Double,
      lastHeard: WallTime?, heard: UInt64 = 0, empty: UInt64 = 0, lost: UInt64 = 0, recoveries: UInt64 = 0,
      gain: Double? = nil
    ) {
      self.name = name
      self.state = state
      self.isBlind = isBlind
      self.isRequired = isRequired
      self.reason = reason
      self.advertisementsPerSecond = advertisementsPerSecond
      self.lastHeard = lastHeard
      self.heard = heard
      self.empty = empty
      self.lost = lost
      self.recoveries = recoveries
      self.gain = gain
    }
  }

  /// The broadcast of wake regions.
  package struct Wake: Sendable {
    /// `on`, `waiting` or `failed`.
    package var state: String
    /// The reason, or a remark; empty if there is nothing to add.
    package var reason: String
    package var adapter: String?
    /// When the rotation began; nil: not yet.
    package var began: WallTime?
    package var uuid: UInt128
    package var major: UInt16
    /// The minors of all regions.
    package var minors: [UInt16]
    /// The minors on air.
    package var onAir: [UInt16]

    package init(
      state: String, reason: String, adapter: String?, began: WallTime?, uuid: UInt128, major: UInt16,
      minors: [UInt16], onAir: [UInt16]
    ) {
      self.state = state
      self.reason = reason
      self.adapter = adapter
      self.began = began
      self.uuid = uuid
      self.major = major
      self.minors = minors
      self.onAir = onAir
    }
  }

  /// How many frames had readings that were not accepted.
  package struct RefusedReadings: Hashable, Sendable {
    /// Encrypted, but there is no bind key.
    package var noKey: UInt64 = 0
    /// The bind key is wrong, or the frame was altered.
    package var wrongKey: UInt64 = 0
    /// The counter went back.
    package var replayed: UInt64 = 0
    /// Not encrypted, although the beacon has a bind key.
    package var unencrypted: UInt64 = 0

    package init() {}
  }

  package enum BrokerLack: String, CaseIterable, Sendable {
    /// The broker keeps no retained messages.
    case retained
    /// The broker delivers with QoS 0 only.
    case qos1
  }

  /// Lines of standard input that could not be read.
  package struct RefusedLines: Hashable, Sendable {
    package var count: UInt64 = 0
    /// The last of them, and why.
    package var last: String?

    package init() {}
  }

  /// What scanners sent.
  package struct Remote: Hashable, Sendable {
    package var scanners: [Scanner]
    package var gateways: [Gateway]
    /// How many more there are than listed.
    package var unlistedGateways = 0
    /// Messages from the broker that came too fast and were dropped.
    package var lostMessages: UInt64

    package init(scanners: [Scanner], gateways: [Gateway], lostMessages: UInt64) {
      self.scanners = scanners
      self.gateways = gateways
      self.lostMessages = lostMessages
    }
  }

  package var time: WallTime
  package var version: String
  package var receivers: [Receiver]
  package var advertisements: UInt64
  package var sightings: UInt64
  package var transitions: UInt64
  /// How many messages are waiting for the broker.
  package var queued: Int
  /// Why transitions wait only in memory, where a crash loses them; nil: they are on disk.
  package var diskFault: String?
  /// Whether the "disk" is a file system in memory.
  package var isInMemory = false
  /// Transitions that were dropped because too many waited in memory.
  package var lostTransitions: UInt64 = 0
  /// Messages that the broker refuses, which wait until it accepts them.
  package var parkedMessages = 0
  /// Their topics; only some if there are many.
  package var refusedTopics: [String] = []
  /// Why the gateway cannot see what the broker refuses; nil: it can.
  package var refusalFault: String?
  /// What the broker cannot do.
  package var brokerLacks: [BrokerLack] = []
  package var beacons: Int
  /// Invalid reports on a phone's `app/set`.
  package var refusedReports: UInt64
  /// Invalid reports on a phone's `app/seen`.
  package var refusedSightings: UInt64 = 0
  package var refusedReadings = RefusedReadings()
  /// nil: standard input is not read.
  package var refusedLines: RefusedLines?
  /// Advertisements from private addresses on which no key was tried, because too many strangers came at once.
  package var postponedAddresses: UInt64 = 0
  /// Advertisements of members of regions that were not admitted because there were too many.
  package var refusedMembers: UInt64 = 0
  /// Enters and nears that were delayed because they came too often.
  package var heldTransitions: UInt64 = 0
  /// Beacons' events beyond the limits.
  package var refusedEvents: UInt64 = 0
  /// Observations for other gateways that were dropped because too many came at once; nil: none are published.
  package var lostObservations: UInt64?
  /// Observations that wait for the broker; nil: they do not wait.
  package var waitingObservations: WaitingObservations?
  /// Sightings that rooms ignored, because they came too late or there were too many beacons; nil: no rooms.
  package var droppedForRooms: UInt64?
  /// nil: there are no scanners.
  package var remote: Remote?
  /// nil: nothing is to be broadcast.
  package var wake: Wake?

  package init(
    time: WallTime, version: String, receivers: [Receiver], advertisements: UInt64, sightings: UInt64,
    transitions: UInt64, queued: Int = 0, beacons: Int, refusedReports: UInt64 = 0
  ) {
    self.time = time
    self.version = version
    self.receivers = receivers
    self.advertisements = advertisements
    self.sightings = sightings
    self.transitions = transitions
    self.queued = queued
    self.beacons = beacons
    self.refusedReports = refusedReports
  }

  /// `blind` if no receiver works, `partial` if a configured one does not. Before the first report no error is known.
  private var state: String {
    if !receivers.isEmpty, receivers.allSatisfy(\.isBlind) { return "blind" }
    return receivers.contains { $0.isRequired && $0.isBlind } ? "partial" : "ok"
  }

  /// How many receivers are listed that the configuration does not name.
  private static let unnamedLimit = 200

  /// All receivers that the configuration names, and of the others those heard last: anybody can invent them.
  private var listed: [Receiver] {
    guard receivers.count(where: { !$0.isRequired }) > Self.unnamedLimit else { return receivers }
    let latest = receivers.indices.filter { !receivers[$0].isRequired }.sorted {
      let (a, b) = (receivers[$0].lastHeard, receivers[$1].lastHeard)
      return (a?.nanoseconds ?? .min) > (b?.nanoseconds ?? .min)
    }
    let shown = Set(latest.prefix(Self.unnamedLimit))
    return receivers.indices.filter { receivers[$0].isRequired || shown.contains($0) }.map { receivers[$0] }
  }

  /// Longer than the longest configurable interval between two messages, which is a day.
  private static let expiry = TimeSpan.seconds(2 * 86400)

  package func message(topics: Topics) -> Message {
    let listed = listed
    let payload = JSONWriter.object {
      $0.field("v", 1)
      $0.field("time", time)
      $0.field("version", version)
      $0.field("state", state)
      $0.objects("receivers", listed) { writer, receiver in
        writer.field("name", receiver.name)
        writer.field("state", receiver.state)
        if !receiver.reason.isEmpty { writer.field("reason", receiver.reason) }
        writer.field("advertisements_per_s", receiver.advertisementsPerSecond, decimals: 1)
        writer.field("last_heard", receiver.lastHeard)
        writer.field("heard", receiver.heard)
        writer.field("empty", receiver.empty)
        writer.field("lost", receiver.lost)
        writer.field("recoveries", receiver.recoveries)
        if let gain = receiver.gain { writer.field("gain_db", gain, decimals: 1) }
      }
      if listed.count < receivers.count { $0.field("receivers_unlisted", receivers.count - listed.count) }
      $0.field("advertisements", advertisements)
      $0.field("sightings", sightings)
      $0.field("transitions", transitions)
      $0.field("beacons", beacons)
      $0.field("queued", queued)
      $0.object("outbox") {
        $0.field("durable", diskFault == nil)
        if let diskFault {
          $0.field("reason", diskFault)
        } else if isInMemory {
          $0.field(
            "reason", "the state directory is in memory: what waits there is lost when the machine restarts")
        }
        $0.field("lost", lostTransitions)
        $0.field("parked", parkedMessages)
        if !refusedTopics.isEmpty {
          $0.array("refused", refusedTopics) { $0.value($1) }
        }
        if let refusalFault { $0.field("refusals_unseen", refusalFault) }
        if !brokerLacks.isEmpty { $0.array("broker_lacks", brokerLacks) { $0.value($1.rawValue) } }
      }
      if let lines = refusedLines {
        $0.object("standard_input") {
          $0.field("refused", lines.count)
          if let last = lines.last { $0.field("last_refused", last) }
        }
      }
      $0.field("app_set_refused", refusedReports)
      $0.field("app_seen_refused", refusedSightings)
      $0.field("members_refused", refusedMembers)
      $0.field("transitions_held", heldTransitions)
      $0.field("events_refused", refusedEvents)
      $0.object("readings_refused") {
        $0.field("no_key", refusedReadings.noKey)
        $0.field("wrong_key", refusedReadings.wrongKey)
        $0.field("replayed", refusedReadings.replayed)
        $0.field("unencrypted", refusedReadings.unencrypted)
      }
      $0.field("addresses_postponed", postponedAddresses)
      if let lostObservations {
        $0.field("observations_lost", lostObservations + (waitingObservations?.lost ?? 0))
      }
      if let waitingObservations { waitingObservations.write(in: &$0) }
      if let droppedForRooms { $0.field("rooms_dropped", droppedForRooms) }
      if let remote { remote.write(in: &$0) }
      if let wake { write(wake, in: &$0) }
    }
    return Message(
      topic: topics.health, payload: payload, qos: .atMostOnce, retained: true, expiry: Self.expiry)
  }

  private func write(_ wake: Wake, in json: inout JSONWriter) {
    json.object("wake") {
      $0.field("state", wake.state)
      if !wake.reason.isEmpty { $0.field("reason", wake.reason) }
      if let adapter = wake.adapter { $0.field("adapter", adapter) }
      $0.field("began", wake.began)
      $0.field("uuid", uuidText(wake.uuid))
      $0.field("major", wake.major)
      $0.array("minors", wake.minors) { $0.value($1) }
      $0.array("on_air", wake.onAir) { $0.value($1) }
    }
  }
}

extension HealthMessage {
  /// One scanner of the configuration.
  package struct Scanner: Hashable, Sendable {
    package var kind: String
    /// The filter of its topic.
    package var topic: String
    package var messages: UInt64 = 0
    package var observations: UInt64 = 0
    /// Retained messages, which are no observations, because it is unknown when they were made.
    package var retained: UInt64 = 0
    /// Messages without a signal strength, for example about the scanner's own state.
    package var withoutSignal: UInt64 = 0
    /// Refused ones, by cause.
    package var refused: [String: UInt64] = [:]
  }

  /// Another Beaconkeeper that sends observations.
  package struct Gateway: Hashable, Sendable {
    package var name: String
    package var boot: String
    /// Our monotonic clock minus its; nil: unknown.
    package var offset: TimeSpan?
    package var batches: UInt64
    package var observations: UInt64
    /// Batches that never arrived.
    package var lost: UInt64
    package var refused: UInt64
    /// Whether a second gateway uses its name.
    package var hasTwin: Bool
    /// The cause of the last refusal; nil: there was none.
    package var lastRefusal: String?
  }
}

extension HealthMessage {
  /// Observations that the broker does not have yet.
  package struct WaitingObservations: Hashable, Sendable {
    package var batches: Int
    /// Observations that were dropped to make room, or that the broker refused.
    package var lost: UInt64
    /// Why they wait in memory only; nil: they are on disk once they have waited for some seconds.
    package var fault: String?

    package init(batches: Int, lost: UInt64, fault: String?) {
      self.batches = batches
      self.lost = lost
      self.fault = fault
    }

    func write(in json: inout JSONWriter) {
      json.object("observations_waiting") {
        $0.field("batches", batches)
        $0.field("durable", fault == nil)
        if let fault { $0.field("reason", fault) }
      }
    }
  }
}

extension HealthMessage.Remote {
  func write(in json: inout JSONWriter) {
    json.objects("scanners", scanners) { json, scanner in
      json.field("kind", scanner.kind)
      json.field("topic", scanner.topic)
      json.field("messages", scanner.messages)
      json.field("observations", scanner.observations)
      json.field("retained", scanner.retained)
      json.field("without_signal", scanner.withoutSignal)
      json.object("refused") {
        for (cause, count) in scanner.refused.sorted(by: { $0.key < $1.key }) {
          $0.key(named: cause)
          $0.value(count)
        }
      }
    }
    if !gateways.isEmpty {
      json.objects("gateways", gateways) { json, gateway in
        json.field("name", gateway.name)
        json.field("boot", gateway.boot)
        json.field("clock_offset_s", gateway.offset?.seconds, decimals: 3)
        json.field("batches", gateway.batches)
        json.field("observations", gateway.observations)
        json.field("lost", gateway.lost)
        json.field("refused", gateway.refused)
        if let cause = gateway.lastRefusal { json.field("last_refused", cause) }
        if gateway.hasTwin { json.field("name_used_twice", true) }
      }
    }
    if unlistedGateways > 0 { json.field("gateways_unlisted", unlistedGateways) }
    json.field("messages_lost", lostMessages)
  }
}
