/// Some senders say who they are in more than one way: an address that is configured, and an iBeacon that is, too, and that may
/// change. Each identity counts while it is heard itself.
extension BeaconCatalogue {
  /// What is known of an identity that was only heard beside a better known one.
  struct Companion {
    var sender: BeaconIndex
    /// Of the sender's row.
    var generation: UInt32
    /// Whether somebody asks for it who does not ask for the sender.
    var isAskedFor: Bool
  }

  /// The beacon beside which another was heard, if it was never heard without one.
  public func sender(of beacon: BeaconIndex) -> BeaconIndex? {
    traits[Int(beacon.rawValue)].isSighted ? nil : companions[beacon].flatMap { sender(in: $0) }
  }

  /// nil: its row was reused since.
  private func sender(in companion: Companion) -> BeaconIndex? {
    let isSame = traits[Int(companion.sender.rawValue)].generation == companion.generation
    return isSame ? companion.sender : nil
  }

  /// The beacons that were only heard beside this one and count beside it, ascending.
  public func companions(of sender: BeaconIndex) -> [BeaconIndex] {
    if companions.isEmpty { return [] }
    return companions.keys.filter { companions[$0]?.isAskedFor == true && self.sender(of: $0) == sender }
      .sorted { $0.rawValue < $1.rawValue }
  }

  /// A known sender also says another identity.
  mutating func noteOther(
    _ identity: BeaconIdentity, _ measuredPower: Int8?, beside sender: BeaconIndex, at time: MonotonicTime
  ) {
    guard hasOwnWatchers else { return }
    let key = IdentityKey(identity)
    if unasked[sender] == key { return }
    // Nobody's memory is filled by what nobody asks for.
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

  /// Finds the sightings beside that of the sender.
  mutating func findBeside(_ sender: BeaconIndex, of advertisement: Advertisement) {
    for (beacon, measuredPower) in others where beacon != sender && isAskedFor(beacon, beside: sender) {
      beside.append(
        Sighting(
          beacon: beacon, receiver: advertisement.receiver, rssi: advertisement.rssi,
          measuredPower: traits[Int(beacon.rawValue)].measuredPower ?? measuredPower,
          time: advertisement.time, wallTime: advertisement.wallTime))
    }
  }

  /// Whether a beacon counts beside its sender.
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
