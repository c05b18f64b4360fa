import Core

/// Limits for members of regions: how many are known, how many are admitted per second, and how many transitions they cause.
/// Anybody can invent members, and each costs memory and writes here and a retained message at the broker. Time is that of the
/// advertisements.
///
/// Half of the rate is reserved for members that come again after a refusal. So a flood of identities that are heard only once
/// cannot keep out a beacon that is really present.
public struct AdmissionLimits: Sendable {
  public static let usualMembers = 100_000
  /// How many at once, as when a museum is switched on in the morning.
  public static let usualBurst = 10_000
  /// How many per second after that.
  public static let usualRate = 100

  /// How many enters and nears of all of them together, at once and per second after that. It allows both for every member of
  /// the burst above.
  public static let usualTransitionBurst = 20_000
  public static let usualTransitionRate = 200

  let members: Int
  public let transitions: RateLimit
  private var newcomers: RateLimit
  private var returning: RateLimit
  /// Hashes of the most recently refused members, indexed by their lowest bits; empty until one is refused.
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

  /// Continues from an earlier state.
  mutating func adopt(_ earlier: AdmissionLimits) {
    newcomers.adopt(earlier.newcomers)
    returning.adopt(earlier.returning)
  }

  /// Whether one more member is admitted; if so, it counts.
  ///
  /// - Parameter hash: the hash of its identity.
  mutating func admits(_ hash: UInt64, at time: MonotonicTime) -> Bool {
    if newcomers.take(at: time) { return true }
    if refused.isEmpty { refused = Array(repeating: 0, count: Self.refusedPlaces) }
    let place = Int(truncatingIfNeeded: hash % UInt64(Self.refusedPlaces))
    if refused[place] == hash, returning.take(at: time) { return true }
    refused[place] = hash
    return false
  }
}

extension AdmissionLimits: StateFields {
  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("newcomers", &newcomers)
    try coder("returning", &returning)
    try coder("refused", &refused)
    try coder.check(refused.isEmpty || refused.count == Self.refusedPlaces)
  }

  /// The values that a snapshot depends on.
  public func describe(to coder: inout StateCoder) {
    coder.write(members)
    for limit in [transitions, newcomers, returning] {
      coder.write(limit.burst)
      coder.write(limit.interval)
    }
  }
}
