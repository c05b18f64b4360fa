import Beacons

/// The state of a live phone, exactly. What follows from its profile and from the rest is left out: the rules, when distances
/// cross their thresholds.
extension PhoneEngine {
  /// Yes or no, in the order of the snapshot.
  private static let flags: [any WritableKeyPath<PhoneEngine, Bool> & Sendable] = [
    \.isUnsettled, \.isRadioOn, \.hasLocationServices, \.isScreenOn, \.isAudioOn, \.appPlaysAudio,
    \.hasDebugger, \.wasKeptAlive, \.reportsTasks, \.tasksAreReported, \.wasBesideLocation,
    \.wasTaskRefused, \.wasTaskExpired, \.wasEventIgnored, \.isDistanceKnown, \.wasRanging, \.wasLocating,
  ]
  /// Times with which it calculates.
  private static let times: [any WritableKeyPath<PhoneEngine, Milliseconds> & Sendable] = [
    \.screenOffSince, \.graceUntil, \.lingersUntil, \.backgroundSince, \.keptAliveUntil,
  ]

  /// Writes the state as it is between two calls. A history is no part of it, and `now` must be within 500 years.
  public func snapshot(into writer: inout StateWriter) {
    writer.write(now)
    writer.write(lifecycle)
    for flag in Self.flags { writer.write(self[keyPath: flag]) }
    for time in Self.times { writer.write(self[keyPath: time]) }
    writer.write(permission)
    writer.write(stillSince)
    writer.write(sparedAt)
    writer.write(sampleTasks)
    writer.write(lastEmptyTick)
    writer.write(tasks)
    writer.write(session)
    writer.write(region)
    writer.write(wakeRegions)
    writer.write(beacons)
    writer.write(scan)
    writer.write(log.all)
    writer.write(totals)
    writer.write(published)
  }

  /// Of a new engine with the same profile and distances.
  public mutating func restore(from reader: inout StateReader) throws(StateError) {
    reader.part = "phones"
    now = try reader.read()
    guard now.magnitude <= 1 << 44 else { throw reader.damaged }
    lifecycle = try reader.read()
    for flag in Self.flags { self[keyPath: flag] = try reader.read() }
    for time in Self.times { self[keyPath: time] = try reader.time() }
    permission = try reader.read()
    stillSince = try reader.optionalTime()
    sparedAt = try reader.read()
    sampleTasks = try reader.read()
    lastEmptyTick = try reader.read()
    tasks = try reader.read()
    session = try reader.read()
    region = try reader.read()
    wakeRegions = try reader.read()
    beacons = try reader.read()
    scan = try reader.read()
    let facts: [Fact] = try reader.read()
    log = FactLog(facts)
    totals = try reader.read()
    published = try reader.read()
    guard sampleTasks <= -2, wakeRegions.count <= rules.wakeRegionLimit,
      (1...BeaconView.limit).contains(beacons.count), facts.count <= FactLog.limit,
      scan.starts.count <= rules.scanStartLimit,
      // The system's own scan hears the beacon since some time.
      !rules.isAndroid || !isHeard || !canSystemScan || scan.heardSince != .never
    else { throw reader.damaged }
    for index in beacons.indices { beacons[index].foresee(heard: rules.heardDistance, near: near, at: now) }
  }
}

extension PhoneEngine.Lifecycle: StateCoded {
  func write(to writer: inout StateWriter) {
    switch self {
    case .foreground: writer.write(0 as UInt8)
    case .background: writer.write(1 as UInt8)
    case .suspended: writer.write(2 as UInt8)
    case .terminated(let reason, let isLatched):
      writer.write(3 as UInt8)
      writer.write(reason)
      writer.write(isLatched)
    }
  }

  init(reading reader: inout StateReader) throws(StateError) {
    switch try reader.read(UInt8.self) {
    case 0: self = .foreground
    case 1: self = .background
    case 2: self = .suspended
    case 3: self = .terminated(try reader.read(), latched: try reader.read())
    default: throw reader.damaged
    }
  }
}

extension Totals: StateCoded {
  public func write(to writer: inout StateWriter) {
    for sum in [ranging, Int64(windows), location, Int64(samples), receiver] { writer.write(sum) }
    writer.write(detected)
    writer.write(closestRanged)
  }

  public init(reading reader: inout StateReader) throws(StateError) {
    ranging = Int64(try reader.tally())
    windows = Int(try reader.tally())
    location = Int64(try reader.tally())
    samples = Int(try reader.tally())
    receiver = Int64(try reader.tally())
    detected = try reader.read()
    closestRanged = try reader.read()
  }
}
