import Beacons
import Proximity

/// Processes advertisements: finds the sender, decides, and creates the messages.
extension Pipeline {
  /// How many advertisements are prefetched together. Few enough that the data is still in the cache when it is used.
  private static let horizon = 64

  /// Processes the advertisements of a source.
  public mutating func observe(_ batch: borrowing AdvertisementBatch, into output: inout Output) {
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

  /// Processes a sighting and its readings.
  ///
  /// - Parameter isBeside: the advertisement also identifies the sender as another beacon, which rooms use instead.
  mutating func take(_ sighting: Sighting, isBeside: Bool = false, into output: inout Output) {
    history?.note(sighting)
    while let due = crowds.next, due <= sighting.time { advance(to: due, into: &output) }
    while let due = rooms?.nextDeadline, due <= sighting.time { advance(to: due, into: &output) }
    if nextHeldBack < sighting.time {
      // A sighting at this very time has newer data.
      tellHeldBack(notAfter: sighting.time - TimeSpan(nanoseconds: 1), into: &output)
    }
    if !sight.isProven(sighting.receiver) { prove(sighting.receiver, at: sighting.time, into: &output) }
    engine.observe(sighting, into: &transitions)
    time = max(time, sighting.time)
    if sighting.beacon != .nobody, !isBeside { counts.sightings += 1 }
    if !isBeside { rooms?.observe(sighting) }
    telemetry.note(sighting)
    if !readings.isEmpty { noteReadings(of: sighting, into: &output) }
    if !transitions.isEmpty || telemetry.hasDue || engine.hasNews { tell(into: &output) }
    if roomPresence.take(sighting) {
      tellRoom(of: sighting.beacon, at: sighting.receiver, into: &output)
    }
    if !phones.isEmpty { followPhones(sighting, into: &output) }
  }
}
