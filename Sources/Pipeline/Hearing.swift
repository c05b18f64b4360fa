import Beacons
import Configuration
import Contract
import Core
import Proximity

/// Processes advertisements: finds the sender, decides, and creates the messages.
extension Pipeline {
  /// How many advertisements are prefetched together. Few enough that the data is still in the cache when it is used.
  private static let horizon = 64

  /// Processes the advertisements of a source.
  package mutating func observe(_ batch: borrowing AdvertisementBatch, into output: inout Output) {
    observe(batch, into: &output) { advertisement, _ in advertisement.receiver }
  }

  /// - Parameter receiver: returns our index of the source's receiver. It is called once for each advertisement, with
  ///   its payload. nil: the advertisement is skipped.
  package mutating func observe(
    _ batch: borrowing AdvertisementBatch, into output: inout Output,
    by receiver: (borrowing Advertisement, Span<UInt8>) -> ReceiverIndex?
  ) {
    for start in stride(from: 0, to: batch.count, by: Self.horizon) {
      let range = start..<min(start + Self.horizon, batch.count)
      lookAhead(batch, range)
      batch.forEach(in: range) { heard, payload in
        guard let receiver = receiver(heard, payload) else { return }
        var advertisement = copy heard
        advertisement.receiver = receiver
        observe(advertisement, payload: payload, into: &output)
      }
    }
  }

  /// Prefetches the data of several beacons, because it is scattered in memory. With 10,000 known beacons this saves
  /// a third of the time.
  private mutating func lookAhead(_ batch: borrowing AdvertisementBatch, _ range: Range<Int>) {
    roster.lookAhead(batch, range, into: &scratch.likely)
    engine.prefetch(scratch.likely)
    teller.telemetry.prefetch(scratch.likely)
  }

  /// Processes one advertisement; returns the sighting if the beacon is known.
  @discardableResult
  package mutating func observe(
    _ advertisement: Advertisement, payload: Span<UInt8>, into output: inout Output
  ) -> Sighting? {
    if roster.isFull { makeRoom(at: max(time, advertisement.time), into: &output) }
    let revision = roster.revision
    let sighting = roster.sighting(of: advertisement, payload: payload) {
      scratch.readings.append($0)
    }
    if let sighting, roster.revision != revision {
      admit(sighting.beacon, heard: sighting.time)
      for other in roster.beside { admit(other.beacon, heard: other.time) }
    }
    counts.advertisements += 1
    tap?.note(sighting ?? Sighting(ofNobodyIn: advertisement))
    process(sighting ?? Sighting(ofNobodyIn: advertisement), into: &output)
    for index in roster.beside.indices { process(roster.beside[index], isBeside: true, into: &output) }
    return sighting
  }

  /// Processes a sighting and its readings.
  ///
  /// - Parameter isBeside: the advertisement also identifies the sender as another beacon, which rooms use instead.
  mutating func process(_ sighting: Sighting, isBeside: Bool = false, into output: inout Output) {
    history?.note(sighting, at: time)
    while let due = teller.crowds.next, due <= sighting.time { advance(to: due, into: &output) }
    while let due = rooms?.nextDeadline, due <= sighting.time { advance(to: due, into: &output) }
    if teller.nextHeldBack < sighting.time {
      // A sighting at this very time has newer data.
      tellHeldBack(notAfter: sighting.time - TimeSpan(nanoseconds: 1), into: &output)
    }
    // An advertisement proves that its receiver can hear.
    if !sight.isProven(sighting.receiver) {
      setBlind(sighting.receiver, false, at: sighting.time, into: &output)
    }
    engine.observe(sighting, into: &scratch.transitions)
    time = max(time, sighting.time)
    if sighting.beacon != .nobody, !isBeside { counts.sightings += 1 }
    if !isBeside { rooms?.observe(sighting, isInventable: engine.isInventable(sighting.beacon)) }
    teller.telemetry.note(sighting)
    if !scratch.readings.isEmpty { noteReadings(of: sighting, into: &output) }
    if !scratch.transitions.isEmpty || teller.telemetry.hasDue || engine.hasNews { tell(into: &output) }
    if teller.roomPresence.take(sighting) {
      tellRoomPresence(of: sighting.beacon, at: sighting.receiver, into: &output)
    }
    if !phones.isEmpty { followPhones(sighting, into: &output) }
  }
}

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
    // Scanners do not say the kind of an address, so nobody knows whether it changes.
    roster.forgetChanging()
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
    process(sighting ?? nobody, into: &output)
    return sighting
  }
}

/// Anybody can fake members of a region. At the limit, the member that was silent longest is dropped, so that there
/// is always room for a real beacon.
extension Pipeline {
  /// Members that were heard within this time are not dropped.
  private static let silence = TimeSpan.seconds(10)
  /// How many members are dropped at a time, and how many are examined for it.
  private static let batch = 16
  private static let effort = 64

  /// Admits a beacon that is new or matches another entry.
  mutating func admit(_ beacon: BeaconIndex, heard time: MonotonicTime) {
    let isNew = !engine.isAdmitted(beacon)
    engine.admit(
      beacon, zones: roster.zones(of: beacon), isInventable: roster.isMember(beacon), isNewcomer: isNew)
    if !phones.isEmpty { phones.meet(beacon, names: roster.names(of: beacon)) }
    guard isNew, roster.isMember(beacon) else { return }
    roster.unheard.insert(beacon, heard: time)
    teller.telemetry.tryOut(beacon)
  }

  /// Drops members if there is no room. Must not be called while an advertisement is being processed.
  mutating func makeRoom(at time: MonotonicTime, into output: inout Output) {
    for _ in 0..<Self.batch {
      let retired = roster.unheard.take(before: time - Self.silence, now: time, effort: Self.effort) {
        beacon in
        let isNeeded =
          phones.carry(beacon) || !engine.zones(of: beacon).isEmpty || rooms?.room(of: beacon) != nil
        return isNeeded ? nil : engine.lastSighting(of: beacon)?.time ?? MonotonicTime(nanoseconds: .min)
      }
      guard let retired else { return }
      retire(retired, into: &output)
    }
  }

  /// Names of beacons that were forgotten since the last call and that Home Assistant may know.
  package mutating func takeForgotten() -> [String] {
    defer { if !teller.forgotten.isEmpty { teller.forgotten.removeAll() } }
    return teller.forgotten
  }

  private mutating func retire(_ beacon: BeaconIndex, into output: inout Output) {
    guard engine.retire(beacon) else { return }
    let (name, key) = (roster.name(of: beacon), roster.key(of: beacon))
    tap?.drop(beacon)
    history?.noteRetirement(of: beacon, at: time)
    roster.retire(beacon)
    let hasBeenInRoom = rooms?.state(of: beacon)?.latestRoom != nil
    if hasBeenInRoom || teller.packets.sender(beacon) != nil { output.forgotten.append(key) }
    teller.retire(beacon, called: name)
    _ = rooms?.retire(beacon)
    counts.retired += 1
    for topic in topics.retained(
      beacon: name, hasPlaces: configuration.homeAssistant.hasPlaces, hasRooms: rooms != nil)
    {
      output.items.append(.state(.cleared(Message(clearing: topic))))
    }
  }
}
