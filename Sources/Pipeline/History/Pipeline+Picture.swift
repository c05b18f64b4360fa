import Beacons
import Messages
import Proximity
import Settings

/// What people look at: the state of this moment, in the messages that say it on MQTT.
extension Pipeline {
  /// Remembers sightings from now on.
  package mutating func keepHistory(_ limit: Int = 98_304) {
    if history == nil { history = SightingHistory(limit: limit) }
  }

  /// What people call a beacon; nil: by its name.
  package func displayName(of beacon: BeaconIndex) -> String? { roster.displayName(of: beacon) }

  /// The beacons heard last, latest first, and how many more there are.
  package func beaconStates(atMost limit: Int) -> (states: [BeaconStateMessage], omitted: Int) {
    let known = telemetry.known
    var latest = known
    if known.count > limit {
      let times = known.map { (time: engine.lastSighting(of: $0)?.time ?? .zero, beacon: $0) }
      latest = times.sorted { ($0.time, $0.beacon) > ($1.time, $1.beacon) }.prefix(limit).map(\.beacon)
    }
    let states = latest.compactMap { state(of: $0) }.sorted { $0.lastSeen > $1.lastSeen }
    return (states, known.count - latest.count)
  }

  /// Beacons that a zone watches and hears, but that are outside, nearest first. Of many known beacons only the first
  /// thousand are looked at.
  package func approaching(_ zone: ZoneIndex, atMost limit: Int) -> [(
    beacon: BeaconIndex, estimate: Estimate
  )] {
    let outside = telemetry.known.prefix(1000).compactMap {
      beacon -> (beacon: BeaconIndex, estimate: Estimate)? in
      guard roster.zones(of: beacon).contains(zone), !engine.zones(of: beacon).contains(zone),
        let estimate = engine.estimate(of: beacon, in: zone)
      else { return nil }
      return (beacon, estimate)
    }
    return Array(
      outside.sorted { ($0.estimate.distance, $0.beacon) < ($1.estimate.distance, $1.beacon) }.prefix(limit))
  }

  /// nil: no such beacon was heard.
  package func beacon(named name: String) -> BeaconIndex? {
    telemetry.known.first { roster.name(of: $0) == name }
  }

  package func beaconState(of beacon: BeaconIndex) -> BeaconStateMessage? { state(of: beacon) }

  package func beaconRoom(of beacon: BeaconIndex) -> RoomMessage? { roomMessage(of: beacon) }

  /// A beacon's sightings since an event of the history, its estimates now, and the number of the next event.
  package func trace(
    of beacon: BeaconIndex, since first: UInt64
  ) -> (trace: Trace, next: UInt64) {
    var trace = Trace()
    guard let history else { return (trace, first) }
    var last: Sighting?
    history.forEach(from: first) { event in
      guard case .sighting(let sighting) = event, sighting.beacon == beacon else { return }
      trace.note(sighting, in: engine, zones: [])
      last = sighting
    }
    if let last {
      trace.noteEstimates(of: beacon, at: last.wallTime, in: engine, zones: roster.zones(of: beacon))
    }
    return (trace, history.end)
  }
}

extension Pipeline {
  /// Whether a receiver cannot hear.
  package func isBlind(_ receiver: ReceiverIndex) -> Bool { blind.contains(receiver) }
}
