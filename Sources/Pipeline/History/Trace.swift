import Beacons
import Proximity

/// One beacon's signal over time, and what the zones made of it.
package struct Trace: Sendable {
  package struct Heard: Sendable {
    package var wallTime: WallTime
    package var receiver: ReceiverIndex
    /// dBm.
    package var rssi: Int8
  }

  /// A zone's estimate at each of its sightings.
  package struct Estimated: Sendable {
    package var wallTime: WallTime
    package var estimate: Estimate
  }

  package var heard: [Heard] = []
  /// By zone.
  package var estimates: [ZoneIndex: [Estimated]] = [:]

  private let spacing: TimeSpan
  /// By receiver: nothing more is drawn before.
  private var nextPoint: [ReceiverIndex: MonotonicTime] = [:]

  /// - Parameter spacing: between two points of a receiver, so that a chatty beacon does not fill a page with points.
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
