import Beacons
import Proximity

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
