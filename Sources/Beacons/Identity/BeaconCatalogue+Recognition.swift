/// Recognises beacons in advertisements.
extension BeaconCatalogue {
  /// The sighting in an advertisement; nil if no known beacon sent it.
  public mutating func sighting(
    of advertisement: Advertisement, payload: Span<UInt8>, resolved: BeaconEntryIndex? = nil
  ) -> Sighting? {
    var recognition = begin(advertisement, resolved: resolved)
    FrameDecoder.forEachFrame(in: payload) { result, _ in
      if case .frame(let frame, _) = result { add(frame, to: &recognition) }
    }
    return sighting(recognition, of: advertisement)
  }

  /// First step, for callers that read the frames themselves: identifies the sender by its address. `resolved` is the
  /// entry whose key resolves the address.
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

  /// Second step: adds what one of the frames says.
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
      // The sender calls itself otherwise now: what else it says here is not about the beacon that it was.
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
    // A known beacon may not be sighted yet, if the advertisement that made it known belonged to another identity.
    let known = traits[Int(beacon.rawValue)]
    if !known.isSighted { noteSighted(beacon) }
    if !recognition.isByAddress {
      addresses.remember(beacon, at: advertisement.address, generation: known.generation)
    }
    if !others.isEmpty { findBeside(beacon, of: advertisement) }
    return Sighting(
      beacon: beacon, receiver: advertisement.receiver, rssi: advertisement.rssi,
      measuredPower: known.measuredPower ?? recognition.measuredPower,
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
