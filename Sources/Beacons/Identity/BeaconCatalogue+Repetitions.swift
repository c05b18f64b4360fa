/// Most beacons repeat the same payload a few times a second for years. A payload that was looked up once is not decoded
/// again.
extension BeaconCatalogue {
  /// Prefetches what some advertisements of a batch will read here.
  ///
  /// - Parameter likely: receives the beacons that probably sent them, judged by address alone.
  public func lookAhead(
    _ batch: borrowing AdvertisementBatch, _ range: Range<Int>, into likely: inout [BeaconIndex]
  ) {
    likely.removeAll(keepingCapacity: true)
    for place in range { addresses.prefetch(batch[place].address) }
    for place in range {
      let address = batch[place].address
      guard let beacon = addresses.beacon(at: address) ?? beacon(byAddress: address) else { continue }
      traits.prefetch(at: Int(beacon.rawValue))
      likely.append(beacon)
    }
  }

  /// The sighting of an advertisement whose payload is the same as the last remembered one of its beacon; nil if the
  /// advertisement may say anything else.
  public mutating func repeatedSighting(
    of advertisement: borrowing Advertisement, payload: Span<UInt8>
  ) -> Sighting? {
    forgetOthers()
    let address = advertisement.address
    let lastSeen = addresses.beacon(at: address)
    guard let beacon = lastSeen ?? beacon(byAddress: address),
      let short = ShortPayload(payload), let power = traits[Int(beacon.rawValue)].power(repeating: short)
    else { return nil }
    if lastSeen != nil {
      addresses.remember(beacon, at: address, generation: traits[Int(beacon.rawValue)].generation)
    }
    return Sighting(
      beacon: beacon, receiver: advertisement.receiver, rssi: advertisement.rssi, measuredPower: power,
      time: advertisement.time, wallTime: advertisement.wallTime)
  }

  /// Remembers the payload of a sighting, to recognise it next time without decoding. It must contain nothing else: no
  /// reading, no second identity.
  public mutating func remember(_ payload: Span<UInt8>, of sighting: Sighting) {
    guard let payload = ShortPayload(payload) else { return }
    traits[Int(sighting.beacon.rawValue)].payload = payload
    traits[Int(sighting.beacon.rawValue)].payloadPower = sighting.measuredPower
  }
}
