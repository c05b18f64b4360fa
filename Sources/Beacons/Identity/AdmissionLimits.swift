/// How many members of regions are known, how many are taken up a second, and how many transitions they bring about: anybody can
/// invent them, and each costs memory and writes here and a retained state at the broker. By the advertisements' own time.
///
/// Half the rate is for those who come again after a refusal. So a flood of names that are each heard once cannot keep out
/// one that is really there.
public struct AdmissionLimits: Sendable {
  public static let usualMembers = 100_000
  /// At once, as when a museum is switched on in the morning.
  public static let usualBurst = 10_000
  /// A second, after that.
  public static let usualRate = 100

  /// Enter and near of all of them together, at once and a second after that; everybody of the burst above may do both.
  public static let usualTransitionBurst = 20_000
  public static let usualTransitionRate = 200

  let members: Int
  public let transitions: RateLimit
  private var newcomers: RateLimit
  private var returning: RateLimit
  /// Hashes of those refused last, by their lowest bits; empty until somebody was refused.
  private var refused: [UInt64] = []
  private static let refusedPlaces = 4096

  public init(
    members: Int = usualMembers, burst: Int = usualBurst, perSecond: Int = usualRate,
    transitions: RateLimit = RateLimit(burst: usualTransitionBurst, perSecond: Double(usualTransitionRate))
  ) {
    self.transitions = transitions
    self.members = members
    newcomers = RateLimit(burst: burst, perSecond: Double(perSecond) / 2)
    returning = RateLimit(burst: perSecond, perSecond: Double(perSecond) / 2)
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
}
