/// A distance that changes at a constant rate: one leg of a walk. Crossings are exact, in whole milliseconds.
public struct Motion: Hashable, Sendable {
  public var start: Milliseconds
  public var distance: Micrometres
  /// By how many micrometres the distance grows in `per` milliseconds; negative while the phone comes nearer.
  public var rate: Int64
  /// At least 1.
  public var per: Milliseconds

  /// Beyond the range of any beacon. Larger distances are cut to this.
  static let farthest = Micrometres.metres(1_000_000)

  public init(start: Milliseconds, distance: Micrometres, rate: Int64 = 0, per: Milliseconds = 1) {
    self.start = min(max(start, -PhoneEngine.latest), PhoneEngine.latest)
    self.distance = min(max(distance, 0), Self.farthest)
    self.rate = min(max(rate, -Self.farthest), Self.farthest)
    self.per = min(max(per, 1), 1 << 50)
  }

  /// The motion between two waypoints.
  public init(from: (Milliseconds, Micrometres), to: (Milliseconds, Micrometres)) {
    let start = min(max(from.1, 0), Self.farthest)
    let end = min(max(to.1, 0), Self.farthest)
    self.init(
      start: from.0, distance: start, rate: end - start,
      per: to.0.subtractingReportingOverflow(from.0).partialValue)
  }

  /// The distance in metres at a time, at least 0.
  public func metres(at time: Milliseconds) -> Double {
    let moved = Double(rate) * Double(time - start) / Double(per)
    return max(0, (Double(distance) + moved) / 1e6)
  }

  /// Whether the distance is at most `threshold`, computed without rounding.
  func isWithin(_ threshold: Micrometres, at time: Milliseconds) -> Bool {
    Int128(rate) * Int128(time - start) <= Int128(threshold - distance) * Int128(per)
  }

  /// The first time from `now` on at which `isWithin` equals `wanted`; `.never` if there is none on this leg.
  func first(
    from now: Milliseconds, within threshold: Micrometres, is wanted: Bool
  ) -> Milliseconds {
    if isWithin(threshold, at: now) == wanted { return now }
    guard wanted ? rate < 0 : rate > 0 else { return .never }
    let gap = Int128(threshold - distance) * Int128(per)
    let steps: Int128
    if wanted {
      let numerator = -gap
      let denominator = -Int128(rate)
      steps = (numerator + denominator - 1) / denominator
    } else {
      steps = gap / Int128(rate) + 1
    }
    let time = Int128(start) + steps
    return time >= Int128(Milliseconds.never) ? .never : Milliseconds(time)
  }
}
