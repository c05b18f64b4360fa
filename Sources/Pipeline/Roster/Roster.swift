import Beacons
import Configuration
import Core
import Proximity

/// The configured beacons: finds an advertisement's sender, the zones that watch it, and its readings.
package struct Roster: Sendable {
  private var catalogue: BeaconCatalogue
  private var resolver: AddressResolver
  /// nil: no beacon is configured by a local name or a service.
  private var contents: SenderContents?
  /// The gateway's own broadcasts, which belong to no beacon.
  package let ownRegions: WakeRegions?
  private let bindKeys: [BeaconEntryIndex: SecretKey]
  var sealed = SealedReadings()
  /// Members of regions, by the time of their silence.
  var unheard = LongestUnheard()
  /// Advertisements from private addresses that were not resolved yet, because too many unknown senders came at once.
  var postponed: UInt64 { resolver.postponed }
  /// Display names, by the beacon's name.
  private let displayNames: [String: String]
  /// The kind of each beacon, for Home Assistant.
  private(set) var kinds = BeaconKinds()
  /// By `BeaconEntryIndex`: the zones that list the entry or watch every beacon, ascending.
  private let zonesByEntry: [[ZoneIndex]]

  package init(_ configuration: Configuration, _ limits: AdmissionLimits = AdmissionLimits()) {
    resolver = AddressResolver(keys: configuration.identityKeys)
    bindKeys = configuration.bindKeys
    ownRegions = configuration.wake?.regions
    displayNames = configuration.displayNames
    let entries = Dictionary(grouping: configuration.beacons.indices) { configuration.beacons[$0].name }
    var byEntry = [[ZoneIndex]](repeating: [], count: configuration.beacons.count)
    var open: [ZoneIndex] = []
    for (position, zone) in configuration.zones.enumerated() {
      let index = ZoneIndex(rawValue: Int32(position))
      guard let names = zone.beacons.map(Set.init) else {
        open.append(index)
        continue
      }
      for name in names {
        for entry in entries[name] ?? [] { byEntry[entry].append(index) }
      }
    }
    zonesByEntry = byEntry.map { $0.isEmpty ? open : ($0 + open).sorted() }
    var watchers = zonesByEntry.map { $0.map(\.rawValue) }
    for (position, phone) in configuration.phones.enumerated() {
      for (entry, beacon) in configuration.beacons.enumerated()
      where phone.beacon == beacon.name || phone.beacon.hasPrefix("\(beacon.name):") {
        watchers[entry].append(Int32(configuration.zones.count + position))
      }
    }
    contents = SenderContents(configuration.beaconEntries)
    catalogue = BeaconCatalogue(entries: configuration.beaconEntries, watchers: watchers, limits: limits)
  }

  /// Adopts the beacons of an earlier roster. Returns their new indices; nil for beacons that are no longer known.
  mutating func adopt(_ previous: Roster) -> [BeaconIndex?] {
    let adopted = catalogue.adopt(previous.catalogue)
    sealed.adopt(previous.sealed)
    resolver.adopt(previous.resolver)
    guard !bindKeys.isEmpty else { return adopted }
    for (position, index) in adopted.enumerated() {
      guard let index else { continue }
      sealed.adopt(
        BeaconIndex(rawValue: Int32(position)), of: previous.sealed, as: index, key: bindKey(of: index))
    }
    return adopted
  }

  /// Adopts beacons of an earlier run by their keys. Returns nil for beacons that are no longer known.
  mutating func adopt(keys: [(key: String, heardKey: String?)]) -> [BeaconIndex?] {
    catalogue.adopt(keys: keys)
  }

  /// A text that identifies a beacon in every run.
  func key(of beacon: BeaconIndex) -> String { catalogue.key(of: beacon) }

  /// See `BeaconCatalogue`.
  func heardKey(of beacon: BeaconIndex) -> String? { catalogue.heardKey(of: beacon) }

  var count: Int { catalogue.count }
  /// How many beacons are tracked.
  var trackedCount: Int { catalogue.count - catalogue.vacancyCount }
  /// See `BeaconCatalogue`.
  var isFull: Bool { catalogue.isFull }
  func isMember(_ beacon: BeaconIndex) -> Bool { catalogue.isMember(beacon) }

  /// Forgets a member of a region. Its index will be reused.
  mutating func retire(_ beacon: BeaconIndex) {
    catalogue.retire(beacon)
    sealed.retire(beacon)
    kinds.retire(beacon)
  }

  /// Increases whenever a beacon is new or matches another entry.
  package var revision: UInt64 { catalogue.revision }
  /// Advertisements of members of regions that were refused: too many are known, or too many came at once.
  var refused: UInt64 { catalogue.refused }

  var hasKindNews: Bool { kinds.hasNews }

  /// Beacons whose kind became more specific.
  mutating func takeKindNews() -> [BeaconIndex] { kinds.takeNews() }

  /// The model of its kind, the same in every version; empty: unknown.
  func model(of beacon: BeaconIndex) -> String { kinds.kind(of: beacon).model }
  mutating func restore(model: String, of beacon: BeaconIndex) { kinds.restore(model, of: beacon) }

  func twin(of beacon: BeaconIndex) -> CountingTwin? { catalogue.twin(of: beacon) }
  mutating func restore(_ twin: CountingTwin, of beacon: BeaconIndex, at time: MonotonicTime) {
    catalogue.restore(twin, of: beacon, at: time)
  }

  /// Whether the index is in use.
  func knows(_ beacon: BeaconIndex) -> Bool { beacon.rawValue >= 0 && Int(beacon.rawValue) < catalogue.count }

  package func name(of beacon: BeaconIndex) -> String { catalogue.name(of: beacon) }

  /// The display name; nil: none is configured.
  func displayName(of beacon: BeaconIndex) -> String? {
    displayNames.isEmpty ? nil : displayNames[catalogue.name(of: beacon)]
  }

  /// Whether the configuration says how strong it is at 1 m.
  package func hasConfiguredPower(_ beacon: BeaconIndex) -> Bool {
    catalogue.entries(of: beacon).contains { catalogue.entries[Int($0.rawValue)].measuredPower != nil }
  }

  /// All names of a beacon.
  package func names(of beacon: BeaconIndex) -> [String] { catalogue.names(of: beacon) }

  /// The zones that watch a beacon, ascending. If it was only heard beside another beacon, zones that watch the other
  /// one are left out.
  package func zones(of beacon: BeaconIndex) -> [ZoneIndex] {
    let zones = allZones(of: beacon)
    guard let sender = catalogue.sender(of: beacon) else { return zones }
    let told = allZones(of: sender)
    return zones.filter { !told.contains($0) }
  }

  private func allZones(of beacon: BeaconIndex) -> [ZoneIndex] {
    let entries = catalogue.entries(of: beacon)
    // Usually there is one entry. All members of a region then share its array.
    if entries.count == 1 { return zonesByEntry[Int(entries[0].rawValue)] }
    return entries.reduce(into: Set()) { $0.formUnion(zonesByEntry[Int($1.rawValue)]) }.sorted()
  }

  /// Sightings of the sender's other identities in the latest advertisement. They do not count for rooms.
  var beside: [Sighting] { catalogue.beside }

  /// See `BeaconCatalogue`.
  func companions(of beacon: BeaconIndex) -> [BeaconIndex] { catalogue.companions(of: beacon) }

  /// See `BeaconCatalogue`.
  func lookAhead(
    _ batch: borrowing AdvertisementBatch, _ range: Range<Int>, into likely: inout [BeaconIndex]
  ) {
    catalogue.lookAhead(batch, range, into: &likely)
  }

  /// The sighting in an observation from elsewhere; nil if the beacon is unknown.
  package mutating func sighting(of observation: Observation) -> Sighting? {
    catalogue.sighting(of: observation)
  }

  /// The sighting in an advertisement; nil if the sender is unknown. Calls `body` for each reading.
  package mutating func sighting(
    of advertisement: Advertisement, payload: Span<UInt8>, _ body: (HeardReading) -> Void
  ) -> Sighting? {
    if let repeated = catalogue.repeatedSighting(of: advertisement, payload: payload) { return repeated }
    var resolved = resolver.entry(for: advertisement.address, at: advertisement.time)
    // Anybody can send any name. So a beacon with an entry for its address keeps that entry.
    if resolved == nil, contents != nil, !catalogue.hasEntry(for: advertisement.address) {
      resolved = contents?.entry(of: advertisement.address, payload, at: advertisement.time)
    }
    var recognition = catalogue.begin(advertisement, resolved: resolved)
    var isOwn = false
    var frames = 0
    var hasReadings = false
    var kind = BeaconKind.unknown
    FrameDecoder.forEachFrame(in: payload, from: advertisement.address) { result, data in
      let frame: Frame
      switch result {
      case .frame(let decoded, _): frame = decoded
      case .declined(_, let source):
        guard let sender = catalogue.owner(recognition), case .sensor(let known) = kinds.kind(of: sender),
          let continued = SensorFormat.continued(from: known.format, in: source, data)
        else { return }
        frame = .sensor(continued)
      }
      frames += 1
      if case .iBeacon(let beacon) = frame, ownRegions?.contains(beacon) == true {
        isOwn = true
        return
      }
      catalogue.add(frame, to: &recognition)
      let other = BeaconKind(frame)
      if other.rank > kind.rank { kind = other }
      guard frame.carriesReadings else { return }
      hasReadings = true
      guard let owner = catalogue.owner(recognition) else { return }
      read(frame, data, of: owner, advertisement, body)
    }
    guard !isOwn, let sighting = catalogue.sighting(recognition, of: advertisement) else { return nil }
    kinds.note(kind, of: sighting.beacon)
    if frames == 1, !hasReadings, catalogue.beside.isEmpty { catalogue.remember(payload, of: sighting) }
    return sighting
  }

  mutating func forgetChanging() { _ = catalogue.takeChanging() }

  /// Notices for the user, each once.
  mutating func takeNotices() -> [String] {
    var notices = sealed.hasNotices ? sealed.takeNotices() : []
    for twin in catalogue.takeTwins() {
      notices.append(
        "several devices send as \(name(of: twin.beacon).printable) at the same time; one of them counts, \(twin.address), and another once it is silent. Give each an id of its own, or an entry by its address"
      )
    }
    for beacon in catalogue.takeApart() {
      notices.append(
        "\(name(of: beacon).printable) is heard by receivers in turns, by each from another address. If these are several devices, all of them count, and it seems to be in several places: give each an id of its own, or an entry by its address"
      )
    }
    for beacon in catalogue.takeChanging() {
      let name = name(of: beacon).printable
      notices.append(
        "\(name) is configured by an address that changes every few minutes: it will be lost, and not heard again. A phone or watch is followed by its key: beaconkeeper enrol \(name)"
      )
    }
    guard catalogue.hasDisbelieved else { return notices }
    for (beacon, complaint) in catalogue.takeDisbelieved() {
      guard let entry = catalogue.entries(of: beacon).first.map({ catalogue.entries[Int($0.rawValue)] })
      else {
        continue
      }
      let usual = Measure(.signal, Calibration.defaultMeasuredPower)
      notices.append(
        "\(name(of: beacon).printable) \(complaint); \(usual) is used instead. Measure it at 1 m, and add it to the entry "
          + "\(entry.name.printable): measured_power: \(usual)")
    }
    return notices
  }

  private mutating func read(
    _ frame: Frame, _ data: Span<UInt8>, of beacon: BeaconIndex, _ advertisement: Advertisement,
    _ body: (HeardReading) -> Void
  ) {
    let key = bindKeys.isEmpty ? nil : bindKey(of: beacon)
    let isTriggerBased = if case .bthome(let message) = frame { message.isTriggerBased } else { false }
    guard frame.isEncrypted(in: data) else {
      if key == nil {
        frame.forEachReading(in: data) {
          body(HeardReading(beacon: beacon, reading: $0, isTriggerBased: isTriggerBased))
        }
      } else {
        sealed.refuse(name(of: beacon), .unencrypted)
      }
      return
    }
    guard let key else { return sealed.refuse(name(of: beacon), .noKey) }
    if !sealed.knows(beacon) { sealed.meet(beacon, key, key: catalogue.key(of: beacon)) }
    let counter = frame.counter(in: data)
    sealed.open(frame, in: data, of: beacon, called: name(of: beacon), advertisement) {
      body(HeardReading(beacon: beacon, reading: $0, counter: counter, isTriggerBased: isTriggerBased))
    }
  }

  private func bindKey(of beacon: BeaconIndex) -> SecretKey? {
    for entry in catalogue.entries(of: beacon) {
      if let key = bindKeys[entry] { return key }
    }
    return nil
  }
}

/// The beacons, their kinds, and the state of their decryption.
extension Roster: StateFields {
  package mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("catalogue", &catalogue)
    try coder("resolver", &resolver)
    var sealed = sealed
    try sealed.fields(&coder) { bindKey(of: $0) }
    if coder.isReading { self.sealed = sealed }
    try coder("kinds", &kinds)
    try coder("unheard", &unheard)
  }
}

extension Frame {
  fileprivate var carriesReadings: Bool {
    switch self {
    case .eddystoneTLM, .bthome, .sensor: true
    case .iBeacon(let frame): frame.mayHaveReadings
    default: false
    }
  }
}

/// Finds the member of a region that was silent longest. The times in its heap may be too early: a time is corrected when it
/// reaches the top.
struct LongestUnheard: Sendable {
  private struct Entry: StateElement {
    var heard = MonotonicTime.zero
    var beacon = BeaconIndex.nobody

    mutating func fields(_ coder: inout StateCoder) throws(StateError) {
      try coder("heard", &heard)
      try coder("beacon", &beacon)
    }
  }

  private var heap: [Entry] = []

  mutating func insert(_ beacon: BeaconIndex, heard: MonotonicTime) {
    heap.append(Entry(heard: heard, beacon: beacon))
    var place = heap.count - 1
    while place > 0, heap[place].heard < heap[(place - 1) / 2].heard {
      heap.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  /// Removes and returns the member that was silent longest, if it was last heard before `time`.
  ///
  /// - Parameters:
  ///   - effort: how many members are examined at most.
  ///   - lastHeard: returns nil for a member that must stay.
  mutating func take(
    before time: MonotonicTime, now: MonotonicTime, effort: Int, lastHeard: (BeaconIndex) -> MonotonicTime?
  ) -> BeaconIndex? {
    for _ in 0..<effort {
      guard let first = heap.first, first.heard < time else { return nil }
      let heard = lastHeard(first.beacon) ?? now
      if heard <= first.heard {
        removeFirst()
        return first.beacon
      }
      heap[0].heard = heard
      sink()
    }
    return nil
  }

  private mutating func removeFirst() {
    let last = heap.removeLast()
    guard !heap.isEmpty else { return }
    heap[0] = last
    sink()
  }

  private mutating func sink() {
    var place = 0
    while true {
      var child = 2 * place + 1
      guard child < heap.count else { return }
      if child + 1 < heap.count, heap[child + 1].heard < heap[child].heard { child += 1 }
      guard heap[child].heard < heap[place].heard else { return }
      heap.swapAt(child, place)
      place = child
    }
  }
}

/// Stored in the order of the heap, because that order decides between members with equal times.
extension LongestUnheard: StateFields {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("heap", &heap, atMost: coder.bounds.beacons)
  }
}
