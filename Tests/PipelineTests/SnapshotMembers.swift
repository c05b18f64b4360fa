import Scenes
import Testing

@testable import Pipeline

/// Whoever adds a stored property to one of these types also writes it and reads it back, in the type's snapshot, or sees there
/// that it follows from the rest; then lists it here.
@Suite struct SnapshotMembers {
  @Test func everyStoredPropertyIsKnown() throws {
    var met: [String: String] = [:]
    for seed in 0..<12 as Range<UInt64> {
      var site = RandomSite(seed: seed)
      var pipeline = Pipeline(site)
      for _ in 0..<700 { _ = pipeline.say(to: site.next()) }
      Self.walk(pipeline, &met)
    }
    var scene = try Scene("beacons: [{ name: tag, address: \"C1:00:00:00:00:01\" }]")
    try scene.hear(Scene.doorbell(number: 1, isOpen: true, button: 1), rssi: -60, for: 1)
    Self.walk(scene.pipeline, &met)
    for (type, members) in Self.members {
      #expect(met[type] == members, "\(type): see its snapshot")
    }
  }

  /// Types by name, each once, with their stored properties.
  private static func walk(_ value: Any, _ met: inout [String: String], depth: Int = 0) {
    let mirror = Mirror(reflecting: value)
    let type = String(reflecting: mirror.subjectType)
    if mirror.displayStyle == .struct {
      if met[type] == nil { met[type] = mirror.children.compactMap(\.label).joined(separator: " ") }
      if !members.keys.contains(type) { return }
    }
    guard depth < 12 else { return }
    // A few of each collection are enough.
    for child in mirror.children.prefix(mirror.displayStyle == .struct ? 200 : 2) {
      walk(child.value, &met, depth: depth + 1)
    }
  }

  private static let members: [String: String] = [
    "Pipeline.Pipeline":
      "topics receivers counts configuration limits configuredReceivers zoneDefinitions roster engine "
      + "telemetry packets unheard forgotten hasToldRefusal holds whereabouts roomPresence rooms areRoomsGreeted "
      + "roomTransitions phones tap history nears blind unproven time unwatched receiversKnown crowds "
      + "likely readings transitions changedZones dueBeacons",
    "Pipeline.Pipeline.Counts": "advertisements sightings transitions retired",
    "Pipeline.HoldNotices": "beaconsTold hasToldCrowd",
    "Pipeline.CrowdPace": "measure told waiting next",
    "Pipeline.CrowdPace.Measure": "few pause",
    "Pipeline.Telemetry":
      "interval dueFrom readings due changes heldBack news trials newcomerTrials trialPause",
    "Pipeline.PacketLedger": "senders crowd refused hasToldRefusal",
    "Pipeline.PacketLedger.Sender": "packets cleared pace",
    "Pipeline.PacketLedger.Packet": "content heard",
    "Pipeline.Whereabouts": "nearest zones places told",
    "Pipeline.RoomPresence": "prefix paces heldBack",
    "Pipeline.Roster": "catalogue resolver ownRegions bindKeys sealed displayNames kinds zonesByEntry",
    "Pipeline.SealedReadings": "counts notices told decryptors ledger",
    "Pipeline.CounterLedger": "restored unsaved rested",
    "Pipeline.LongestUnheard": "heap",
    "Pipeline.BeaconKinds": "kinds news",
    "Beacons.BeaconCatalogue":
      "entries patterns entriesByKey tracked traits names identities strangers beaconsByEntry members "
      + "limits vacancies addresses watchers hasOwnWatchers companions unasked others beside refused revision",
    "Beacons.BeaconCatalogue.Tracked": "identity entries",
    "Beacons.BeaconCatalogue.Traits": "payload payloadPower measuredPower specificity isSighted generation",
    "Beacons.AdmissionLimits": "members transitions newcomers returning refused",
    "Beacons.AddressMemory": "magnitude slots",
    "Beacons.RateLimit": "burst interval rested",
    "Beacons.ReceiverTable": "names indicesByName",
    "BeaconKeys.AddressResolver": "ciphers generation recent older budget postponed block",
    "BeaconKeys.ResolutionBudget": "left time waiting",
    "Proximity.ZoneEngine":
      "zones zoneReceivers blindZones insiders rearmedZones silenced site receivers knownReceivers "
      + "blindReceivers beacons admitted locators isLocating keepsLinks places hasRoomZones roomSight "
      + "decisions links presences members freeMember freeLink freePresence queue crowd heldTransitions "
      + "held now",
    "Proximity.Tracked":
      "measuredPower isAdmitted isInventable freeTurns linkCount lastReceiver wallOffset lastHeard "
      + "firstLink firstPresence",
    "Proximity.LinkSlot": "link beacon nextOfBeacon firstMember queuedFor",
    "Proximity.PresenceSlot": "presence beacon nextOfBeacon firstMember lastLink lastReceiver queuedFor",
    "Proximity.Member": "link presence nextOfLink nextOfPresence",
    "Proximity.Link":
      "receiver isCurrent isLocated samples lastHeard silentSince lastSignal power logDistance margin "
      + "filter interval",
    "Proximity.SignalFilter": "samples level rate variance rateVariance covariance surprise scatter",
    "Proximity.IntervalEstimator": "current previous beforePrevious gaps blocks seconds doubtful mean lost",
    "Proximity.Locator": "x y xx xy yy time receivers",
    "Proximity.PlaceBeliefs":
      "model grid filter prior hearers powers bins slots times openWords beliefs freeSlots shares",
    "Proximity.Presence":
      "zone isInside isArmed isRearmDue isHeld isHoldTold hasTurn since nearSince enterSince exitSince "
      + "silentSince lostDeadline heldUntil",
    "Pipeline.Phones":
      "settings zones phones byBeaconName carriers beacons deadlines nextDeadline news dropped refusedReports",
    "Pipeline.Phone":
      "settings lanes wallOffset isHeard lossDue countDue window reports lastReport",
    "Pipeline.Phone.Lane": "zone rearmSignal rearm lost engine waiting",
    "RangingPolicy.PhoneEngine":
      "rules near now lifecycle isUnsettled isRadioOn permission hasLocationServices isScreenOn "
      + "screenOffSince isAudioOn appPlaysAudio hasDebugger stillSince graceUntil lingersUntil "
      + "backgroundSince keptAliveUntil wasKeptAlive tasks reportsTasks tasksAreReported wasBesideLocation "
      + "sparedAt sampleTasks wasTaskRefused wasTaskExpired wasEventIgnored session region wakeRegions "
      + "beacons isDistanceKnown lastEmptyTick scan log history totals wasRanging wasLocating published",
    "RangingPolicy.LocationSession":
      "isOn isFromForeground isAutoPaused sampleStart fixDue stopDue timerDue",
    "RangingPolicy.RegionMonitor":
      "isInside enterDue exitDue screenWakeDue wokeApp isSilent isWithheld isGiven",
    "RangingPolicy.BeaconView":
      "motion isForeign isHeard isNear isBeyondRearm heardChange nearChange rearmChange trigger",
    "RangingPolicy.Motion": "start distance rate per",
    "RangingPolicy.ScanSchedule":
      "start hitUntil hitDue heardSince isSeen forgetDue isServiceDenied isOn since isStarved starts "
      + "bucketPeriod bucketStart bucketUsed",
    "RangingPolicy.TaskLedger": "begins ends leaks refusals unknownEnds held lost",
    "RangingPolicy.FactLog": "facts start",
    "RangingPolicy.Totals": "ranging windows location samples receiver detected closestRanged",
    "RangingPolicy.AppReports": "vocabulary",
    "RangingPolicy.EventVocabulary": "isLive tasks lastTask",
    "Proximity.RoomDecision": "room probability witnesses receiver reason",
    "Proximity.Receiver": "calibration decadesPerDecibel ownPower offset isKnown isBlind",
    "Proximity.RoomTracker":
      "plan model maps filter placeAndPower appearance hearers windows trackOfBeacon tracks beaconOfTrack "
      + "freeTracks beliefs held silences blind known lastWords insiders changed entries hearings now sums drift leaveOneOut "
      + "gains refused",
    "Proximity.HeldLevels": "hearers words",
    "Proximity.RoomTrack":
      "told since window offset offsetWeight lastHeard silentSince interval wallOffset lastReceiver "
      + "hearers earlierHearers hearersSince turnedUp outside isFrozen",
    "Proximity.OutsideLevel": "usual present",
    "Proximity.RoomWindows": "lateness entries first next dropped",
    "Proximity.ReceiverDrift": "rooms tallies moved gains elsewhere changes notes",
    "Proximity.LeaveOneOut": "product shares strengths looks hearers",
    "Proximity.ReceiverGains": "rooms homes tallies decibels notes pause visits stays",
  ]
}
