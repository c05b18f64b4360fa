import Core

/// Identifies beacons: turns advertisements into sightings of configured beacons.
///
/// The most specific entry names a beacon: first its address or resolved key, then its whole id, then UUID with major, then UUID
/// (or namespace, or the longer prefix). Each member of a region is a separate beacon. Another identity of a known sender is also
/// a separate beacon, if something watches it that does not watch the sender: see `beside`. As anyone can invent members of
/// regions, their number and their rate are limited. Those beyond the limits are refused and counted, and members that have been
/// silent for long can be retired. Known beacons need no allocation.
///
/// ```swift
/// var catalogue = BeaconCatalogue(entries: [
///   BeaconEntry(name: "van", pattern: .iBeacon(uuid: 0xF29D_C74A_DBBD_12DE_318A_C8B0_46DD_4425, major: 1, minor: 2))
/// ])
/// let sighting = catalogue.sighting(of: advertisement, payload: payload.span)
/// print(sighting.map { catalogue.name(of: $0.beacon) } ?? "a stranger")
/// ```
public struct BeaconCatalogue: Sendable {
  struct Tracked {
    var identity: BeaconIdentity
    /// The matching entries, most specific first.
    var entries: [BeaconEntryIndex]
  }

  /// What every sighting needs to know about a beacon. It is stored separately, in less than a cache line.
  struct Traits {
    /// A payload that contains the identity and nothing else; empty at first.
    var payload = ShortPayload()
    /// The measured power in that payload.
    var payloadPower: Int8?
    var measuredPower: Int8?
    var stated = StatedPower()
    var trail = SenderTrail()
    var specificity: UInt8 = 0
    var isSighted = false
    /// How often its row was reused.
    var generation: UInt32 = 0

    /// The measured power of a sighting with the remembered payload (nil if it has none); nil for another payload.
    @inline(__always) func power(repeating other: ShortPayload) -> Int8?? {
      payload == other ? .some(payloadPower) : nil
    }
  }

  public let entries: [BeaconEntry]
  let patterns: PatternIndex
  /// The entries for single beacons with an address or identity resolving key.
  let entriesByKey: [String: BeaconEntryIndex]
  var tracked: [Tracked] = []
  /// By beacon, as `tracked`.
  var traits: [Traits] = []
  /// Published names by beacon, stored because the list of a zone's members needs many of them.
  var names: [String] = []
  /// Also by beacon.
  var identities = PlaceTable<IdentityKey>()
  private var strangers = Strangers()
  /// By entry; nil if the entry is a region, or was not heard.
  var beaconsByEntry: [BeaconIndex?]
  var members = 0
  var limits: AdmissionLimits
  /// Free rows of retired beacons.
  var vacancies: [BeaconIndex] = []
  var addresses = AddressMemory()
  /// By entry: what watches it.
  let watchers: [[Int32]]
  /// Whether any watcher wants some entries and not all.
  let hasOwnWatchers: Bool
  /// Identities that were heard together with another one in the same advertisement.
  var companions: [BeaconIndex: Companion] = [:]
  /// By sender: the last of its other identities that nothing watches.
  var unasked: [BeaconIndex: IdentityKey] = [:]
  /// The other identities in the present advertisement, with the measured power in the frame.
  var others: [(beacon: BeaconIndex, measuredPower: Int8?)] = []
  /// Sightings of further identities in the latest advertisement. A zone that watches both one of these and its sender gets only
  /// the sender.
  public internal(set) var beside: [Sighting] = []
  /// Entries with a beacon whose stated power was not believed, and the beacons that are not reported yet.
  var disbelievers: Set<BeaconEntryIndex> = []
  var disbelieved: [BeaconIndex] = []
  /// For beacons whose identity several devices send, the one that counts; and those that are not reported yet.
  var twins: [BeaconIndex: CountingTwin] = [:]
  var apartNews: [BeaconIndex] = []
  var twinNews: [(beacon: BeaconIndex, address: DeviceAddress)] = []
  /// Configured by an address that will change.
  private var changing: [BeaconIndex] = []

  /// How many advertisements of region members were refused: too many members are known, or too many came at once.
  public internal(set) var refused: UInt64 = 0
  /// Grows whenever a beacon is sighted for the first time, or matches a further entry.
  public internal(set) var revision: UInt64 = 0

  /// - Parameter watchers: by entry: the numbers of the zones and phones that watch it.
  public init(
    entries: [BeaconEntry], watchers: [[Int32]] = [], limits: AdmissionLimits = AdmissionLimits()
  ) {
    self.entries = entries
    self.watchers = watchers.count == entries.count ? watchers : entries.map { _ in [] }
    let everybody = self.watchers.dropFirst().reduce(Set(self.watchers.first ?? [])) { $0.intersection($1) }
    hasOwnWatchers = zip(entries, self.watchers).contains { entry, watchers in
      !entry.pattern.isOfSender && !watchers.allSatisfy(everybody.contains)
    }
    self.limits = limits
    patterns = PatternIndex(entries)
    entriesByKey = Self.entriesByKey(entries)
    beaconsByEntry = Array(repeating: nil, count: entries.count)
  }

  /// Beacons have indices 0 ..< count.
  public var count: Int { tracked.count }
  /// How many indices are free at the moment.
  public var vacancyCount: Int { vacancies.count }

  /// Whether no further member of a region can be admitted until one is retired.
  public var isFull: Bool { members >= limits.members }

  /// Whether a beacon is a member of the region that names it.
  public func isMember(_ beacon: BeaconIndex) -> Bool {
    let known = tracked[Int(beacon.rawValue)]
    guard let first = known.entries.first else { return false }
    return known.identity.isMember(of: entries[Int(first.rawValue)].pattern)
  }

  /// Forgets a member of a region. Its index is reused.
  public mutating func retire(_ beacon: BeaconIndex) {
    guard isMember(beacon) else { return }
    let index = Int(beacon.rawValue)
    identities.remove(at: index)
    let generation = traits[index].generation
    traits[index] = Traits()
    traits[index].generation = generation &+ 1
    tracked[index].entries = []
    companions[beacon] = nil
    unasked[beacon] = nil
    twins[beacon] = nil
    names[index] = ""
    members -= 1
    vacancies.append(beacon)
  }

  /// The name under which a beacon is published: its entry's, or `region:member`.
  public func name(of beacon: BeaconIndex) -> String { names[Int(beacon.rawValue)] }

  /// All names of a beacon: for each matching entry the entry's, or `region:member`.
  public func names(of beacon: BeaconIndex) -> [String] {
    let known = tracked[Int(beacon.rawValue)]
    return known.entries.map { name(of: known.identity, in: $0) }
  }

  func name(of identity: BeaconIdentity, in index: BeaconEntryIndex) -> String {
    let entry = entries[Int(index.rawValue)]
    return identity.isMember(of: entry.pattern)
      ? identity.name(inRegion: entry.name, entry.pattern) : entry.name
  }

  /// All entries that match a beacon, the naming one first. More may match later: see `revision`.
  public func entries(of beacon: BeaconIndex) -> [BeaconEntryIndex] {
    tracked[Int(beacon.rawValue)].entries
  }

  /// The beacon that is known by this address alone, if it was seen.
  @inline(__always) func beacon(byAddress address: DeviceAddress) -> BeaconIndex? {
    patterns.entry(address: address).flatMap { beaconsByEntry[Int($0.rawValue)] }
  }

  /// A beacon is sighted for the first time.
  mutating func noteSighted(_ beacon: BeaconIndex) {
    traits[Int(beacon.rawValue)].isSighted = true
    revision += 1
  }

  /// A sender with a key changes its address, too, and stays known.
  mutating func noteChanging(_ beacon: BeaconIndex) {
    if entries(of: beacon).contains(where: { entries[Int($0.rawValue)].pattern.isAddress }) {
      changing.append(beacon)
    }
  }

  /// Beacons that were heard for the first time since the last call, at a configured address that will change.
  public mutating func takeChanging() -> [BeaconIndex] {
    defer { if !changing.isEmpty { changing.removeAll() } }
    return changing
  }

  /// Takes over the beacons of an earlier catalogue, so that they stay tracked when entries change.
  ///
  /// - Returns: for each of its beacons the index here; nil if no entry matches it any more. A beacon known by its address or
  ///   key stays if there is an entry with the same name and pattern.
  public mutating func adopt(_ previous: BeaconCatalogue) -> [BeaconIndex?] {
    refused = previous.refused
    limits.adopt(previous.limits)
    let adopted = previous.tracked.map { known -> BeaconIndex? in
      if known.entries.isEmpty { return nil }
      guard case .entry(let index) = known.identity else { return beacon(known.identity) }
      return entriesByKey[Self.key(of: previous.entries[Int(index.rawValue)])].flatMap { beacon($0) }
    }
    for (known, beacon) in zip(previous.traits, adopted) {
      guard let beacon else { continue }
      traits[Int(beacon.rawValue)].stated = known.stated
      traits[Int(beacon.rawValue)].trail = known.trail
      if known.isSighted { traits[Int(beacon.rawValue)].isSighted = true }
    }
    for (known, twin) in previous.twins {
      if let beacon = adopted[Int(known.rawValue)] { twins[beacon] = twin }
    }
    for known in previous.companions.keys {
      guard let sender = previous.sender(of: known), let beacon = adopted[Int(known.rawValue)],
        let sender = adopted[Int(sender.rawValue)]
      else { continue }
      _ = isAskedFor(beacon, beside: sender)
    }
    return adopted
  }

  mutating func beacon(_ entry: BeaconEntryIndex) -> BeaconIndex? {
    guard entries.indices.contains(Int(entry.rawValue)) else { return nil }
    if let known = beaconsByEntry[Int(entry.rawValue)] { return known }
    let beacon = insert(.entry(entry), IdentityKey(.entry(entry)), entries: [entry])
    beaconsByEntry[Int(entry.rawValue)] = beacon
    return beacon
  }

  /// The beacon with an identity; admitted now if entries match it. `likely`: compared first. `time`: when it was heard; nil:
  /// in an earlier run, or under an earlier configuration.
  mutating func beacon(
    _ identity: BeaconIdentity, likely: BeaconIndex? = nil, at time: MonotonicTime? = nil
  ) -> BeaconIndex? {
    let key = IdentityKey(identity)
    if let likely, identities.key(at: Int(likely.rawValue)) == key { return likely }
    guard patterns.concern(identity) else { return nil }
    let hash = identities.hash(of: key)
    if let place = identities.place(of: key, hash: hash) {
      return BeaconIndex(rawValue: Int32(truncatingIfNeeded: place))
    }
    if strangers.contains(key, hash: hash) { return nil }
    let matching = patterns.entries(matching: identity)
    guard let first = matching.first else {
      strangers.insert(key, hash: hash)
      return nil
    }
    if identity.isMember(of: entries[Int(first.rawValue)].pattern) {
      guard members < limits.members,
        time.map({ limits.admits(UInt64(truncatingIfNeeded: hash), at: $0) }) ?? true
      else {
        refused += 1
        return nil
      }
      members += 1
    }
    return insert(identity, key, entries: matching)
  }

  private mutating func insert(
    _ identity: BeaconIdentity, _ key: IdentityKey, entries matching: [BeaconEntryIndex]
  ) -> BeaconIndex {
    var new = Traits()
    if let first = matching.first { new.specificity = entries[Int(first.rawValue)].pattern.specificity }
    for entry in matching where new.measuredPower == nil {
      new.measuredPower = entries[Int(entry.rawValue)].measuredPower
    }
    if let index = vacancies.popLast() {
      let place = Int(index.rawValue)
      new.generation = traits[place].generation
      tracked[place] = Tracked(identity: identity, entries: matching)
      names[place] = name(of: identity, in: matching[0])
      traits[place] = new
      identities.put(key, at: place)
      return index
    }
    let index = BeaconIndex(rawValue: Int32(clamping: tracked.count))
    tracked.append(Tracked(identity: identity, entries: matching))
    names.append(name(of: identity, in: matching[0]))
    traits.append(new)
    identities.append(key)
    return index
  }
}

extension BeaconPattern {
  /// Whether it identifies the sender, whatever the payload.
  var isOfSender: Bool { specificity == 255 }

  /// The identity with the higher value names the beacon.
  var specificity: UInt8 {
    switch self {
    case .address, .resolvingKey, .scannerID, .localName, .service: 255
    case .iBeacon(_, _?, _?), .eddystoneUID(_, _?), .eddystoneURL: 200
    case .altBeacon(let prefix): UInt8(clamping: prefix.count * 10)
    case .iBeacon(_, _?, nil): 180
    case .iBeacon: 160
    case .eddystoneUID(_, nil): 160
    }
  }
}

/// The beacons, by their rows. What a later look-up finds again is left out: names, strangers, parsed keys.
extension BeaconCatalogue: StateFields {
  /// Sets `coder.bounds.beacons`.
  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    coder.bounds.entries = entries.count
    // The refused members, which are stored by hash, need the same seed.
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
    try coder("disbelievers", &disbelievers)
    try coder("disbelieved", &disbelieved)
    try coder("twins", &twins)
  }

  private struct Row: StateElement {
    var identity = BeaconIdentity.eddystoneUID(namespace: 0, instance: 0)
    var isTaken = false
    /// The sender of the same advertisement. All beacons must be known before it can be looked up.
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
    try coder("stated", &stated)
    try coder("trail", &trail)
    try coder("specificity", &specificity)
    try coder("is_sighted", &isSighted)
    try coder("generation", &generation)
  }
}
