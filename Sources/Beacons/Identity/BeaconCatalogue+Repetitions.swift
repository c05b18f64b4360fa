/// Most beacons send the same payload a few times a second for years: once looked up, it is not decoded again.
extension BeaconCatalogue {
  /// Finds out which beacons probably sent some advertisements.
  public func lookUp(_ batch: borrowing AdvertisementBatch, into likely: inout LikelyBeacons) {
    addresses.lookUp(batch, into: &likely)
    guard patterns.hasAddresses else { return }
    for (place, index) in likely.range.enumerated() where likely.beacons[place] < 0 {
      guard let beacon = beacon(byAddress: batch[index].address) else { continue }
      likely.set(beacon.rawValue, isSettled: true, at: place)
    }
  }

  /// Asks for what sightings of some beacons will read.
  public func prefetch(_ likely: LikelyBeacons) {
    for beacon in likely.beacons { traits.prefetch(at: Int(beacon)) }
  }

  /// Takes down the sighting in an advertisement whose payload is again the one that its beacon was last known by; false if it
  /// may say anything else.
  ///
  /// - Parameters:
  ///   - receiver: who heard it; it need not be the advertisement's.
  ///   - place: of the advertisement in `likely`.
  ///   - sightings: written to, not returned: a copy would wait for what has just been written in smaller pieces.
  @inline(__always) public mutating func repeatedSighting(
    of advertisement: borrowing Advertisement, by receiver: ReceiverIndex, payload: Span<UInt8>,
    likely: LikelyBeacons, at place: Int, into sightings: inout [Sighting]
  ) -> Bool {
    let beacon = likely.beacons[place]
    let isOutdated = likely.revision != addresses.revision
    // Nobody was there.
    if beacon < 0, !isOutdated { return false }
    guard likely.isSettled(place), !isOutdated else {
      return repeatedSighting(of: advertisement, by: receiver, payload: payload, into: &sightings)
    }
    guard let short = ShortPayload(payload), let power = traits[Int(beacon)].power(repeating: short) else {
      return false
    }
    sightings.append(
      Sighting(
        beacon: BeaconIndex(rawValue: beacon), receiver: receiver, rssi: advertisement.rssi,
        measuredPower: power,
        time: advertisement.time, wallTime: advertisement.wallTime))
    return true
  }

  private mutating func repeatedSighting(
    of advertisement: borrowing Advertisement, by receiver: ReceiverIndex, payload: Span<UInt8>,
    into sightings: inout [Sighting]
  ) -> Bool {
    let address = advertisement.address
    let lastSeen = addresses.beacon(at: address)
    guard let beacon = lastSeen ?? beacon(byAddress: address),
      let short = ShortPayload(payload), let power = traits[Int(beacon.rawValue)].power(repeating: short)
    else { return false }
    if lastSeen != nil {
      addresses.remember(beacon, at: address, generation: traits[Int(beacon.rawValue)].generation)
    }
    sightings.append(
      Sighting(
        beacon: beacon, receiver: receiver, rssi: advertisement.rssi, measuredPower: power,
        time: advertisement.time, wallTime: advertisement.wallTime))
    return true
  }

  /// Keeps the payload that led to a sighting, to know it by that alone. It must say nothing else: no reading, no second
  /// identity.
  public mutating func remember(_ payload: Span<UInt8>, of sighting: Sighting) {
    guard let payload = ShortPayload(payload) else { return }
    traits[Int(sighting.beacon.rawValue)].payload = payload
    traits[Int(sighting.beacon.rawValue)].payloadPower = sighting.measuredPower
  }
}
