/// A crowd of phones with the same system and the same app, that differ as phones in the field do: in what they hear, how far off
/// their RSSI is, when they notice, and where in its schedule the app is. No single favourable phone decides a comparison (S0:
/// "varies by device").
///
/// A phone has its own hearing for good. Its latencies and phase differ from visit to visit. All follow from the seed: the same
/// seed, the same crowd. Draws are spread evenly over each rule (a Latin hypercube), so that a few hundred are enough.
public struct PhoneSpread: Sendable {
  /// One visit of one phone.
  struct Draw {
    var profile: PhoneProfile
    /// The app believes the beacon this many times as far away as it is.
    var distanceFactor = 1.0
    var phase = 0.5

    /// The near distance at which this phone's app fires; the crossing that a person would see stays the same.
    func near(_ rule: NearDistances) -> NearDistances {
      guard let near = rule.near, distanceFactor != 1 else { return rule }
      let scaled = Micrometres((Double(near) / distanceFactor).rounded())
      let beyond = Micrometres((Double(rule.rearm) / distanceFactor).rounded())
      return NearDistances(near: scaled, rearm: beyond)
    }
  }

  public static let usualDraws = 200
  private static let visits = 10

  let profile: PhoneProfile
  public let phones: Int
  let visitsPerPhone: Int
  private let measured: [(place: Int, measured: Measured)]
  /// Evenly spaced shares from 0 to 1 in random order. Each phone has one for hearing, deafness, distance and each measured rule;
  /// each visit has one for phase, entry and each measured rule.
  private let ofPhones: [[Double]]
  private let ofVisits: [[Double]]

  public init(of profile: PhoneProfile, draws: Int = usualDraws, seed: UInt64 = 1) {
    self.profile = profile
    visitsPerPhone = min(max(draws, 1), Self.visits)
    phones = max(draws / visitsPerPhone, 1)
    measured = profile.measured.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    var random = SplitMix(state: seed)
    func columns(_ count: Int, _ rows: Int) -> [[Double]] {
      (0..<count).map { _ in (0..<rows).map { (Double($0) + 0.5) / Double(rows) }.shuffled(using: &random) }
    }
    ofPhones = columns(3 + measured.count, phones)
    ofVisits = columns(2 + measured.count, phones * visitsPerPhone)
  }

  func draw(phone: Int, visit: Int) -> Draw {
    var draw = Draw(profile: profile)
    let index = phone * visitsPerPhone + visit
    let strategy = profile.strategy
    let hearing = ofPhones[0][phone]
    let (least, usual, most) = (
      strategy[.heardDistanceLeast], strategy[.heardDistance], strategy[.heardDistanceMost]
    )
    let heard =
      hearing < 0.5
      ? Double(least) + 2 * hearing * Double(usual - least)
      : Double(usual) + (2 * hearing - 1) * Double(most - usual)
    draw.profile.strategy[.heardDistance] = Micrometres(heard)
    // Such a phone does not hear the beacon even at 0 m. One phone in seven is an estimate.
    if strategy[.mayNotHear], ofPhones[1][phone] < 1.0 / 7 { draw.profile.strategy[.heardDistance] = -1 }
    let spread = max(1, strategy[.nearSpread])
    let side = 2 * ofPhones[2][phone] - 1
    draw.distanceFactor = side < 0 ? 1 / (1 - side * (spread - 1)) : 1 + side * (spread - 1)
    draw.phase = ofVisits[0][index]
    drawLateEntry(into: &draw, index)
    for (column, (place, measured)) in measured.enumerated() {
      let (rule, share) = (PhoneProfile.rules[place], ofVisits[2 + column][index])
      let isElsewhere = profile.isOlder(measured)
      let never = measured.neverShare(of: ofPhones[3 + column][phone], isElsewhere: isElsewhere)
      let isNever = share >= 1 - never
      let part = never < 1 ? min(share / (1 - never), 1) : 1
      var value = Int64(measured.value(at: part, isElsewhere: isElsewhere).rounded())
      switch rule.kind {
      case .count(let range): value = min(max(value, range.lowerBound), range.upperBound)
      case .duration(let least): value = max(value, least)
      default: break
      }
      draw.profile[place: place].value = isNever ? Measured.never(of: rule) : .number(value)
    }
    return draw
  }

  /// If the entry latency was not measured, draws up to the latency of the slowest phones.
  private func drawLateEntry(into draw: inout Draw, _ index: Int) {
    let place = NumberRule.entryLatency.place
    if case .user = profile[place: place].source { return }
    guard profile.measured[place] == nil else { return }
    let (usual, most) = (profile.os[.entryLatency], profile.os[.entryLatencyMost])
    let slowness = max(0, 2 * ofVisits[1][index] - 1)
    draw.profile.os[.entryLatency] = usual + Milliseconds(slowness * Double(max(0, most - usual)))
    if let hit = profile.strategy[.hitLatency] {
      draw.profile.strategy[.hitLatency] = hit + Milliseconds(slowness * Double(most))
    }
  }

  /// What one phone did with the near triggers of an approach.
  struct Answer: Hashable, Sendable {
    /// How late each delivery was.
    var lateness: [Milliseconds] = []
    /// Times that its app fired though the beacon was not near, or once more for the same near.
    var falseTriggers = 0
  }

  /// The answers of a phone's visits. `truth`: the approach on the typical phone, whose crossings a person would see.
  func answers(of phone: Int, to approach: Approach, truth: Simulation) -> [Answer] {
    (0..<visitsPerPhone).map { visit in
      let draw = draw(phone: phone, visit: visit)
      let result = Simulation(
        draw.profile, near: draw.near(approach.near), timeline: approach.timeline, keepsHistory: false,
        phase: draw.phase)
      return Self.answer(result.verdicts, truth.verdicts, believesNearer: draw.distanceFactor < 1)
    }
  }

  /// A phone that estimates too short a distance crosses the threshold before the true crossing; every other phone crosses with
  /// it or after it.
  private static func answer(_ own: [Verdict], _ truth: [Verdict], believesNearer: Bool) -> Answer {
    var answer = Answer()
    for (beacon, verdicts) in Dictionary(grouping: own, by: \.beacon) {
      let crossings = truth.filter { $0.beacon == beacon }.map(\.crossed)
      var last: Int?
      for (index, verdict) in verdicts.enumerated() {
        guard let delivered = verdict.delivered else { continue }
        let place: Int?
        if believesNearer {
          let next = index + 1 < verdicts.count ? verdicts[index + 1].crossed : .max
          place = crossings.firstIndex { verdict.crossed <= $0 && $0 < next }
        } else {
          place = crossings.lastIndex { $0 <= verdict.crossed }
        }
        if let place, place != last {
          answer.lateness.append(max(0, delivered - crossings[place]))
          last = place
        } else {
          answer.falseTriggers += 1
        }
      }
    }
    return answer
  }
}

/// A generator by Steele, Lea and Flood (2014) that needs no more than a seed.
private struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }
}
