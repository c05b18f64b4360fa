/// Sightings that others tell by a beacon's key, without its payload.
extension BeaconCatalogue {
  /// The sighting in an observation; nil if no entry matches it, or if the limits do not admit another member of a region.
  public mutating func sighting(of observation: Observation) -> Sighting? {
    guard let beacon = beacon(observation.key, at: observation.time) else { return nil }
    let known = traits[Int(beacon.rawValue)]
    if !known.isSighted { noteSighted(beacon) }
    return Sighting(
      beacon: beacon, receiver: observation.receiver, rssi: observation.rssi,
      measuredPower: known.measuredPower ?? observation.measuredPower, time: observation.time,
      wallTime: observation.wallTime)
  }

  private mutating func beacon(_ key: String, at time: MonotonicTime) -> BeaconIndex? {
    if let identity = BeaconIdentity(key: key) { return beacon(identity, at: time) }
    var words = KeyWords(key.utf8Span.span)
    guard words.skip("entry") else { return nil }
    if words.skip("address") {
      // `entry address c10000000001 name`: another gateway may call it differently.
      guard let bits: UInt64 = words.number(radix: 16) else { return nil }
      return patterns.entry(address: DeviceAddress(bits: bits, kind: .public)).flatMap { beacon($0) }
    }
    return entriesByKey[key].flatMap { beacon($0) }
  }
}
