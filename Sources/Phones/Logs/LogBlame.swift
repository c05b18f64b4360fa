/// Compares a log with a profile, and corrects the profile after each divergence. Divergences that then disappear were
/// consequences, and are counted with their cause. Those that remain are separate.
public struct LogBlame: Sendable {
  /// A divergence, and how many others it explains.
  public struct Cause: Sendable {
    public var divergence: Divergence
    /// Constants to which the log gives other values. From here on the phone has these.
    public var corrected: [LogFit.Row]
    /// How many divergences disappear with these values, or with the log's own region events.
    public var followers: Int
  }

  /// The comparison without corrections.
  public let comparison: LogComparison
  /// By time.
  public private(set) var causes: [Cause] = []

  /// After this many corrections, each further divergence is its own cause.
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
      // All region events are reported first; after that the log's own region events count.
      let regions = isRegion ? rest.filter { $0.kind == .region } : [first]
      followsRegion = followsRegion || isRegion
      let next = try LogComparison(
        log, with: profile, near: near, truth: truth, tolerance: tolerance, followsRegion: followsRegion
      ).divergences
      let gone = rest.count - regions.count - next.count { !regions.contains($0) }
      if !isRegion, gone <= 0 {
        // The corrected constants explain no other divergence, so the phone keeps the previous ones.
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

  /// Whether a constant can have the value that the log suggests.
  private static func isPossible(_ row: LogFit.Row) -> Bool {
    guard case .duration(let least)? = PhoneProfile.rules.first(where: { $0.name == row.rule })?.kind
    else { return true }
    return row.rounded >= least
  }

  /// The log's values for the constants that a divergence depends on, where they differ from the profile's.
  private static func corrections(
    _ divergence: Divergence, _ log: SeenLog, _ comparison: LogComparison, _ profile: PhoneProfile
  ) -> [LogFit.Row] {
    // A late region event says nothing about other visits: the log's own time counts, and no constant is corrected.
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
