import Beacons
import Configuration
import Contract
import Core
import Proximity

/// The current state for display, in the same messages as on MQTT.
extension Pipeline {
  /// Stores sightings from now on.
  package mutating func keepHistory(_ limits: SightingHistory.Limits = SightingHistory.Limits()) {
    if history == nil { history = SightingHistory(limits) }
  }

  /// A beacon's display name; nil: none is configured.
  package func displayName(of beacon: BeaconIndex) -> String? { roster.displayName(of: beacon) }

  /// The beacons heard last, latest first, and how many are omitted.
  package func beaconStates(atMost limit: Int) -> (states: [BeaconStateMessage], omitted: Int) {
    let known = teller.telemetry.known
    var latest = known
    if known.count > limit {
      let times = known.map { (time: engine.lastSighting(of: $0)?.time ?? .zero, beacon: $0) }
      latest = times.sorted { ($0.time, $0.beacon) > ($1.time, $1.beacon) }.prefix(limit).map(\.beacon)
    }
    let states = latest.compactMap { state(of: $0) }.sorted { $0.lastSeen > $1.lastSeen }
    return (states, known.count - latest.count)
  }

  /// Configured beacons and regions that were not heard. With more than a thousand known beacons, none is listed.
  package func unheardBeacons(atMost limit: Int) -> [String] {
    guard teller.telemetry.known.count <= 1000 else { return [] }
    var heard: Set<Substring> = []
    for beacon in teller.telemetry.known {
      let name = roster.name(of: beacon)
      heard.insert(name[...])
      heard.insert(name.prefix { $0 != ":" })
    }
    return Array(configuration.beacons.lazy.map(\.name).filter { !heard.contains($0[...]) }.prefix(limit))
  }

  /// Beacons outside a zone that watches and hears them, nearest first. Only the first thousand known beacons are examined.
  package func approaching(_ zone: ZoneIndex, atMost limit: Int) -> [(
    beacon: BeaconIndex, estimate: Estimate
  )] {
    let outside = teller.telemetry.known.prefix(1000).compactMap {
      beacon -> (beacon: BeaconIndex, estimate: Estimate)? in
      guard roster.zones(of: beacon).contains(zone), !engine.zones(of: beacon).contains(zone),
        let estimate = engine.estimate(of: beacon, in: zone)
      else { return nil }
      return (beacon, estimate)
    }
    return Array(
      outside.sorted { ($0.estimate.distance, $0.beacon) < ($1.estimate.distance, $1.beacon) }.prefix(limit))
  }

  /// nil: no beacon of this name was heard.
  package func beacon(named name: String) -> BeaconIndex? {
    teller.telemetry.known.first { roster.name(of: $0) == name }
  }

  package func beaconState(of beacon: BeaconIndex) -> BeaconStateMessage? { state(of: beacon) }

  package func beaconRoom(of beacon: BeaconIndex) -> RoomMessage? { roomMessage(of: beacon) }

  /// A beacon's sightings since an event of the history, its current estimates, and the number of the next event.
  package func trace(
    of beacon: BeaconIndex, since first: UInt64
  ) -> (trace: Trace, next: UInt64) {
    var trace = Trace()
    guard let history else { return (trace, first) }
    var last: Sighting?
    for case .sighting(let sighting, _) in history.events(from: first) where sighting.beacon == beacon {
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
  /// Whether a receiver is blind.
  package func isBlind(_ receiver: ReceiverIndex) -> Bool { sight.isBlind(receiver) }
}

/// One beacon's signal over time, and the zones' estimates.
package struct Trace: Sendable {
  package struct Heard: Sendable {
    package var wallTime: WallTime
    package var receiver: ReceiverIndex
    /// In dBm.
    package var rssi: Int8
  }

  /// A zone's estimate at each of its sightings.
  package struct Estimated: Sendable {
    package var wallTime: WallTime
    package var estimate: Estimate
  }

  package var heard: [Heard] = []
  /// The estimates of each zone.
  package var estimates: [ZoneIndex: [Estimated]] = [:]

  private let spacing: TimeSpan
  /// For each receiver, the earliest time of the next point.
  private var nextPoint: [ReceiverIndex: MonotonicTime] = [:]

  /// - Parameter spacing: the time between two points of a receiver. It limits the points of a beacon that sends often.
  package init(spacing: TimeSpan = .zero) { self.spacing = spacing }

  mutating func note(_ sighting: Sighting, in engine: ZoneEngine, zones: [ZoneIndex]) {
    if let next = nextPoint[sighting.receiver], sighting.time < next { return }
    nextPoint[sighting.receiver] = sighting.time + spacing
    if let rssi = sighting.rssi {
      heard.append(Heard(wallTime: sighting.wallTime, receiver: sighting.receiver, rssi: rssi))
    }
    noteEstimates(of: sighting.beacon, at: sighting.wallTime, in: engine, zones: zones)
  }

  mutating func noteEstimates(
    of beacon: BeaconIndex, at wallTime: WallTime, in engine: ZoneEngine, zones: [ZoneIndex]
  ) {
    for zone in zones {
      guard let estimate = engine.estimate(of: beacon, in: zone) else { continue }
      estimates[zone, default: []].append(Estimated(wallTime: wallTime, estimate: estimate))
    }
  }
}
