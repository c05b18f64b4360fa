/// The beacons, by the rows that they have. What a later look-up finds anyway is left out: names, strangers, parsed keys.
extension BeaconCatalogue: StateFields {
  /// Sets `coder.bounds.beacons`.
  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    coder.bounds.entries = entries.count
    // Members that were refused are remembered by hash.
    var (first, second) = (identities.seed.first, identities.seed.second)
    try coder("seed", &first)
    try coder("seed", &second)
    if coder.isReading { identities = PlaceTable(seed: HashSeed(first: first, second: second)) }
    var rows = coder.isReading ? [] : tracked.indices.map { row($0) }
    try coder("rows", &rows)
    if coder.isReading {
      coder.bounds.beacons = rows.count
      for row in rows { try append(row, coder) }
    }
    try coder("vacancies", &vacancies)
    if coder.isReading { try vacate(rows, coder) }
    try coder(tally: "refused", &refused)
    try coder(tally: "revision", &revision)
    try coder("admission", &limits)
    try coder("addresses", &addresses)
  }

  private struct Row: StateElement {
    var identity = BeaconIdentity.eddystoneUID(namespace: 0, instance: 0)
    var isTaken = false
    /// Beside whom it was heard. All must be known before it can be looked up.
    var sender: Int32?
    var traits = Traits()

    mutating func fields(_ coder: inout StateCoder) throws(StateError) {
      try coder("identity", &identity)
      try coder("is_taken", &isTaken)
      try coder("sender", &sender)
      try coder("traits", &traits)
    }
  }

  private func row(_ place: Int) -> Row {
    Row(
      identity: tracked[place].identity, isTaken: !tracked[place].entries.isEmpty,
      sender: sender(of: BeaconIndex(rawValue: Int32(clamping: place)))?.rawValue, traits: traits[place])
  }

  private mutating func append(_ row: Row, _ coder: borrowing StateCoder) throws(StateError) {
    let beacon = BeaconIndex(rawValue: Int32(clamping: tracked.count))
    var known = Tracked(identity: row.identity, entries: [])
    if case .entry(let entry) = known.identity {
      known.entries = [entry]
      guard beaconsByEntry[Int(entry.rawValue)] == nil else { throw coder.damaged }
      beaconsByEntry[Int(entry.rawValue)] = beacon
    } else if row.isTaken {
      known.entries = patterns.entries(matching: known.identity)
    }
    guard known.entries.isEmpty != row.isTaken else { throw coder.damaged }
    tracked.append(known)
    names.append(known.entries.first.map { name(of: known.identity, in: $0) } ?? "")
    traits.append(row.traits)
    identities.append(IdentityKey(known.identity))
    if row.isTaken, isMember(beacon) { members += 1 }
  }

  private mutating func vacate(_ rows: [Row], _ coder: borrowing StateCoder) throws(StateError) {
    var vacant = Set<BeaconIndex>()
    for beacon in vacancies {
      guard vacant.insert(beacon).inserted, tracked[Int(beacon.rawValue)].entries.isEmpty else {
        throw coder.damaged
      }
      identities.remove(at: Int(beacon.rawValue))
    }
    guard vacancies.count == tracked.count(where: \.entries.isEmpty) else { throw coder.damaged }
    for place in tracked.indices where !tracked[place].entries.isEmpty {
      guard identities.place(of: IdentityKey(tracked[place].identity)) == place else { throw coder.damaged }
    }
    for (place, row) in rows.enumerated() {
      guard let sender = row.sender else { continue }
      guard rows.indices.contains(Int(sender)), place != sender else { throw coder.damaged }
      _ = isAskedFor(BeaconIndex(rawValue: Int32(clamping: place)), beside: BeaconIndex(rawValue: sender))
    }
  }
}

extension BeaconCatalogue.Traits: StateElement {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("payload", &payload)
    try coder("payload_power", &payloadPower)
    try coder("measured_power", &measuredPower)
    try coder("specificity", &specificity)
    try coder("is_sighted", &isSighted)
    try coder("generation", &generation)
  }
}
