import Beacons
import Configuration
import Contract
import Core
import Phones
import Pipeline
import Proximity

/// Everything on the page *Now*. It is collected under the decision loop's lock, and written to JSON afterwards.
package struct Overview: Sendable {
  static let beaconLimit = 200
  package static let transitionLimit = 50

  private let details: GatewayDetails
  package let time: WallTime
  private let topics: Topics
  private let zones: [ZoneCard]
  private let rooms: [RoomCard]
  private let beacons: (states: [BeaconStateMessage], omitted: Int)
  private let unheard: [String]
  private let regions: [String]
  private let belongings: [(beacon: String, owner: String?, icon: String?)]
  private let phones: [(window: WindowMessage, record: RecordMessage)]
  private let transitions: [TransitionMessage]
  /// Events of beacons: buttons, doors and the like.
  private let events: [TransitionMessage]
  private let verdicts: [VerdictMessage]
  /// Configured receivers that `health` does not have yet.
  private let awaited: [String]
  /// Whether a login can give more rights.
  private let hasPasswords: Bool

  package init(_ pipeline: Pipeline, _ recent: RecentDecisions, _ details: GatewayDetails, at time: WallTime)
  {
    self.details = details
    self.time = time
    topics = pipeline.topics
    hasPasswords = pipeline.configuration.http?.writePassword != nil
    var last: [[String]: TransitionMessage] = [:]
    for message in recent.transitions(atMost: RecentDecisions.limit).reversed() {
      guard let kind = message.kind else { continue }
      last[[kind.rawValue, message.place, message.beacon]] = message
    }
    zones = pipeline.configuration.zones.indices.map { place in
      ZoneCard(ZoneIndex(rawValue: Int32(place)), pipeline) { last[[PlaceKind.zone.rawValue, $0, $1]] }
    }
    rooms = pipeline.roomIndices.map { RoomCard($0, pipeline) }
    beacons = pipeline.beaconStates(atMost: Self.beaconLimit)
    unheard = pipeline.unheardBeacons(atMost: Self.beaconLimit)
    regions = pipeline.configuration.beacons.filter { $0.pattern.isRegion }.map(\.name)
    belongings = pipeline.configuration.belongings
    phones = pipeline.phonesNow
    let known = Set(details.health.receivers.map(\.name))
    awaited = pipeline.expectedReceivers.keys.map { pipeline.receivers.name(of: $0) }
      .filter { !known.contains($0) }.sorted()
    transitions = recent.transitions(atMost: Self.transitionLimit)
    events = recent.events(atMost: Self.transitionLimit)
    verdicts = recent.verdicts(atMost: Self.transitionLimit)
  }

  /// A part of the overview.
  package enum Part: String, CaseIterable, Sendable {
    case receivers, zones, rooms, beacons, phones, transitions
  }

  package func json(mayWrite: Bool, isLoggedIn: Bool) -> [UInt8] {
    JSONWriter.object {
      $0.field("v", 1)
      $0.field("gateway", topics.gateway)
      $0.field("version", details.version)
      $0.field("time", time)
      $0.field("started", details.started)
      $0.field("source", details.source.rawValue)
      $0.object("rights") {
        $0.field("read", true)
        $0.field("write", mayWrite)
      }
      $0.field("login", isLoggedIn)
      $0.field("passwords", hasPasswords)
      $0.field("configuration_file", details.configurationFile)
      $0.field("configuration_revision", details.revision)
      $0.key("health")
      $0.value(json: details.health.message(topics: topics).payload)
      $0.array("receivers_awaited", awaited) { $0.value($1) }
      $0.object("broker", of: details.broker) { json, broker in
        json.field("connected", broker.isConnected)
        json.field("address", broker.address)
      }
      for part in [Part.zones, .rooms, .beacons, .phones, .transitions] { write(part, in: &$0) }
      $0.field("beacons_omitted", beacons.omitted)
      $0.array("beacons_unheard", unheard) { $0.value($1) }
      $0.array("regions", regions) { $0.value($1) }
      $0.objects("belongings", belongings) { json, one in
        json.field("beacon", one.beacon)
        json.field("owner", one.owner)
        json.field("icon", one.icon)
      }
      $0.array("events", events) { $0.value(json: $1.json) }
      $0.array("verdicts", verdicts) { $0.value(json: $1.json) }
    }
  }

  /// One part alone.
  package func json(of part: Part) -> [UInt8] {
    JSONWriter.object {
      if part == .receivers {
        $0.key("health")
        $0.value(json: details.health.message(topics: topics).payload)
      } else {
        write(part, in: &$0)
      }
      if part == .beacons { $0.field("beacons_omitted", beacons.omitted) }
    }
  }

  private func write(_ part: Part, in json: inout JSONWriter) {
    json.key(named: part.rawValue)
    switch part {
    case .receivers: json.null()
    case .zones: json.array(zones) { $1.write(in: &$0) }
    case .rooms: json.array(rooms) { $1.write(in: &$0) }
    case .beacons: json.array(beacons.states) { $0.value(json: $1.message(topics: topics).payload) }
    case .phones: json.array(phones) { write($1.window, $1.record, in: &$0) }
    case .transitions: json.array(transitions) { $0.value(json: $1.json) }
    }
  }

  private func write(_ window: WindowMessage, _ record: RecordMessage, in json: inout JSONWriter) {
    let remaining = window.remaining.map { TimeSpan.milliseconds($0) }
    let until = remaining.map { window.time + $0 }
    json.object {
      $0.field("phone", window.phone)
      $0.field("beacon", record.beacon)
      $0.field("os", window.os)
      $0.field("strategy", window.strategy)
      $0.field("state", window.state.rawValue)
      $0.field("since", window.since)
      $0.field("until", until)
      // The window's message was written at its last change.
      $0.field("remaining_s", until.map { max(($0 - time).seconds, 0) }, decimals: 1)
      $0.field("why", window.why?.rawValue)
      $0.key("record")
      $0.value(json: record.json)
    }
  }
}
