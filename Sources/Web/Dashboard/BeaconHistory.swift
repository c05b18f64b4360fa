import Beacons
import Configuration
import Contract
import Core
import Pipeline
import Proximity

/// The last minutes of a beacon, from memory.
package struct BeaconHistory: Sendable {
  /// How long estimates depend on how they began.
  private static let warmUp = TimeSpan.seconds(60)
  /// The most points of a receiver; a wide screen has hardly more columns.
  private static let points = 3000.0

  private let beacon: String
  private let span: (from: WallTime, to: WallTime)
  private let trial: Trial
  private let transitions: [TransitionMessage]
  private let events: [TransitionMessage]
  /// By zone, the times in which its state is unknown: while it was blind, and before the history begins.
  private let unknown: [(zone: ZoneIndex, spans: [(from: WallTime, to: WallTime?)])]
  private let receivers: ReceiverTable
  private let zones: [String]

  /// Repeats the decisions about the beacon's remembered sightings, because estimates are not stored.
  package init(
    of beacon: BeaconIndex, _ hindsight: Hindsight, _ recent: RecentDecisions, _ now: Moment,
    over length: TimeSpan
  ) {
    let name = hindsight.roster.name(of: beacon)
    // Only the estimates count here.
    var configuration = hindsight.configuration
    configuration.phones = []
    trial = hindsight.trial(
      configuration, of: beacon, since: now.time - length, warmUp: Self.warmUp,
      spacing: .seconds(length.seconds / Self.points), decidesRooms: false)
    let from = now.wallTime - length
    span = (from, now.wallTime)
    transitions = recent.transitions(atMost: RecentDecisions.limit)
      .filter { $0.beacon == name && $0.wallTime >= from }.reversed()
    events = recent.events(of: name)
    unknown = hindsight.roster.zones(of: beacon).map { [trial] zone in
      let blind = (trial.blindness[zone] ?? []).map { span in
        (from: now.wallTime(of: span.from), to: span.to.map { now.wallTime(of: $0) })
      }
      let beginning = trial.span.map { now.wallTime(of: $0.from) } ?? now.wallTime
      return (
        zone, (beginning > from ? [(from, beginning)] : []) + blind.filter { $0.to.map { $0 > from } ?? true }
      )
    }
    self.beacon = name
    receivers = hindsight.receivers
    zones = hindsight.configuration.zones.map(\.name)
  }

  package var json: [UInt8] {
    JSONWriter.object {
      $0.field("beacon", beacon)
      $0.field("from", span.from.milliseconds)
      $0.field("to", span.to.milliseconds)
      $0.field("complete", trial.isComplete)
      $0.fields(of: trial.trace, receivers: receivers, zones: zones)
      $0.objects("unknown", unknown) { json, entry in
        json.field("zone", zones[Int(entry.zone.rawValue)])
        json.array("spans", entry.spans) { json, span in
          json.array(0..<2) { json, side in
            if side == 0 {
              json.value(max(span.from, self.span.from).milliseconds)
            } else if let end = span.to {
              json.value(end.milliseconds)
            } else {
              json.null()
            }
          }
        }
      }
      $0.array("transitions", transitions) { $0.value(json: $1.json) }
      $0.array("events", events) { $0.value(json: $1.json) }
    }
  }
}
