/// The beacons, by the rows that they have. What a later look-up finds anyway is left out: names, strangers, parsed keys.
extension BeaconCatalogue {
  public func snapshot(into writer: inout StateWriter) {
    // The memory of refused members goes by hash.
    writer.write(identities.seed.first)
    writer.write(identities.seed.second)
    writer.count(tracked.count)
    for (place, known) in tracked.enumerated() {
      writer.write(known.identity)
      writer.write(!known.entries.isEmpty)
      writer.write(sender(of: BeaconIndex(rawValue: Int32(clamping: place))))
      writer.write(traits[place])
    }
    writer.write(vacancies)
    writer.write(refused)
    writer.write(revision)
    limits.snapshot(into: &writer)
    addresses.snapshot(into: &writer)
  }

  /// Of a new catalogue with the same entries. Sets `reader.bounds.beacons`.
  public mutating func restore(from reader: inout StateReader) throws(StateError) {
    reader.part = "beacons"
    reader.bounds.entries = entries.count
    identities = PlaceTable(seed: HashSeed(first: try reader.read(), second: try reader.read()))
    let count = try reader.count()
    reader.bounds.beacons = count
    var senders: [(beacon: BeaconIndex, sender: BeaconIndex)] = []
    for place in 0..<count {
      if let sender = try restore(place, from: &reader) {
        senders.append((BeaconIndex(rawValue: Int32(clamping: place)), sender))
      }
    }
    vacancies = try reader.read()
    var vacant = Set<BeaconIndex>()
    for beacon in vacancies {
      guard vacant.insert(beacon).inserted, tracked[Int(beacon.rawValue)].entries.isEmpty else {
        throw reader.damaged
      }
      identities.remove(at: Int(beacon.rawValue))
    }
    guard vacancies.count == tracked.count(where: \.entries.isEmpty) else { throw reader.damaged }
    for place in tracked.indices where !tracked[place].entries.isEmpty {
      guard identities.place(of: IdentityKey(tracked[place].identity)) == place else { throw reader.damaged }
    }
    for (beacon, sender) in senders {
      guard beacon != sender else { throw reader.damaged }
      _ = isAskedFor(beacon, beside: sender)
    }
    refused = try reader.tally()
    revision = try reader.tally()
    try limits.restore(from: &reader)
    try addresses.restore(from: &reader)
  }

  /// Returns beside whom it was heard.
  private mutating func restore(_ place: Int, from reader: inout StateReader) throws(StateError)
    -> BeaconIndex?
  {
    let beacon = BeaconIndex(rawValue: Int32(clamping: place))
    var known = Tracked(identity: try reader.read(), entries: [])
    let isTaken: Bool = try reader.read()
    if case .entry(let entry) = known.identity {
      known.entries = [entry]
      guard isTaken, beaconsByEntry[Int(entry.rawValue)] == nil else {
        throw reader.damaged
      }
      beaconsByEntry[Int(entry.rawValue)] = beacon
    } else if isTaken {
      known.entries = patterns.entries(matching: known.identity)
    }
    let sender: BeaconIndex? = try reader.read()
    guard known.entries.isEmpty != isTaken else { throw reader.damaged }
    tracked.append(known)
    names.append(known.entries.first.map { name(of: known.identity, in: $0) } ?? "")
    traits.append(try reader.read())
    identities.append(IdentityKey(known.identity))
    if isTaken, isMember(beacon) { members += 1 }
    return sender
  }
}

extension BeaconCatalogue.Traits: StateCoded {
  func write(to writer: inout StateWriter) {
    writer.write(payload)
    writer.write(payloadPower)
    writer.write(measuredPower)
    writer.write(specificity)
    writer.write(isSighted)
    writer.write(generation)
  }

  init(reading reader: inout StateReader) throws(StateError) {
    payload = try reader.read()
    payloadPower = try reader.read()
    measuredPower = try reader.read()
    specificity = try reader.read()
    isSighted = try reader.read()
    generation = try reader.read()
  }
}
