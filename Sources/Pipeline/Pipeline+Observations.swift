import Beacons
import Messages
import Settings

/// Input from receivers elsewhere, and observations for other gateways.
extension Pipeline {
  /// Processes what scanners heard.
  ///
  /// - Parameters:
  ///   - batch: what has a payload or an address.
  /// - observations: sightings known by a beacon's key alone. Like `batch`, they use the source's receiver indices.
  package mutating func observe(
    remote batch: borrowing AdvertisementBatch, _ observations: [Observation], from receivers: ReceiverMap,
    into output: inout Output
  ) {
    // Only what our own radios hear is passed on; otherwise two gateways would send each other's echoes for ever.
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

  /// Processes one sighting that is known by the beacon's key alone; returns it if the beacon is known.
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

  /// Starts, changes or ends the collection of our radios' sightings, as configured.
  ///
  /// - Parameter boot: identifies this run of the gateway.
  package mutating func publishObservations(boot: String, after earlier: Pipeline? = nil) {
    tap = configuration.publish.observations.map { settings in
      earlier?.tap?.adapted(to: settings) ?? ObservationTap(settings, boot: boot)
    }
  }

  /// What our radios heard since the last call.
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

  /// Sightings that were not published because too many came at once; nil: none are to be published. What waits for the broker
  /// counts its own, and leaves them here at its end.
  package var lostObservations: UInt64? {
    get { tap?.lost }
    set { if let newValue { tap?.lost = newValue } }
  }
}
