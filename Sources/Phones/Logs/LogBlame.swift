/// A log beside a profile, in step again after each divergence: what follows from an earlier one is counted there, and what does
/// not is a divergence of its own.
public struct LogBlame: Sendable {
  /// A divergence, and what it explains.
  public struct Cause: Sendable {
    public var divergence: Divergence
    /// The constants that the log gives other values, which the phone has from here on.
    public var corrected: [LogFit.Row]
    /// Divergences that are gone with them, or with the log's own region events.
    public var followers: Int
  }

  /// As the profile predicts.
  public let comparison: LogComparison
  /// By time.
  public private(set) var causes: [Cause] = []

  /// Further ones stand for themselves.
  private static let limit = 8

  /// - Parameters: those of `LogComparison`.
  public init(
    _ log: SeenLog, with profile: PhoneProfile, near: NearDistances, truth: Timeline? = nil,
    tolerance: Milliseconds = 1000
  ) throws(LogComparison.Obstacle) {
    comparison = try LogComparison(log, with: profile, near: near, truth: truth, tolerance: tolerance)
    var rest = comparison.divergences
    var profile = profile
    var followsRegion = false
    for _ in 0..<Self.limit {
      guard let first = rest.first else { break }
      let corrected = Self.corrections(first, log, comparison, profile)
      let isRegion = first.kind == .region && !followsRegion
      guard !corrected.isEmpty || isRegion else { break }
      let before = (profile, followsRegion)
      for row in corrected {
        profile.set(row.rule, to: .number(row.rounded), source: "seen in the log", confidence: .low)
      }
      // Every region event is compared before the log's own count.
      let regions = isRegion ? rest.filter { $0.kind == .region } : [first]
      followsRegion = followsRegion || isRegion
      let next = try LogComparison(
        log, with: profile, near: near, truth: truth, tolerance: tolerance, followsRegion: followsRegion
      ).divergences
      let gone = rest.count - regions.count - next.count { !regions.contains($0) }
      if !isRegion, gone <= 0 {
        // Other constants explain nothing further: the phone stays as it was.
        (profile, followsRegion) = before
        causes.append(Cause(divergence: first, corrected: [], followers: 0))
        rest.removeFirst()
        continue
      }
      for divergence in regions {
        causes.append(
          Cause(
            divergence: divergence, corrected: corrected,
            followers: divergence == regions[0] ? max(0, gone) : 0))
      }
      rest = next.filter { !regions.contains($0) }
    }
    causes += rest.map { Cause(divergence: $0, corrected: [], followers: 0) }
    causes = causes.enumerated().sorted {
      ($0.element.divergence.time, $0.offset) < ($1.element.divergence.time, $1.offset)
    }.map(\.element)
  }

  /// Whether a constant can be what the log says.
  private static func isPossible(_ row: LogFit.Row) -> Bool {
    guard case .duration(let least)? = PhoneProfile.rules.first(where: { $0.name == row.rule })?.kind
    else { return true }
    return row.rounded >= least
  }

  /// What the log says of the constants that a divergence hangs on, where it says something else than the profile.
  private static func corrections(
    _ divergence: Divergence, _ log: SeenLog, _ comparison: LogComparison, _ profile: PhoneProfile
  ) -> [LogFit.Row] {
    // A late region event is one of its visit: the log's own time counts, and no constant is corrected.
    if divergence.kind == .region { return [] }
    var fit = LogFit()
    fit.add(log, comparison)
    return fit.rows.filter { row in
      divergence.constants.contains(row.rule) && isPossible(row)
        && profile.told(row.rule).map {
          Amount.duration($0.value).map { abs($0 - row.rounded) > 100 } ?? false
        } ?? false
    }
  }
}
