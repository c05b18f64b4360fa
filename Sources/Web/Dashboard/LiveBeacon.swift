import Beacons
import Configuration
import Contract
import Core
import Pipeline
import Proximity

/// News of a beacon since the last call, for the live chart.
package struct LiveBeacon: Sendable {
  private let now: Moment
  private let trace: Trace
  private let progress: [(zone: String, progress: ZoneProgress)]
  private let state: BeaconStateMessage?
  private let room: RoomMessage?
  private let receivers: ReceiverTable
  private let zones: [String]
  private let topics: Topics
  /// Events that a client may already have.
  private let events: [TransitionMessage]
  /// Where the next call continues.
  package let next: UInt64

  package init(
    of beacon: BeaconIndex, since first: UInt64, _ pipeline: Pipeline, _ recent: RecentDecisions,
    at now: Moment
  ) {
    self.now = now
    (trace, next) = pipeline.trace(of: beacon, since: first)
    zones = pipeline.configuration.zones.map(\.name)
    let names = zones
    progress = pipeline.roster.zones(of: beacon).compactMap { zone in
      pipeline.engine.progress(of: beacon, in: zone).map { (names[Int(zone.rawValue)], $0) }
    }
    state = pipeline.beaconState(of: beacon)
    room = pipeline.beaconRoom(of: beacon)
    receivers = pipeline.receivers
    topics = pipeline.topics
    events = recent.events(of: pipeline.roster.name(of: beacon)).filter { now.time - $0.time <= .seconds(10) }
  }

  /// Whether there is something to draw.
  package var isNews: Bool { !trace.heard.isEmpty }

  package var json: [UInt8] {
    JSONWriter.object {
      $0.field("time", now.wallTime.milliseconds)
      $0.fields(of: trace, receivers: receivers, zones: zones)
      $0.objects("zones", progress) { json, entry in
        json.field("zone", entry.zone)
        json.field("inside", entry.progress.isInside)
        json.field("near", entry.progress.isNear)
        json.key("dwell")
        if let pending = entry.progress.pending { write(pending, in: &json) } else { json.null() }
      }
      $0.array("events", events) { $0.value(json: $1.json) }
      $0.key("state")
      if let state { $0.value(json: state.message(topics: topics).payload) } else { $0.null() }
      $0.key("room")
      if let room { $0.value(json: room.message(topics: topics).payload) } else { $0.null() }
    }
  }

  private func write(_ pending: ZoneProgress.Pending, in json: inout JSONWriter) {
    json.object {
      $0.field("event", pending.event.rawValue)
      $0.field("since", now.wallTime(of: pending.since).milliseconds)
      $0.field("due", now.wallTime(of: pending.due).milliseconds)
    }
  }
}
