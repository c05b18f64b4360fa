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
    if let known = keys[key], traits[Int(known.beacon.rawValue)].generation == known.generation {
      return known.beacon
    }
    guard let beacon = find(key, at: time) else { return nil }
    keys.remember(key, beacon, traits[Int(beacon.rawValue)].generation)
    return beacon
  }

  private mutating func find(_ key: String, at time: MonotonicTime) -> BeaconIndex? {
    if let identity = BeaconIdentity(key: key) { return beacon(identity, at: time) }
    // `entry address c10000000001 name`: another gateway may call it differently.
    let parts = key.split(separator: " ", maxSplits: 3)
    guard parts.count >= 3, parts[0] == "entry" else { return nil }
    if parts[1] == "address", let bits = UInt64(parts[2], radix: 16) {
      return patterns.entry(address: DeviceAddress(bits: bits, kind: .public)).flatMap { beacon($0) }
    }
    if parts[1] == "key" {
      let name = key.dropFirst("entry key ".count)
      let entry = entries.firstIndex { $0.pattern == .resolvingKey && $0.name == name }
      return entry.flatMap { beacon(BeaconEntryIndex(rawValue: Int32(clamping: $0))) }
    }
    return nil
  }
}

/// The beacons of known keys, so that each key is parsed only once. The size is limited: the table is cleared when it is
/// full.
struct KeyMemory: Sendable {
  private static let limit = 20_000
  /// The generation of the beacon's row.
  private var known: [String: (beacon: BeaconIndex, generation: UInt32)] = [:]

  subscript(key: String) -> (beacon: BeaconIndex, generation: UInt32)? { known.isEmpty ? nil : known[key] }

  mutating func remember(_ key: String, _ beacon: BeaconIndex, _ generation: UInt32) {
    if known.count >= Self.limit { known.removeAll(keepingCapacity: true) }
    known[key] = (beacon, generation)
  }
}
