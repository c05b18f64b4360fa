import Beacons
import Proximity

/// What an advertisement leads to: its sender, the decisions about it, and their messages.
extension Pipeline {
  /// What is prefetched for the last of so many advertisements is still in the cache when its turn comes.
  private static let horizon = 64

  /// Processes what a source heard.
  public mutating func observe(_ batch: borrowing AdvertisementBatch, into output: inout Output) {
    observe(batch, into: &output) { advertisement, _ in advertisement.receiver }
  }

  /// - Parameter receiver: is called for each advertisement in its turn, with its payload; returns our index of the source's
  ///   receiver. nil: the advertisement is skipped.
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

  /// Beacons are scattered in memory. It is read for several at a time, ahead of their turn, because each alone would wait for
  /// it: a third of the time where 10,000 beacons are known.
  private mutating func lookAhead(_ batch: borrowing AdvertisementBatch, _ range: Range<Int>) {
    roster.lookAhead(batch, range, into: &likely)
    engine.prefetch(likely)
    telemetry.prefetch(likely)
  }

  /// Processes one advertisement; returns the sighting if the beacon is known.
  @discardableResult
  package mutating func observe(
    _ advertisement: Advertisement, payload: Span<UInt8>, into output: inout Output
  ) -> Sighting? {
    if roster.isFull { makeRoom(at: max(time, advertisement.time), into: &output) }
    let revision = roster.revision
    let sighting = roster.sighting(of: advertisement, payload: payload) {
      readings.append($0)
    }
    if let sighting, roster.revision != revision {
      admit(sighting.beacon, heard: sighting.time)
      for other in roster.beside { admit(other.beacon, heard: other.time) }
    }
    counts.advertisements += 1
    tap?.note(sighting ?? Sighting(ofNobodyIn: advertisement))
    take(sighting ?? Sighting(ofNobodyIn: advertisement), into: &output)
    for place in roster.beside.indices { take(roster.beside[place], isBeside: true, into: &output) }
    return sighting
  }

  /// Processes a sighting, and the readings that came with it.
  ///
  /// - Parameter isBeside: its sender is known better by another name, which rooms go by.
  mutating func take(_ sighting: Sighting, isBeside: Bool = false, into output: inout Output) {
    history?.note(sighting)
    while let due = crowds.next, due <= sighting.time { advance(to: due, into: &output) }
    while let due = rooms?.nextDeadline, due <= sighting.time { advance(to: due, into: &output) }
    if nextHeldBack < sighting.time {
      // A sighting at that very time says more.
      tellHeldBack(notAfter: sighting.time - TimeSpan(nanoseconds: 1), into: &output)
    }
    if !unproven.isEmpty { proveSight(sighting.receiver, at: sighting.time, into: &output) }
    if !blind.isEmpty, isNew(sighting.receiver) {
      setBlind(sighting.receiver, false, at: sighting.time, into: &output)
    }
    engine.observe(sighting, into: &transitions)
    time = max(time, sighting.time)
    if sighting.beacon != .nobody, !isBeside { counts.sightings += 1 }
    if !isBeside { rooms?.observe(sighting) }
    telemetry.note(sighting)
    if !readings.isEmpty { noteReadings(of: sighting, into: &output) }
    if !transitions.isEmpty || telemetry.hasDue || engine.hasNews { tell(into: &output) }
    if engine.knownReceivers != receiversKnown { greetReceivers(into: &output) }
    if !areRoomsGreeted { greetRooms(into: &output) }
    if roomPresence.take(sighting) {
      tellRoom(of: sighting.beacon, at: sighting.receiver, into: &output)
    }
    if !phones.isEmpty { followPhones(sighting, into: &output) }
  }

  /// Whether nothing was known of a receiver so far. What is blind may see by it.
  private func isNew(_ receiver: ReceiverIndex) -> Bool {
    !engine.isKnown(receiver) || rooms?.isNew(receiver) == true
  }

  /// An advertisement proves that its receiver works.
  private mutating func proveSight(
    _ receiver: ReceiverIndex, at time: MonotonicTime, into output: inout Output
  ) {
    guard unproven.contains(receiver) else { return }
    setBlind(receiver, false, at: time, into: &output)
  }
}
