import Beacons
import Core

/// One beacon as an app sees it: how far away it is, and whether its near trigger waits.
struct BeaconView: Hashable, Sendable {
  /// The largest number of beacons in a timeline, because each costs time at every step.
  static let limit = 100

  var motion: Motion?
  /// The app's regions that the beacon belongs to.
  var regions = RegionMask.first
  /// The beacon belongs to no region of the app, so it is never heard.
  var isForeign: Bool { regions.isEmpty }
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
  /// Whether any beacon of the app's regions is heard.
  var isHeard: Bool { beacons.contains(where: \.isHeard) }

  /// Sets which of the app's regions, from 0, a beacon belongs to. Call it before the beacon's first motion. The app never sees a
  /// beacon that belongs to none.
  public mutating func place(_ index: Int, in regions: [Int]) {
    guard addBeacon(index) else { return }
    beacons[index].regions = RegionMask(regions)
    let count = min((regions.max() ?? 0) + 1, RegionMask.limit)
    while region.regions.count < count { region.regions.append(MonitoredRegion()) }
  }

  mutating func setMotion(_ motion: Motion?, of index: Int) {
    guard addBeacon(index) else { return }
    if !beacons[index].isForeign { isDistanceKnown = true }
    beacons[index].move(motion, heard: rules[.heardDistance], near: near, at: now)
  }

  /// Whether there is room for a beacon of this index.
  private mutating func addBeacon(_ index: Int) -> Bool {
    guard (0..<BeaconView.limit).contains(index) else { return false }
    while beacons.count <= index { beacons.append(BeaconView()) }
    return true
  }
}

/// The times at which the beacon crosses thresholds are not written: `PhoneEngine.restore` computes them again.
extension BeaconView: StateElement {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("motion", &motion)
    try coder("regions", &regions)
    try coder("is_heard", &isHeard)
    try coder("is_near", &isNear)
    try coder("is_beyond_rearm", &isBeyondRearm)
    try coder("trigger", &trigger)
  }
}

extension Motion: StateCoded {
  public func write(to coder: inout StateCoder) {
    for number in [start, distance, rate, per] { coder.write(number) }
  }

  public init(reading coder: inout StateCoder) throws(StateError) {
    let (start, distance, rate, per): (Int64, Int64, Int64, Int64) = (
      try coder.read(), try coder.read(), try coder.read(), try coder.read()
    )
    self.init(start: start, distance: distance, rate: rate, per: per)
    guard self.start == start, self.distance == distance, self.rate == rate, self.per == per else {
      throw coder.damaged
    }
  }
}

extension Trigger: StateCoded {
  func write(to coder: inout StateCoder) {
    switch self {
    case .armed: coder.write(0 as UInt8)
    case .pending(let crossed, let block):
      coder.write(1 as UInt8)
      coder.write(crossed)
      coder.write(block)
    case .done: coder.write(2 as UInt8)
    }
  }

  init(reading coder: inout StateCoder) throws(StateError) {
    switch try coder.read(UInt8.self) {
    case 0: self = .armed
    case 1:
      var crossed: Milliseconds = 0
      try coder(time: "crossed", &crossed)
      self = .pending(crossed: crossed, block: try coder.read())
    case 2: self = .done
    default: throw coder.damaged
    }
  }
}
