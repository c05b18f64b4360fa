import Beacons
import Proximity

/// Advertisements are processed a few at a time: first which beacon sent each, then where those beacons are. The result is the
/// same as one by one, because a beacon's identity does not depend on its position.
extension Pipeline {
  /// From this many beacons on they do not all fit the fast caches, and looking ahead pays off.
  private static let many = 4000

  /// Processes what a source heard.
  public mutating func observe(_ batch: borrowing AdvertisementBatch, into output: inout Output) {
    observe(batch, from: nil, into: &output)
  }

  /// - Parameter receivers: maps the source's receivers to ours, if it has its own; advertisements of receivers beyond the limit
  /// are skipped.
  package mutating func observe(
    _ batch: borrowing AdvertisementBatch, from receivers: ReceiverMap?, into output: inout Output
  ) {
    var start = 0
    while start < batch.count {
      if roster.isFull { makeRoom(at: max(time, batch[start].time), into: &output) }
      likely.turn(to: start, of: batch.count)
      lookAhead(batch)
      var place = 0
      batch.forEach(in: likely.range) { heard, payload in
        defer { place += 1 }
        guard let receiver = receivers == nil ? heard.receiver : receivers?[heard.receiver] else { return }
        // Phones follow each advertisement; and an advertisement may prove that its receiver works.
        let isAlone = !phones.isEmpty || !unproven.isEmpty && unproven.contains(receiver)
        if isAlone { observeRun(into: &output) }
        if !roster.repeatedSighting(
          of: heard, by: receiver, payload: payload, likely: likely, at: place, into: &run)
        {
          var advertisement = copy heard
          advertisement.receiver = receiver
          recognise(advertisement, payload)
        }
        if isAlone { observeRun(into: &output) }
      }
      observeRun(into: &output)
      start = likely.range.upperBound
    }
  }

  /// Processes one advertisement; returns the sighting if the beacon is known.
  package mutating func observe(
    _ advertisement: Advertisement, payload: Span<UInt8>, into output: inout Output
  ) -> Sighting? {
    if roster.isFull { makeRoom(at: max(time, advertisement.time), into: &output) }
    let sighting = recognise(advertisement, payload)
    observeRun(into: &output)
    return sighting
  }

  /// Beacons are scattered in memory, and each step of a sighting waits for a pointer from the step before. So the beacons that
  /// probably sent the next few advertisements are looked up together, ahead of time.
  private mutating func lookAhead(_ batch: borrowing AdvertisementBatch) {
    roster.lookUp(batch, into: &likely)
    guard roster.count >= Self.many else { return }
    roster.prefetch(likely)
    engine.prefetch(likely.beacons.span)
    telemetry.prefetch(likely.beacons.span)
  }

  /// Looks up who sent an advertisement, and puts it into `run`.
  @discardableResult
  private mutating func recognise(_ advertisement: Advertisement, _ payload: Span<UInt8>) -> Sighting? {
    let revision = roster.revision
    let place = run.count
    let sighting = roster.sighting(of: advertisement, payload: payload) {
      readings.append(HeardReading(place: place, beacon: $0, reading: $1))
    }
    if let sighting, roster.revision != revision {
      admit(sighting.beacon, heard: sighting.time)
    }
    run.append(sighting ?? Sighting(ofNobodyIn: advertisement))
    return sighting
  }

  /// Processes and empties `run`.
  mutating func observeRun(into output: inout Output) {
    // Moved out meanwhile, because the rest of the pipeline changes.
    var sightings: [Sighting] = []
    swap(&sightings, &run)
    counts.advertisements += UInt64(sightings.count)
    if tap != nil { tap?.note(sightings.span) }
    if history != nil { history?.note(sightings.span) }
    var next = 0
    while next < sightings.count {
      next += observe(sightings.span.extracting(next...), from: next, into: &output)
    }
    if !readings.isEmpty { readings.removeAll(keepingCapacity: true) }
    readingsNoted = 0
    sightings.removeAll(keepingCapacity: true)
    swap(&sightings, &run)
  }

  /// Processes sightings up to the first one that leads to a message; returns how many.
  ///
  /// - Parameter place: of the first in `run`.
  private mutating func observe(_ sightings: Span<Sighting>, from place: Int, into output: inout Output)
    -> Int
  {
    let first = sightings[0]
    if !unproven.isEmpty { proveSight(first.receiver, at: first.time, into: &output) }
    while let due = crowds.next, due <= first.time { advance(to: due, into: &output) }
    while let due = rooms?.nextDeadline, due <= first.time { advance(to: due, into: &output) }
    let silent = min(silentCount(sightings), countBeforeRooms(sightings))
    // After a reload the first sighting announces the zones' states.
    let count = engine.knownReceivers == receiversKnown ? max(silent, 1) : 1
    let taken = engine.observe(sightings.extracting(first: count), into: &transitions)
    for place in 0..<taken {
      time = max(time, sightings[place].time)
      if sightings[place].beacon != .nobody { counts.sightings += 1 }
      rooms?.observe(sightings[place])
    }
    if silent == 0 { telemetry.note(first) }
    noteReadings(before: place + taken)
    if !transitions.isEmpty || telemetry.hasDue || engine.hasRearmed { report(into: &output) }
    if engine.knownReceivers != receiversKnown { greetReceivers(into: &output) }
    if !areRoomsGreeted { greetRooms(into: &output) }
    if silent == 0, roomPresence.take(first) { tellRoom(of: first, into: &output) }
    if !phones.isEmpty { followPhones(first, into: &output) }
    return taken
  }

  /// Takes in the readings of the advertisements before `place` in `run`.
  private mutating func noteReadings(before place: Int) {
    var end = readingsNoted
    while end < readings.count, readings[end].place < place { end += 1 }
    if end > readingsNoted { telemetry.note(readings[readingsNoted..<end]) }
    readingsNoted = end
  }

  /// How many sightings come before the first that causes a message.
  private func silentCount(_ sightings: Span<Sighting>) -> Int {
    let count = roomPresence.silentCount(sightings.extracting(first: telemetry.silentCount(sightings)))
    guard let due = crowds.next else { return count }
    return (0..<count).first { sightings[$0].time >= due } ?? count
  }
}
