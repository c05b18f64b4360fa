/// The outcomes of the near triggers of several approaches under one profile, and their cost.
public struct Tally: Hashable, Sendable {
  /// A phone of the crowd over all its visits: how many triggers it delivered, and how often its app fired when the beacon was
  /// not near.
  public struct PhoneShare: Hashable, Sendable {
    public var delivered = 0
    public var falseTriggers = 0
  }

  public let profile: PhoneProfile
  /// The phone it is about; nil: any phone with this profile.
  public let phone: String?
  public private(set) var approaches = 0
  public private(set) var delivered = 0
  /// Delivered a second or more after the crossing.
  public private(set) var late = 0
  public private(set) var missed: [Reason: Int] = [:]
  /// The longest delay of a delivery.
  public private(set) var worstLateness: Milliseconds = 0
  public private(set) var ranging: Milliseconds = 0
  /// Approaches that never came near, so there was nothing to deliver.
  public private(set) var withoutTrigger = 0
  /// Empty: only the typical phone was followed.
  public private(set) var spread: [PhoneShare] = []
  /// Triggers of one phone of the crowd, over all its visits.
  private var spreadTriggers = 0
  /// How many deliveries of the crowd were this late; in seconds of three digits, so that there are not many.
  private var lateness: [Milliseconds: Int] = [:]
  /// Rules that decided, but were not measured for this phone.
  public private(set) var unmeasured: [Unmeasured] = []
  /// Excess drain, and the span it covers, in milliseconds.
  private var drain = 0.0
  public private(set) var span: Milliseconds = 0

  public init(_ profile: PhoneProfile, phone: String? = nil) {
    self.profile = profile
    self.phone = phone
  }

  /// Near triggers: crossings of the near threshold, or the gateway's near decisions.
  public var triggers: Int { delivered + late + missedCount }
  public var missedCount: Int { missed.values.reduce(0, +) }
  /// The share of triggers that the app saw, late or not; nil if there was none.
  public var share: Double? { triggers > 0 ? Double(delivered + late) / Double(triggers) : nil }
  /// The shares over the phones of the spread; without a spread all three are `share`.
  public var meanShare: Double? {
    let shares = spread.indices.compactMap(share(ofPhone:))
    return shares.isEmpty ? share : shares.reduce(0, +) / Double(shares.count)
  }
  public var worstShare: Double? { spread.indices.compactMap(share(ofPhone:)).min() ?? share }
  public var bestShare: Double? { spread.indices.compactMap(share(ofPhone:)).max() ?? share }
  /// Nine of ten phones of the crowd deliver a share between these; without a crowd nil.
  public var shareInterval: ClosedRange<Double>? {
    let shares = spread.indices.compactMap(share(ofPhone:)).sorted()
    guard !shares.isEmpty else { return nil }
    let beyond = shares.count / 20
    return shares[beyond]...shares[shares.count - 1 - beyond]
  }
  /// Triggers of the crowd that no app saw, as a share; nil: there was no crowd.
  public var neverShare: Double? { spread.isEmpty ? nil : meanShare.map { 1 - $0 } }

  /// How late a share of the crowd's deliveries was at most; nil: there was none.
  public func lateness(of share: Double) -> Milliseconds? {
    let count = lateness.values.reduce(0, +)
    var left = Int((share * Double(count)).rounded(.up))
    for (late, number) in lateness.sorted(by: { $0.key < $1.key }) {
      left -= number
      if left <= 0 { return late }
    }
    return nil
  }

  /// The share of one phone of the spread.
  public func share(ofPhone index: Int) -> Double? {
    spreadTriggers > 0 ? Double(spread[index].delivered) / Double(spreadTriggers) : nil
  }
  /// The most false triggers that any phone of the spread had.
  public var falseTriggers: Int { spread.map(\.falseTriggers).max() ?? 0 }

  /// By count, then by name.
  public var reasons: [(reason: Reason, count: Int)] {
    missed.sorted { ($1.value, $0.key.rawValue) < ($0.value, $1.key.rawValue) }.map { ($0.key, $0.value) }
  }
  /// Drain as a multiple of the drain without ranging.
  public var batteryFactor: Double { span > 0 ? 1 + drain / Double(span) : 1 }

  /// The factor over a longer time, if the phone neither ranges nor locates for the rest of it. So profiles
  /// that were simulated for different times can be compared.
  public func batteryFactor(over longer: Milliseconds) -> Double {
    longer > span ? 1 + drain / Double(longer) : batteryFactor
  }

  /// Adds the result of one approach. `cost`: the simulation whose drain counts, such as the whole day that contains the
  /// approach; nil: the approach itself.
  public mutating func add(_ result: Simulation, cost: Simulation? = nil) {
    approaches += 1
    if result.verdicts.isEmpty { withoutTrigger += 1 }
    for verdict in result.verdicts {
      switch verdict.outcome {
      case .delivered: delivered += 1
      case .deliveredLate: late += 1
      case let reason: missed[reason, default: 0] += 1
      }
      worstLateness = max(worstLateness, verdict.lateness ?? 0)
    }
    ranging += result.totals.ranging
    addCost(of: cost ?? result)
  }

  /// Follows an approach on phones that differ. `truth`: its result on the typical one.
  public mutating func addSpread(
    of approach: Approach, truth: Simulation, draws: Int = PhoneSpread.usualDraws, seed: UInt64 = 1
  ) {
    let crowd = PhoneSpread(of: profile, draws: draws, seed: seed)
    if spread.isEmpty { spread = Array(repeating: PhoneShare(), count: crowd.phones) }
    for phone in spread.indices {
      for answer in crowd.answers(of: phone, to: approach, truth: truth) {
        spread[phone].delivered += answer.lateness.count
        spread[phone].falseTriggers += answer.falseTriggers
        for late in answer.lateness { lateness[Self.rounded(late), default: 0] += 1 }
      }
    }
    spreadTriggers += truth.verdicts.count * crowd.visitsPerPhone
    for rule in truth.unmeasured where !unmeasured.contains(rule) { unmeasured.append(rule) }
  }

  private static func rounded(_ time: Milliseconds) -> Milliseconds {
    var unit: Milliseconds = 100
    while time / unit >= 1000 { unit *= 10 }
    return (time + unit / 2) / unit * unit
  }

  private mutating func addCost(of cost: Simulation) {
    drain += (cost.batteryFactor - 1) * Double(cost.end)
    span += cost.end
  }
}
