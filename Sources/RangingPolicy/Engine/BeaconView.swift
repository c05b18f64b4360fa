import Beacons

/// One beacon as an app sees it: how far away it is, and whether its near trigger waits.
struct BeaconView: Hashable, Sendable {
  /// Each beacon costs time at every step, so their number in a timeline is limited.
  static let limit = 100

  var motion: Motion?
  /// It has another UUID than the app's region, and is never heard.
  var isForeign = false
  var isHeard = false
  var isNear = false
  var isBeyondRearm = true
  private(set) var heardChange = Milliseconds.never
  private(set) var nearChange = Milliseconds.never
  private(set) var rearmChange = Milliseconds.never
  var trigger = Trigger.armed

  mutating func move(_ motion: Motion?, heard: Micrometres, near: NearDistances, at now: Milliseconds) {
    self.motion = motion
    foresee(heard: heard, near: near, at: now)
  }

  /// Finds out when the distance next crosses each threshold.
  mutating func foresee(heard: Micrometres, near: NearDistances, at now: Milliseconds) {
    heardChange = isForeign ? .never : change(of: heard, from: isHeard, at: now)
    if let threshold = near.near { nearChange = change(of: threshold, from: isNear, at: now) }
    rearmChange = change(of: near.rearm, from: !isBeyondRearm, at: now)
  }

  mutating func hearingChanged(within threshold: Micrometres, at now: Milliseconds) {
    isHeard.toggle()
    heardChange = change(of: threshold, from: isHeard, at: now)
  }

  mutating func nearChanged(within threshold: Micrometres, at now: Milliseconds) {
    isNear.toggle()
    nearChange = change(of: threshold, from: isNear, at: now)
  }

  mutating func rearmChanged(beyond threshold: Micrometres, at now: Milliseconds) {
    isBeyondRearm.toggle()
    rearmChange = change(of: threshold, from: !isBeyondRearm, at: now)
  }

  /// When the distance crosses a threshold.
  private func change(
    of threshold: Micrometres, from isWithin: Bool, at now: Milliseconds
  ) -> Milliseconds {
    guard let motion else { return isWithin ? now : .never }
    return motion.first(from: now, within: threshold, is: !isWithin)
  }
}

extension PhoneEngine {
  /// Whether any beacon of the app's region is heard.
  var isHeard: Bool { beacons.contains(where: \.isHeard) }

  /// The app's region has another UUID than this beacon.
  public mutating func ignoreBeacon(_ index: Int) {
    if addBeacon(index) { beacons[index].isForeign = true }
  }

  mutating func setMotion(_ motion: Motion?, of index: Int) {
    guard addBeacon(index) else { return }
    if !beacons[index].isForeign { isDistanceKnown = true }
    beacons[index].move(motion, heard: rules.heardDistance, near: near, at: now)
  }

  /// Whether there is room for a beacon of this index.
  private mutating func addBeacon(_ index: Int) -> Bool {
    guard (0..<BeaconView.limit).contains(index) else { return false }
    while beacons.count <= index { beacons.append(BeaconView()) }
    return true
  }
}

/// Without the times at which it crosses thresholds: `PhoneEngine.restore` finds them again.
extension BeaconView: StateCoded {
  func write(to writer: inout StateWriter) {
    writer.write(motion)
    for flag in [isForeign, isHeard, isNear, isBeyondRearm] { writer.write(flag) }
    writer.write(trigger)
  }

  init(reading reader: inout StateReader) throws(StateError) {
    motion = try reader.read()
    isForeign = try reader.read()
    isHeard = try reader.read()
    isNear = try reader.read()
    isBeyondRearm = try reader.read()
    trigger = try reader.read()
  }
}

extension Motion: StateCoded {
  public func write(to writer: inout StateWriter) {
    for number in [start, distance, rate, per] { writer.write(number) }
  }

  public init(reading reader: inout StateReader) throws(StateError) {
    let (start, distance, rate, per): (Int64, Int64, Int64, Int64) = (
      try reader.read(), try reader.read(), try reader.read(), try reader.read()
    )
    self.init(start: start, distance: distance, rate: rate, per: per)
    guard self.start == start, self.distance == distance, self.rate == rate, self.per == per else {
      throw reader.damaged
    }
  }
}

extension Trigger: StateCoded {
  func write(to writer: inout StateWriter) {
    switch self {
    case .armed: writer.write(0 as UInt8)
    case .pending(let crossed, let block):
      writer.write(1 as UInt8)
      writer.write(crossed)
      writer.write(block)
    case .done: writer.write(2 as UInt8)
    }
  }

  init(reading reader: inout StateReader) throws(StateError) {
    switch try reader.read(UInt8.self) {
    case 0: self = .armed
    case 1: self = .pending(crossed: try reader.time(), block: try reader.read())
    case 2: self = .done
    default: throw reader.damaged
    }
  }
}
