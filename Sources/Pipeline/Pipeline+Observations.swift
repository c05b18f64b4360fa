import Beacons
import Messages
import Settings

/// Input from remote receivers, and observations for other gateways.
extension Pipeline {
  /// Processes the advertisements and observations of scanners.
  ///
  /// - Parameters:
  ///   - batch: advertisements with a payload or an address.
  ///   - observations: sightings identified only by the beacon's key. They use the source's receiver indices, as
  ///     `batch` does.
  package mutating func observe(
    remote batch: borrowing AdvertisementBatch, _ observations: [Observation], from receivers: ReceiverMap,
    into output: inout Output
  ) {
    // Only sightings by our own radios are published. Otherwise two gateways would forward each other's sightings forever.
    let paused = tap
    tap = nil
    observe(batch, into: &output) { advertisement, _ in receivers[advertisement.receiver] }
    for observation in observations {
      guard let receiver = receivers[observation.receiver] else { continue }
      var observation = observation
      observation.receiver = receiver
      observe(observation, into: &output)
    }
    tap = paused
  }

  /// Processes a sighting that is identified only by the beacon's key. Returns it if the beacon is known.
  @discardableResult
  package mutating func observe(_ observation: Observation, into output: inout Output) -> Sighting? {
    if roster.isFull { makeRoom(at: max(time, observation.time), into: &output) }
    let revision = roster.revision
    let sighting = roster.sighting(of: observation)
    if let sighting, roster.revision != revision { admit(sighting.beacon, heard: sighting.time) }
    let nobody = Sighting(
      beacon: .nobody, receiver: observation.receiver, rssi: nil, measuredPower: nil,
      time: observation.time, wallTime: observation.wallTime)
    counts.advertisements += 1
    tap?.note(sighting ?? nobody)
    take(sighting ?? nobody, into: &output)
    return sighting
  }

  /// Starts, changes or stops the collection of our radios' sightings, as configured.
  ///
  /// - Parameter boot: identifies this run of the gateway.
  package mutating func publishObservations(boot: String, after earlier: Pipeline? = nil) {
    tap = configuration.publish.observations.map { settings in
      earlier?.tap?.adapted(to: settings) ?? ObservationTap(settings, boot: boot)
    }
  }

  /// Our radios' sightings since the last call.
  ///
  /// - Parameter time: now, on the clock of the advertisements.
  package mutating func takeObservations(at time: MonotonicTime) -> [ObservationsMessage] {
    guard var tap else { return [] }
    self.tap = nil
    let messages = tap.take(at: time, gateway: configuration.gatewayName, receivers: receivers) {
      roster.key(of: $0)
    }
    self.tap = tap
    return messages
  }

  /// Sightings that were dropped because too many came at once; nil: observations are off.
  package var lostObservations: UInt64? { tap?.lost }
}
