import BeaconKeys
import Beacons
import GatewayConfiguration
import Proximity

/// The beacons of a configuration: who an advertisement belongs to, which zones care, and what it reads.
struct Roster: Sendable {
  private var catalogue: BeaconCatalogue
  private var resolver: AddressResolver
  /// What the gateway sends itself is nobody's.
  let ownRegions: WakeRegions?
  private let bindKeys: [BeaconEntryIndex: SecretKey]
  /// One for each beacon that sends encrypted readings.
  private var decryptors: [BeaconIndex: BTHomeDecryptor] = [:]
  /// The zones that name an entry or take every beacon, ascending, by `BeaconEntryIndex`.
  private let zonesByEntry: [[ZoneIndex]]
  /// Readings that a wrong key, or none, kept shut.
  private(set) var sealedReadings: UInt64 = 0

  init(_ configuration: Configuration) {
    catalogue = BeaconCatalogue(entries: configuration.beaconEntries)
    resolver = AddressResolver(keys: configuration.identityKeys)
    bindKeys = configuration.bindKeys
    ownRegions = configuration.wake?.regions
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
  }

  /// Takes up the beacons of an earlier roster; gives for each its index here, nil for one no longer known.
  mutating func adopt(_ previous: Roster) -> [BeaconIndex?] { catalogue.adopt(previous.catalogue) }

  /// Takes up beacons of an earlier run by their keys; nil for one no longer known.
  mutating func adopt(keys: [String]) -> [BeaconIndex?] { catalogue.adopt(keys: keys) }

  /// A text that stands for a beacon in every run.
  func key(of beacon: BeaconIndex) -> String { catalogue.key(of: beacon) }

  var count: Int { catalogue.count }
  /// Grows whenever a beacon is new or matches an entry that it did not match before.
  var revision: UInt64 { catalogue.revision }
  /// Members of regions that were refused because too many are known.
  var refused: UInt64 { catalogue.refused }

  func name(of beacon: BeaconIndex) -> String { catalogue.name(of: beacon) }

  /// Every name that it answers to.
  func names(of beacon: BeaconIndex) -> [String] { catalogue.names(of: beacon) }

  /// Ascending.
  func zones(of beacon: BeaconIndex) -> [ZoneIndex] {
    let entries = catalogue.entries(of: beacon)
    // Mostly one: then its array is shared, not copied, by all the members of a region.
    if entries.count == 1 { return zonesByEntry[Int(entries[0].rawValue)] }
    return entries.reduce(into: Set()) { $0.formUnion(zonesByEntry[Int($1.rawValue)]) }.sorted()
  }

  /// See `BeaconCatalogue`.
  func lookUp(_ batch: borrowing AdvertisementBatch, into likely: inout LikelyBeacons) -> Int {
    catalogue.lookUp(batch, into: &likely)
  }

  /// See `BeaconCatalogue`.
  func prefetch(_ likely: LikelyBeacons) -> Int { catalogue.prefetch(likely) }

  /// See `BeaconCatalogue`.
  @inline(__always) mutating func repeatedSighting(
    of advertisement: borrowing Advertisement, by receiver: ReceiverIndex, payload: Span<UInt8>,
    likely: LikelyBeacons, at place: Int, into sightings: inout [Sighting]
  ) -> Bool {
    catalogue.repeatedSighting(
      of: advertisement, by: receiver, payload: payload, likely: likely, at: place, into: &sightings)
  }

  /// The sighting in an advertisement, nil where it belongs to nobody we know; its readings are visited
  /// with the beacon that they belong to.
  mutating func sighting(
    of advertisement: Advertisement, payload: Span<UInt8>, _ body: (BeaconIndex, Reading) -> Void
  ) -> Sighting? {
    var recognition = catalogue.begin(advertisement, resolved: resolver.entry(for: advertisement.address))
    var isOwn = false
    var frames = 0
    var hasReadings = false
    FrameDecoder.forEachFrame(in: payload) { result, data in
      guard case .frame(let frame, _) = result else { return }
      frames += 1
      if case .iBeacon(let beacon) = frame, ownRegions?.contains(beacon) == true {
        isOwn = true
        return
      }
      catalogue.add(frame, to: &recognition)
      guard frame.carriesReadings else { return }
      hasReadings = true
      guard let owner = catalogue.owner(recognition) else { return }
      read(frame, data, of: owner, from: advertisement.address, body)
    }
    guard !isOwn, let sighting = catalogue.sighting(recognition, of: advertisement) else { return nil }
    if frames == 1, !hasReadings { catalogue.remember(payload, of: sighting) }
    return sighting
  }

  private mutating func read(
    _ frame: Frame, _ data: Span<UInt8>, of beacon: BeaconIndex, from address: DeviceAddress,
    _ body: (BeaconIndex, Reading) -> Void
  ) {
    guard case .bthome(let sealed) = frame, case .encrypted = sealed.content else {
      frame.forEachReading(in: data) { body(beacon, $0) }
      return
    }
    guard let key = bindKey(of: beacon) else {
      sealedReadings += 1
      return
    }
    do throws(Decline) {
      try decryptors[beacon, default: BTHomeDecryptor(key: key)].open(sealed, in: data, from: address) {
        $0.forEachReading(in: $1) { body(beacon, $0) }
      }
    } catch {
      sealedReadings += 1
    }
  }

  private func bindKey(of beacon: BeaconIndex) -> SecretKey? {
    for entry in catalogue.entries(of: beacon) {
      if let key = bindKeys[entry] { return key }
    }
    return nil
  }
}

extension Frame {
  fileprivate var carriesReadings: Bool {
    switch self {
    case .eddystoneTLM, .bthome, .sensor: true
    default: false
    }
  }
}
