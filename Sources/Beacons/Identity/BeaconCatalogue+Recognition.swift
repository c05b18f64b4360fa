import Core

/// Recognises beacons in advertisements.
extension BeaconCatalogue {
  /// The sighting in an advertisement; nil if no known beacon sent it.
  public mutating func sighting(
    of advertisement: Advertisement, payload: Span<UInt8>, resolved: BeaconEntryIndex? = nil
  ) -> Sighting? {
    var recognition = begin(advertisement, resolved: resolved)
    FrameDecoder.forEachFrame(in: payload, from: advertisement.address) { result, _ in
      if case .frame(let frame, _) = result { add(frame, to: &recognition) }
    }
    return sighting(recognition, of: advertisement)
  }

  /// First step, for callers that read the frames themselves: identifies the sender by its address. `resolved` is the entry
  /// whose key resolves the address.
  public mutating func begin(_ advertisement: Advertisement, resolved: BeaconEntryIndex? = nil) -> Recognition
  {
    forgetOthers()
    var recognition = Recognition(time: advertisement.time)
    guard let entry = resolved ?? patterns.entry(address: advertisement.address) else {
      recognition.atAddress = addresses.beacon(at: advertisement.address) {
        traits[Int($0.rawValue)].generation
      }
      return recognition
    }
    recognition.isByAddress = true
    recognition.beacon = beacon(entry)
    return recognition
  }

  /// Whether an entry names this address.
  public func hasEntry(for address: DeviceAddress) -> Bool { patterns.entry(address: address) != nil }

  /// Second step: adds the identity in one of the frames.
  public mutating func add(_ frame: Frame, to recognition: inout Recognition) {
    guard let identity = BeaconIdentity(frame) else { return }
    if recognition.isByAddress, recognition.measuredPower == nil {
      recognition.measuredPower = frame.measuredPower
    }
    if let sender = recognition.beacon,
      recognition.isByAddress || specificity(of: identity) <= recognition.specificity
    {
      return noteOther(identity, frame.measuredPower, beside: sender, at: recognition.time)
    }
    if recognition.isByAddress { return }
    guard let beacon = beacon(identity, likely: recognition.atAddress, at: recognition.time) else {
      // The sender sends another identity now. So the rest of the advertisement is not about the beacon that used the address
      // before.
      recognition.atAddress = nil
      return
    }
    if let known = recognition.beacon { noteOther(known, recognition.measuredPower) }
    recognition.beacon = beacon
    recognition.specificity = traits[Int(beacon.rawValue)].specificity
    recognition.measuredPower = frame.measuredPower
  }

  private func specificity(of identity: BeaconIdentity) -> UInt8 {
    if let place = identities.place(of: IdentityKey(identity)) { return traits[place].specificity }
    return patterns.entries(matching: identity).first.map { entries[Int($0.rawValue)].pattern.specificity }
      ?? 0
  }

  /// Third step: the sighting, if the beacon is known.
  public mutating func sighting(_ recognition: Recognition, of advertisement: Advertisement) -> Sighting? {
    guard let beacon = recognition.beacon else { return nil }
    // The beacon may be known without a sighting so far, because its identity came only in advertisements of another one.
    let known = traits[Int(beacon.rawValue)]
    if !known.isSighted {
      noteSighted(beacon)
      if recognition.isByAddress, advertisement.address.isResolvablePrivate { noteChanging(beacon) }
    }
    if !recognition.isByAddress {
      addresses.remember(beacon, at: advertisement.address, generation: known.generation)
      guard
        counts(
          advertisement.address, as: beacon, from: advertisement.receiver, at: advertisement.time)
      else { return nil }
    }
    if !others.isEmpty { findBeside(beacon, of: advertisement) }
    return Sighting(
      beacon: beacon, receiver: advertisement.receiver, rssi: advertisement.rssi,
      measuredPower: power(recognition.measuredPower, of: beacon, heard: advertisement.rssi),
      time: advertisement.time, wallTime: advertisement.wallTime)
  }

  /// The beacon whose readings an advertisement carries: the one recognised in it, else the one last seen at its
  /// address.
  public func owner(_ recognition: Recognition) -> BeaconIndex? {
    recognition.beacon ?? recognition.atAddress
  }
}

/// What is known so far about the sender of an advertisement.
public struct Recognition: Sendable {
  public internal(set) var beacon: BeaconIndex?
  /// The beacon last seen at the address.
  var atAddress: BeaconIndex?
  var isByAddress = false
  var specificity: UInt8 = 0
  var measuredPower: Int8?
  /// When it was heard.
  let time: MonotonicTime

  init(time: MonotonicTime) { self.time = time }
}

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

  /// The sighting of an advertisement with the payload that was last remembered for its beacon; nil for any other payload.
  public mutating func repeatedSighting(
    of advertisement: borrowing Advertisement, payload: Span<UInt8>
  ) -> Sighting? {
    forgetOthers()
    let address = advertisement.address
    let lastSeen = addresses.beacon(at: address)
    guard let beacon = lastSeen ?? beacon(byAddress: address),
      let short = ShortPayload(payload), let power = traits[Int(beacon.rawValue)].power(repeating: short)
    else { return nil }
    if let power, let heard = advertisement.rssi, StatedPower.contradicts(power, heard: heard),
      traits[Int(beacon.rawValue)].measuredPower == nil
    {
      return nil
    }
    traits[Int(beacon.rawValue)].stated.noteBelievable()
    if lastSeen != nil {
      addresses.remember(beacon, at: address, generation: traits[Int(beacon.rawValue)].generation)
      // The caller then decodes the payload, and the sighting is refused there.
      if !counts(address, as: beacon, from: advertisement.receiver, at: advertisement.time) { return nil }
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

/// Some senders have several identities: a configured address, and also a configured iBeacon, which may change. Each identity
/// counts while it is heard itself.
extension BeaconCatalogue {
  /// An identity that was only heard together with a more specific one.
  struct Companion {
    var sender: BeaconIndex
    /// The generation of the sender's row.
    var generation: UInt32
    /// Whether something watches this identity that does not watch the sender.
    var isAskedFor: Bool
  }

  /// The sender of another identity, if this one was never heard without it.
  public func sender(of beacon: BeaconIndex) -> BeaconIndex? {
    traits[Int(beacon.rawValue)].isSighted ? nil : companions[beacon].flatMap { sender(in: $0) }
  }

  /// nil: its row was reused since.
  private func sender(in companion: Companion) -> BeaconIndex? {
    let isSame = traits[Int(companion.sender.rawValue)].generation == companion.generation
    return isSame ? companion.sender : nil
  }

  /// The other identities of a sender that count separately, ascending.
  public func companions(of sender: BeaconIndex) -> [BeaconIndex] {
    if companions.isEmpty { return [] }
    return companions.keys.filter { companions[$0]?.isAskedFor == true && self.sender(of: $0) == sender }
      .sorted { $0.rawValue < $1.rawValue }
  }

  /// A known sender also has another identity.
  mutating func noteOther(
    _ identity: BeaconIdentity, _ measuredPower: Int8?, beside sender: BeaconIndex, at time: MonotonicTime
  ) {
    guard hasOwnWatchers else { return }
    let key = IdentityKey(identity)
    if unasked[sender] == key { return }
    // Identities that nothing watches need no memory.
    guard
      identities.place(of: key) != nil || isAskedFor(patterns.entries(matching: identity), beside: sender)
    else {
      unasked[sender] = key
      return
    }
    if let beacon = beacon(identity, at: time) { noteOther(beacon, measuredPower) }
  }

  mutating func noteOther(_ beacon: BeaconIndex, _ measuredPower: Int8?) {
    guard hasOwnWatchers, !others.contains(where: { $0.beacon == beacon }) else { return }
    others.append((beacon, measuredPower))
  }

  mutating func forgetOthers() {
    if !others.isEmpty { others.removeAll(keepingCapacity: true) }
    if !beside.isEmpty { beside.removeAll(keepingCapacity: true) }
  }

  /// Finds the sightings of the sender's other identities.
  mutating func findBeside(_ sender: BeaconIndex, of advertisement: Advertisement) {
    for (beacon, measuredPower) in others where beacon != sender && isAskedFor(beacon, beside: sender) {
      beside.append(
        Sighting(
          beacon: beacon, receiver: advertisement.receiver, rssi: advertisement.rssi,
          measuredPower: power(measuredPower, of: beacon, heard: advertisement.rssi),
          time: advertisement.time, wallTime: advertisement.wallTime))
    }
  }

  /// Whether a beacon counts separately from its sender.
  mutating func isAskedFor(_ beacon: BeaconIndex, beside sender: BeaconIndex) -> Bool {
    if let known = companions[beacon], self.sender(in: known) == sender { return known.isAskedFor }
    let isAskedFor = isAskedFor(tracked[Int(beacon.rawValue)].entries, beside: sender)
    companions[beacon] = Companion(
      sender: sender, generation: traits[Int(sender.rawValue)].generation, isAskedFor: isAskedFor)
    if !traits[Int(beacon.rawValue)].isSighted { revision += 1 }
    return isAskedFor
  }

  private func isAskedFor(_ entries: [BeaconEntryIndex], beside sender: BeaconIndex) -> Bool {
    let told = Set(tracked[Int(sender.rawValue)].entries.flatMap { watchers[Int($0.rawValue)] })
    return entries.contains { watchers[Int($0.rawValue)].contains { !told.contains($0) } }
  }
}

/// Sightings that come with a beacon's key, without a payload.
extension BeaconCatalogue {
  /// The sighting in an observation; nil if no entry matches it, or if the limits do not admit another member of a region.
  public mutating func sighting(of observation: Observation) -> Sighting? {
    guard let beacon = beacon(observation.key, at: observation.time) else { return nil }
    let known = traits[Int(beacon.rawValue)]
    if !known.isSighted { noteSighted(beacon) }
    return Sighting(
      beacon: beacon, receiver: observation.receiver, rssi: observation.rssi,
      measuredPower: power(observation.measuredPower, of: beacon, heard: observation.rssi),
      time: observation.time, wallTime: observation.wallTime)
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
