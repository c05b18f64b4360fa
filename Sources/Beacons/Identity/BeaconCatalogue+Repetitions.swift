/// Most beacons repeat the same payload a few times a second for years. A payload that was looked up once is not decoded
/// again.
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

  /// Prefetches what sightings of these beacons will read.
  public func prefetch(_ likely: LikelyBeacons) {
    for beacon in likely.beacons { traits.prefetch(at: Int(beacon)) }
  }

  /// Writes the sighting of an advertisement whose payload is the same as the last remembered one of its beacon. Returns
  /// false if the advertisement may say anything else.
  ///
  /// - Parameters:
  ///   - receiver: the receiver that heard it; it may differ from the advertisement's.
  ///   - place: the advertisement's place in `likely`.
  ///   - sightings: receives the sighting. Returning it would need a copy, which would stall on data just written in
  ///     smaller pieces.
  @inline(__always) public mutating func repeatedSighting(
    of advertisement: borrowing Advertisement, by receiver: ReceiverIndex, payload: Span<UInt8>,
    likely: LikelyBeacons, at place: Int, into sightings: inout [Sighting]
  ) -> Bool {
    let beacon = likely.beacons[place]
    let isOutdated = likely.revision != addresses.revision
    // No beacon was seen at this address.
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

  /// Remembers the payload of a sighting, to recognise it next time without decoding. It must contain nothing else: no
  /// reading, no second identity.
  public mutating func remember(_ payload: Span<UInt8>, of sighting: Sighting) {
    guard let payload = ShortPayload(payload) else { return }
    traits[Int(sighting.beacon.rawValue)].payload = payload
    traits[Int(sighting.beacon.rawValue)].payloadPower = sighting.measuredPower
  }
}
