import Beacons
import Core
import Glibc

/// A zone's rules in precomputed form. Every sighting needs `lines` and `dwells`.
struct ZoneRules: Sendable {
  /// The receivers of the zone; nil: all.
  let receivers: Set<ReceiverIndex>?
  var near: Boundary?
  var enter: Boundary
  var exit: Boundary
  var lines: Lines
  var dwells: Dwells
  /// nil: learnt.
  var lost: TimeSpan?
  /// nil: thresholds decide.
  let rooms: Set<RoomIndex>?
  /// Whether all receivers, or all rooms, of the zone are blind.
  var isBlind = false

  init(_ zone: Zone) {
    receivers = zone.receivers
    rooms = zone.rooms
    near = zone.near.map { Boundary($0.rule.threshold) }
    enter = Boundary(zone.enter.threshold)
    exit = Boundary(zone.exit.threshold)
    lines = Lines(
      near: near?.line ?? .none, enter: enter.line, rearm: zone.near.map { Boundary($0.rearm).line } ?? .none,
      exit: exit.line)
    dwells = Dwells(
      near: zone.near.map { max(.zero, $0.rule.dwell) } ?? Dwells.endless,
      enter: max(.zero, zone.enter.dwell),
      exit: max(.zero, zone.exit.dwell))
    switch zone.lost {
    case .auto: lost = nil
    case .after(let span): lost = max(.zero, span)
    }
  }

  /// Whether the zone keeps its members because it is blind. In a zone of rooms that depends on the beacon's room; see
  /// `ZoneEngine.setRoomSight`.
  var isFrozen: Bool { isBlind && rooms == nil }

  /// Whether the receiver counts in this zone.
  func counts(_ receiver: ReceiverIndex) -> Bool { receivers?.contains(receiver) ?? (rooms == nil) }

  /// The standing of a beacon; nil if unknown.
  @inline(__always) func standing(of nearest: Nearest) -> Standing? {
    if nearest.isKnown { return lines.standing(of: nearest) }
    return lines.entersByAnySignal ? .entered : nil
  }
}

/// How long each of a zone's thresholds must be met.
struct Dwells: Sendable {
  /// Larger than the difference of any two times.
  static let endless = TimeSpan(nanoseconds: .max)

  var near: TimeSpan
  var enter: TimeSpan
  var exit: TimeSpan
}

/// The rules for judging sightings. They are stored apart from the beacons, so that a beacon can be changed while they are read.
struct SiteRules: Sendable {
  /// By `ZoneIndex`.
  var zones: [ZoneRules]
  /// By `ReceiverIndex`, up to the largest index in use.
  var receivers: [Receiver] = []
  /// Whether enough receivers have a known position for a joint estimate.
  let isLocating: Bool
}

/// A zone's thresholds as lines: near, enter, rearm and exit, in the order of the bits of a `Standing`. All are compared at once
/// without branches, because noisy signals defeat branch prediction.
struct Lines: Sendable {
  private let values: SIMD4<Float>
  private let areDistances: SIMDMask<SIMD4<Int32>>
  /// See `Line.isAnySignal`.
  let entersByAnySignal: Bool

  init(near: Line, enter: Line, rearm: Line, exit: Line) {
    values = SIMD4(near.value, enter.value, rearm.value, exit.value)
    areDistances = SIMDMask([near.isDistance, enter.isDistance, rearm.isDistance, exit.isDistance])
    entersByAnySignal = enter.isAnySignal
  }

  @inline(__always) func standing(of nearest: Nearest) -> Standing {
    // A distance must be beyond the line by its margin. Signals have no margin.
    let distance = nearest.logDistance + nearest.margin * SIMD4(1, 1, -1, -1)
    let place = SIMD4(repeating: -nearest.level).replacing(with: distance, where: areDistances)
    // A value on the line counts for both sides.
    let near = SIMD4<Int32>.zero.replacing(with: SIMD4(1, 2, 0, 0), where: place .<= values)
    let far = SIMD4<Int32>.zero.replacing(with: SIMD4(0, 0, 4, 8), where: place .>= values)
    return Standing(rawValue: UInt8(truncatingIfNeeded: (near | far).wrappedSum()))
  }
}

/// The thresholds that a beacon is within or beyond.
struct Standing: OptionSet, Sendable {
  let rawValue: UInt8
  static let near = Standing(rawValue: 1)
  static let entered = Standing(rawValue: 2)
  static let rearmed = Standing(rawValue: 4)
  static let away = Standing(rawValue: 8)
}

/// A threshold as configured, and as a line.
struct Boundary: Sendable {
  let threshold: Threshold
  let line: Line

  init(_ threshold: Threshold) {
    self.threshold = threshold
    switch threshold {
    case .distance(let metres): line = Line(isDistance: true, value: Float(log10(max(metres, 1e-3))))
    case .signal(let level): line = Line(isDistance: false, value: -Float(level))
    }
  }

  var isDistance: Bool { line.isDistance }
}

/// A threshold in the engine's unit: log10 of metres, or negated dBm. Farther is larger.
struct Line: Sendable {
  let isDistance: Bool
  let value: Float

  /// A line that is never crossed: comparisons with NaN are false.
  static let none = Line(isDistance: false, value: .nan)

  /// Whether any reception is enough, even without a signal. −127 dBm is the weakest that a radio reports.
  var isAnySignal: Bool { !isDistance && value >= 127 }
}

/// A receiver in the engine, with precomputed calibration.
struct Receiver: Sendable {
  let calibration: Calibration
  /// Decades of distance per dB: 1 / (10 · exponent).
  let decadesPerDecibel: Float
  private let ownPower: Float?
  private let offset: Float
  /// See `ReceiverSight.State.doubted`.
  var isDoubted = false

  /// Valid path-loss exponents. Real receivers are within this range, and it keeps the model invertible.
  private static let exponents = 0.5...10.0

  init(_ calibration: Calibration) {
    var calibration = calibration
    calibration.exponent = min(
      max(calibration.exponent, Self.exponents.lowerBound), Self.exponents.upperBound)
    calibration.deviation = max(calibration.deviation, 0.5)
    self.calibration = calibration
    decadesPerDecibel = Float(1 / (10 * calibration.exponent))
    ownPower = calibration.measuredPower.map { Float($0) }
    offset = Float(calibration.offset)
  }

  /// RSSI at 1 m in dBm: from the receiver's calibration, else from the beacon's configuration, else from the frame if plausible,
  /// else the default.
  @inline(__always) func power(frame: Int8?, configured: Float?) -> Float {
    let stated = frame.flatMap { (-120...20).contains($0) ? Float($0) : nil }
    return (ownPower ?? configured ?? stated ?? Float(Calibration.defaultMeasuredPower)) + offset
  }
}

/// The smallest distance and the strongest signal of a beacon now, over all receivers of a zone. They may come from different
/// receivers.
struct Nearest {
  var logDistance = Float.infinity
  /// How far `logDistance` must be beyond a threshold to count as beyond it.
  var margin: Float = 0
  var level = -Float.infinity
  /// Indices of links in the beacon's record; −1: none.
  var nearestLink = -1
  var strongestLink = -1

  init() {}

  /// Finds the best values over the selected links that currently hear the beacon.
  ///
  /// - Parameters:
  ///   - mask: a bit for each link that counts.
  ///   - lost: maximum age of a receiver's value; nil: learnt from the beacon's interval.
  @inline(__always) init(of links: Span<Link>, _ mask: UInt64, lost: TimeSpan?, at time: MonotonicTime) {
    var count: Float = 0
    for link in links.indices.reversed() where mask & (1 << UInt64(link)) != 0 {
      guard links[link].isCurrent else { continue }
      if let lost, links[link].lastHeard + lost < time { continue }
      count += 1
      guard links[link].filter.hasLevel else { continue }
      consider(
        logDistance: links[link].logDistance, margin: links[link].margin, level: links[link].filter.level,
        at: link)
    }
    // Each further receiver makes the distance more certain. A joint position already accounts for that.
    if count > 1, isKnown, !links[nearestLink].isLocated { margin /= count }
  }

  var isKnown: Bool { nearestLink >= 0 }

  /// Compares one receiver's values with the best so far.
  @inline(__always) mutating func consider(logDistance: Float, margin: Float, level: Float, at link: Int) {
    if logDistance < self.logDistance {
      self.logDistance = logDistance
      self.margin = margin
      nearestLink = link
    }
    if level > self.level {
      self.level = level
      strongestLink = link
    }
  }
}
