/// How phones differ from each other with the same system and the same app: what they hear, how far off their RSSI is, and how
/// late they notice. No single favourable phone should decide a comparison (S0: "varies by device").
public struct PhoneSpread: Sendable {
  public struct Phone: Sendable {
    /// What sets it apart, such as `hears least`.
    public var name: String
    public var profile: PhoneProfile
    /// The app believes the beacon this many times as far away as it is.
    public var distanceFactor: Double = 1

    /// The near distance at which this phone's app fires; the crossing that a person would see stays the same.
    func near(_ rule: NearDistances) -> NearDistances {
      guard let near = rule.near, distanceFactor != 1 else { return rule }
      let scaled = Micrometres((Double(near) / distanceFactor).rounded())
      let beyond = Micrometres((Double(rule.rearm) / distanceFactor).rounded())
      return NearDistances(near: scaled, rearm: beyond)
    }
  }

  public let phones: [Phone]

  public init(of profile: PhoneProfile) {
    var phones: [Phone] = []
    func add(_ name: String, factor: Double = 1, _ change: (inout PhoneProfile) -> Void = { _ in }) {
      var changed = profile
      change(&changed)
      phones.append(Phone(name: name, profile: changed, distanceFactor: factor))
    }
    let strategy = profile.strategy
    let spread = max(1, strategy[.nearSpread])
    add("typical")
    add("hears least") { $0.strategy[.heardDistance] = strategy[.heardDistanceLeast] }
    add("hears most") { $0.strategy[.heardDistance] = strategy[.heardDistanceMost] }
    add("believes it farther", factor: spread)
    add("believes it nearer", factor: 1 / spread)
    add("notices late") { phone in
      let latency = profile.os[.entryLatencyMost]
      phone.os[.entryLatency] = max(phone.os[.entryLatency], latency)
      phone.strategy[.hitLatency] = strategy[.hitLatency].map { $0 + latency }
    }
    // Not even at 0 m.
    if strategy[.mayNotHear] { add("does not hear it") { $0.strategy[.heardDistance] = -1 } }
    self.phones = phones
  }

  /// What one phone did with the near triggers of an approach.
  struct Answer: Hashable, Sendable {
    var delivered = 0
    /// Times that its app fired though the beacon was not near, or once more for the same near.
    var falseTriggers = 0
  }

  /// The answers in the order of `phones`. `truth`: the approach on the typical phone, whose crossings a person would see.
  func answers(to approach: Approach, truth: Simulation) -> [Answer] {
    phones.map { phone in
      let result = Simulation(
        phone.profile, near: phone.near(approach.near), timeline: approach.timeline, keepsHistory: false)
      return Self.answer(result.verdicts, truth.verdicts, believesNearer: phone.distanceFactor < 1)
    }
  }

  /// A phone that believes a beacon nearer crosses before the truth does, every other phone with it or after it.
  private static func answer(_ own: [Verdict], _ truth: [Verdict], believesNearer: Bool) -> Answer {
    var answer = Answer()
    for (beacon, verdicts) in Dictionary(grouping: own, by: \.beacon) {
      let crossings = truth.filter { $0.beacon == beacon }.map(\.crossed)
      var last: Int?
      for (index, verdict) in verdicts.enumerated() where verdict.outcome.isDelivered {
        let place: Int?
        if believesNearer {
          let next = index + 1 < verdicts.count ? verdicts[index + 1].crossed : .max
          place = crossings.firstIndex { verdict.crossed <= $0 && $0 < next }
        } else {
          place = crossings.lastIndex { $0 <= verdict.crossed }
        }
        if let place, place != last {
          answer.delivered += 1
          last = place
        } else {
          answer.falseTriggers += 1
        }
      }
    }
    return answer
  }
}
