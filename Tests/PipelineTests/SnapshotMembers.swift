import Beacons
import Core
import Scenes
import Testing

@testable import Pipeline

/// Whoever adds a stored property to a part of the state lists it among the part's fields, or here: it follows from the rest.
@Suite struct SnapshotMembers {
  @Test func `every stored property is a field, or follows from the rest`() throws {
    let (met, _) = try Self.parts()
    for (type, missing) in met {
      let known = Set((Self.derived[type] ?? "").split(separator: " ").map(String.init))
      #expect(missing == known, "\(type): \(missing.symmetricDifference(known))")
    }
    #expect(met.count > 40)
    for type in Self.derived.keys { #expect(met[type] != nil, "\(type) is no part of the state any more") }
  }

  /// Checkpoints of a fleet are read by the number of their layout.
  @Test func `other fields have another layout's number`() throws {
    let (_, fields) = try Self.parts()
    // Where a private type is declared differs from run to run, and in which module a type is makes no layout.
    let text = fields.map { type, names in
      "\(type.replacing(/\(unknown context at [^)]*\)\.|^\w+\./, with: "")): \(names.joined(separator: " "))"
    }.sorted()
    let octets = Array(text.joined(separator: "\n").utf8)
    let digest = StateChecksum.of(octets, count: octets.count)
    let known: [UInt32: UInt64] = [28: 11_500_823_352_589_377_512]
    #expect(digest == known[StateCoder.layout], "raise StateCoder.layout, and note the digest here")
  }

  /// The parts of many states by the names of their types: stored properties that are no fields, and the fields.
  private static func parts() throws -> (met: [String: Set<String>], fields: [String: [String]]) {
    var met: [String: Set<String>] = [:]
    var fields: [String: [String]] = [:]
    for seed in 0..<12 as Range<UInt64> {
      var site = RandomSite(seed: seed)
      var pipeline = Pipeline(site)
      for _ in 0..<700 { _ = pipeline.say(to: site.next()) }
      walk(pipeline, &met, &fields)
      let saved = pipeline.savedBeacons(at: site.time, wallTime: WallTime(nanoseconds: 0))
      for beacon in saved.prefix(3) { walk(beacon, &met, &fields) }
    }
    var scene = try Scene("beacons: [{ name: tag, address: \"C1:00:00:00:00:01\" }]")
    try scene.hear(Scene.doorbell(number: 1, isOpen: true, button: 1), rssi: -60, for: 1)
    walk(scene.pipeline, &met, &fields)
    scene.pipeline.carried(BeaconIndex(rawValue: 0)).map { walk($0, &met, &fields) }
    return (met, fields)
  }

  /// Parts by the name of their type, each once, with stored properties that are no fields.
  private static func walk(
    _ value: Any, _ met: inout [String: Set<String>], _ all: inout [String: [String]], depth: Int = 0
  ) {
    let mirror = Mirror(reflecting: value)
    let type = String(reflecting: mirror.subjectType)
    if mirror.displayStyle == .struct {
      guard let part = value as? any StateFields else {
        // What it needs from others to be read keeps it from being such a part.
        guard ["Pipeline.Phones", "Pipeline.SealedReadings"].contains(type) else { return }
        return mirror.children.forEach { walk($0.value, &met, &all, depth: depth + 1) }
      }
      if met[type] == nil {
        if case .part(let fields) = StateShape(of: part) { all[type] = fields.map(\.name) }
        let fields = Set(all[type] ?? [])
        met[type] = Set(mirror.children.compactMap(\.label)).filter { !fields.contains($0.asField) }
      }
    }
    guard depth < 12 else { return }
    // A few of each list are enough. The order of tables differs from run to run.
    let isList = mirror.displayStyle == .collection
    for child in mirror.children.prefix(isList ? 2 : 1000) {
      walk(child.value, &met, &all, depth: depth + 1)
    }
  }

  /// What follows from the configuration or from fields; room that is used again; what is written row by row, under another name, or
  /// with what it needs from others.
  private static let derived: [String: String] = [
    "Pipeline.Pipeline": "topics limits zoneDefinitions tap history scratch unplaced toldUnplaced",
    "Pipeline.Teller": "changedZones dueBeacons",
    "Pipeline.CrowdPace": "measure next",
    "Pipeline.Phone": "settings window",
    "Pipeline.Phone.Lane": "zone rearmSignal rearm lost",
    "Pipeline.Phone.Waiting": "zone",
    "Phones.AppReports": "vocabulary",
    "Phones.PhoneEngine": "rules near log history",
    "Phones.BeaconView": "heardChange nearChange rearmChange",
    "Phones.TaskLedger": "begins",
    "Pipeline.Telemetry": "interval heldBack newcomerTrials trialPause",
    "Pipeline.Whereabouts": "nearest zones places",
    "Pipeline.RoomPresence": "prefix heldBack",
    "Pipeline.Roster": "ownRegions bindKeys sealed displayNames zonesByEntry contents",
    "Beacons.BeaconCatalogue":
      "entries patterns entriesByKey tracked traits names identities strangers beaconsByEntry members "
      + "limits watchers hasOwnWatchers companions unasked others beside twinNews apartNews changing",
    "Beacons.SenderTrail": "apart wasApart",
    "Beacons.AdmissionLimits": "members transitions",
    "Core.RateLimit": "burst interval",
    "Beacons.AddressResolver": "ciphers generation block",
    "Proximity.ZoneEngine": "rules sight roomSight insiders site keepsLinks hasRoomZones queue",
    "Proximity.BeaconState": "record",
    "Proximity.Locator": "receivers",
    "Proximity.PlaceBeliefs": "model map grid filter prior hearers powers bins shares",
    "Proximity.RoomTracker":
      "plan model maps known blind doubted filter placeAndPower appearance windows trackOfBeacon tracks beaconOfTrack beliefs "
      + "held silences insiders changed hearings sums leaveOneOut nearby everyone",
    "Proximity.HearerSet": "bits",
    "Proximity.ReceiverSight": "knownCount blindCount",
    "Proximity.ReceiverDrift": "rooms gains elsewhere changes",
    "Proximity.ReceiverGains": "homes pause",
    "Proximity.FittedGains": "hearers expected places",
  ]
}

extension String {
  /// `isHeard` is the field `is_heard`.
  fileprivate var asField: String {
    reduce(into: "") { field, letter in
      if letter.isUppercase { field += "_" }
      field += letter.lowercased()
    }
  }
}
