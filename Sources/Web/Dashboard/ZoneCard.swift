import Beacons
import Configuration
import Contract
import Core
import Pipeline
import Proximity

/// A zone as the API shows it: its rules, who is in it, and why.
struct ZoneCard: Sendable {
  private struct Member: Sendable {
    var beacon: String
    var displayName: String?
    var since: WallTime
    var isNear: Bool
    var estimate: Estimate?
    /// The zone's last transition in this run.
    var last: TransitionMessage?
  }

  private struct Arrival: Sendable {
    var beacon: String
    var displayName: String?
    var estimate: Estimate
  }

  /// Beacons outside that are listed.
  private static let arrivalLimit = 20
  /// Members that are listed; more are counted.
  private static let memberLimit = 200

  let settings: ZoneSettings
  private let state: String
  private let count: Int
  private let members: [Member]
  private let arrivals: [Arrival]

  init(_ zone: ZoneIndex, _ pipeline: Pipeline, last: (String, String) -> TransitionMessage?) {
    settings = pipeline.configuration.zones[Int(zone.rawValue)]
    let name = settings.name
    let occupancy = pipeline.engine.occupancy(of: zone)
    state = occupancy.state.rawValue
    count = occupancy.members.count
    members = occupancy.members.prefix(Self.memberLimit).map { member in
      let beacon = pipeline.roster.name(of: member.beacon)
      return Member(
        beacon: beacon, displayName: pipeline.displayName(of: member.beacon), since: member.since,
        isNear: member.isNear, estimate: pipeline.engine.estimate(of: member.beacon, in: zone),
        last: last(name, beacon))
    }
    // Zones of rooms have no distance to list by.
    let outside = settings.rooms == nil ? pipeline.approaching(zone, atMost: Self.arrivalLimit) : []
    arrivals = outside.map { beacon, estimate in
      Arrival(
        beacon: pipeline.roster.name(of: beacon), displayName: pipeline.displayName(of: beacon),
        estimate: estimate)
    }
  }

  func write(in json: inout JSONWriter) {
    json.object {
      $0.field("zone", settings.name)
      $0.field("state", state)
      $0.field("count", count)
      $0.key("receivers")
      if let receivers = settings.receivers { $0.array(receivers) { $0.value($1) } } else { $0.null() }
      if let rooms = settings.rooms {
        $0.array("rooms", rooms) { $0.value($1) }
      }
      writeRules(settings, in: &$0)
      $0.array("beacons", members) { write($1, in: &$0) }
      $0.array("approaching", arrivals) { write($1, in: &$0) }
    }
  }

  private func write(_ arrival: Arrival, in json: inout JSONWriter) {
    json.object {
      $0.field("beacon", arrival.beacon)
      if let name = arrival.displayName { $0.field("name", name) }
      write(arrival.estimate, in: &$0)
    }
  }

  private func write(_ estimate: Estimate?, in json: inout JSONWriter) {
    json.field("distance_m", estimate?.distance, decimals: 2)
    json.field("distance_sd_m", estimate?.distanceDeviation, decimals: 2)
    json.field("rssi_dbm", estimate?.rssi, decimals: 1)
  }

  private func write(_ member: Member, in json: inout JSONWriter) {
    json.object {
      $0.field("beacon", member.beacon)
      if let name = member.displayName { $0.field("name", name) }
      $0.field("since", member.since)
      $0.field("near", member.isNear)
      write(member.estimate, in: &$0)
      $0.key("because")
      if let last = member.last { $0.value(json: last.json) } else { $0.null() }
    }
  }
}

/// The rules of a zone: `near`, `enter`, `exit`. A zone of rooms has no thresholds, and so no unit.
func writeRules(_ zone: ZoneSettings, in json: inout JSONWriter) {
  let hasThresholds = zone.rooms == nil
  json.object("near", of: zone.near) { json, near in
    write(near.rule, near.rule.threshold.number, hasThreshold: hasThresholds, in: &json)
    json.field("rearm", near.rearm.number, decimals: 3)
  }
  json.object("enter") { write(zone.enter, line(zone.enter), hasThreshold: hasThresholds, in: &$0) }
  json.object("exit") {
    write(zone.exit, line(zone.exit), hasThreshold: hasThresholds, in: &$0)
    $0.key("lost_s")
    if case .after(let span) = zone.lost { $0.value(span.seconds, decimals: 3) } else { $0.null() }
  }
}

/// A rule's threshold. nil: every signal meets it; for an exit: only silence does.
private func line(_ rule: Rule) -> Double? { rule.threshold.isAnySignal ? nil : rule.threshold.number }

private func write(_ rule: Rule, _ line: Double?, hasThreshold: Bool, in json: inout JSONWriter) {
  json.field("threshold", line, decimals: 3)
  json.field("unit", hasThreshold ? rule.threshold.unit : nil)
  json.field("dwell_s", rule.dwell.seconds, decimals: 3)
}

extension Threshold {
  var number: Double {
    switch self {
    case .distance(let metres): metres
    case .signal(let level): level
    }
  }

  var unit: String {
    switch self {
    case .distance: "m"
    case .signal: "dBm"
    }
  }
}
