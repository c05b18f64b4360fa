/// How many members of regions are known, and how many are taken up a second: anybody can invent them, and each costs memory
/// here and a retained state at the broker. By the advertisements' own time.
///
/// Half the rate is for those who come again after a refusal. So a flood of names that are each heard once cannot keep out
/// one that is really there.
public struct AdmissionLimits: Sendable {
  public static let usualMembers = 100_000
  /// At once, as when a museum is switched on in the morning.
  public static let usualBurst = 10_000
  /// A second, after that.
  public static let usualRate = 100

  let members: Int
  private var newcomers: Allowance
  private var returning: Allowance
  /// Hashes of those refused last, by their lowest bits; empty until somebody was refused.
  private var refused: [UInt64] = []
  private static let refusedPlaces = 4096

  public init(members: Int = usualMembers, burst: Int = usualBurst, perSecond: Int = usualRate) {
    self.members = members
    newcomers = Allowance(burst: burst, perSecond: Double(perSecond) / 2)
    returning = Allowance(burst: perSecond, perSecond: Double(perSecond) / 2)
  }

  /// Goes on from where an earlier one was.
  mutating func adopt(_ earlier: AdmissionLimits) {
    newcomers.adopt(earlier.newcomers)
    returning.adopt(earlier.returning)
  }

  /// Whether one more is admitted; if so it counts.
  ///
  /// - Parameter hash: of its identity.
  mutating func admits(_ hash: UInt64, at time: MonotonicTime) -> Bool {
    if newcomers.take(at: time) { return true }
    if refused.isEmpty { refused = Array(repeating: 0, count: Self.refusedPlaces) }
    let place = Int(truncatingIfNeeded: hash % UInt64(Self.refusedPlaces))
    if refused[place] == hash, returning.take(at: time) { return true }
    refused[place] = hash
    return false
  }

  /// So many at once, and so many a second (generic cell rate algorithm).
  private struct Allowance {
    private let interval: TimeSpan
    private let allowance: TimeSpan
    /// When the burst would be possible again in full.
    private var rested = MonotonicTime(nanoseconds: .min)

    init(burst: Int, perSecond: Double) {
      interval = .seconds(1 / max(perSecond, 0.001))
      allowance = interval * Double(max(1, burst))
    }

    mutating func adopt(_ earlier: Allowance) { rested = earlier.rested }

    mutating func take(at time: MonotonicTime) -> Bool {
      let next = max(rested, time) + interval
      guard next - time <= allowance else { return false }
      rested = next
      return true
    }
  }
}
