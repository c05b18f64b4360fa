/// Which choice serves an installation's visitors best, and what is worse with the others.
public struct InstallationDesign: Sendable {
  /// The outcomes of the visits to places, over all walks and phones. A phone counts by how common it is.
  public struct Tally: Hashable, Sendable {
    /// The app fired while the visitor was near the place, or within half the spacing.
    public var right = 0
    /// The app fired while the visitor was farther away, for example at the neighbouring place.
    public var early = 0
    /// The app fired at the right place, but later after the visitor's stop than is allowed.
    public var late = 0
    /// By the reason why the app did not fire at all; nil: the phone never believed itself near the place.
    public var missed: [Reason?: Int] = [:]
    /// The longest time from the visitor's stop to the trigger.
    public var latest: Milliseconds = 0
    /// The smallest share that is right on any of the phones.
    public var worst = 1.0
    /// The same on the typical phone.
    public var typical = 0.0

    public var visits: Int { right + early + late + missed.values.reduce(0, +) }
    public var rightShare: Double { share(right) }
    public var earlyShare: Double { share(early) }
    public var missedShare: Double { share(visits - right - early - late) }
    public var lateShare: Double { share(late) }
    /// Each wrong trigger cancels a right one. An app that never fires right is worse than any app that does.
    var score: Double { right > 0 ? rightShare - earlyShare : -1 }

    /// Drain during the visits, as a multiple of a phone that does not range.
    public var battery: Double { span > 0 ? 1 + drain / span : 1 }
    fileprivate var drain = 0.0
    fileprivate var span = 0.0

    fileprivate mutating func add(_ other: Tally, weight: Int) {
      right += weight * other.right
      early += weight * other.early
      late += weight * other.late
      for (reason, count) in other.missed { missed[reason, default: 0] += weight * count }
      latest = max(latest, other.latest)
      drain += Double(weight) * other.drain
      span += Double(weight) * other.span
    }

    private func share(_ count: Int) -> Double { visits > 0 ? Double(count) / Double(visits) : 0 }
  }

  /// A system and strategy under a choice.
  public struct Answer: Sendable {
    public var profile: PhoneProfile
    public var tally: Tally
    /// The typical phone's drain on a day with one visit; nil: not requested.
    public var dayBattery: Double? = nil
  }

  /// A choice with the best strategy of each system.
  public struct Option: Sendable {
    public var choice: InstallationChoice
    public var answers: [Answer]

    public var right: Double { mean(\.rightShare) }
    public var early: Double { mean(\.earlyShare) }
    public var late: Double { mean(\.lateShare) }
    public var missed: Double { mean(\.missedShare) }
    public var typical: Double { mean(\.typical) }
    public var worst: Double { answers.map(\.tally.worst).min() ?? 0 }
    public var latest: Milliseconds { answers.map(\.tally.latest).max() ?? 0 }
    var score: Double { mean(\.score) }

    private func mean(_ share: (Tally) -> Double) -> Double {
      answers.isEmpty ? 0 : answers.map { share($0.tally) }.reduce(0, +) / Double(answers.count)
    }
  }

  public let installation: Installation
  /// Micrometres per second.
  public let speeds: [Micrometres]
  /// Best first.
  public let options: [Option]
  /// Every strategy under the best choice, by system, the best of each first.
  public let strategies: [Answer]
  /// The best choice with one thing changed.
  public let changes: [Option]
  /// The best choice at wider spacings, each with the strategies and the near distance that are best there.
  public let spacings: [(spacing: Micrometres, option: Option)]

  public static let powers = [-20, -12, -4, 4]
  public static let intervals: [Milliseconds] = [100, 300, 1000]
  public static let dwells: [Milliseconds] = [0, 2000, 5000]

  /// `powers` and `intervals`: those to choose from; not empty, as `profiles` and `speeds`.
  public init(
    _ installation: Installation, speeds: [Micrometres], profiles: [PhoneProfile],
    powers: [Int] = Self.powers, intervals: [Milliseconds] = Self.intervals
  ) {
    self.installation = installation
    self.speeds = speeds
    let trial = InstallationTrial(installation, speeds: speeds)
    // By choice, then by dwell.
    var known: [InstallationChoice: [[Answer]]] = [:]
    func answers(_ choice: InstallationChoice) -> [Answer] {
      let dwell = Self.dwells.firstIndex(of: choice.dwell) ?? 0
      // Intervals that lose equally many callbacks have the same result.
      var like = choice
      like.dwell = 0
      like.interval =
        choice.interval > 1000
        ? choice.interval
        : intervals.first { choice.with(interval: $0).emptyTicks == choice.emptyTicks } ?? 0
      if let found = known[like] { return found[dwell] }
      let tallies = profiles.map { trial.tallies(choice, $0, dwells: Self.dwells) }
      let found = Self.dwells.indices.map { place in
        zip(profiles, tallies).map { Answer(profile: $0, tally: $1[place]) }
      }
      known[like] = found
      return found[dwell]
    }
    func option(_ choice: InstallationChoice) -> Option {
      Option(choice: choice, answers: Self.best(answers(choice)))
    }
    let nears = Self.nears(of: installation)
    let layouts = installation.places > 1 ? [true, false] : [false]
    var all: [Option] = []
    for power in powers {
      for interval in intervals {
        for layout in layouts {
          for near in nears {
            var choice = InstallationChoice(
              power: power, interval: interval, hasRegionOfEach: layout, near: near)
            for dwell in Self.dwells {
              choice.dwell = dwell
              all.append(option(choice))
            }
          }
        }
      }
    }
    options = all.enumerated().sorted { first, second in
      let (a, b) = (first.element, second.element)
      if a.score != b.score { return a.score > b.score }
      if a.choice.beaconDays != b.choice.beaconDays { return a.choice.beaconDays > b.choice.beaconDays }
      return first.offset < second.offset
    }.map(\.element)
    let best = options[0].choice
    strategies = Self.ranked(answers(best)).map { answer in
      var answer = answer
      answer.dayBattery = trial.dayBattery(best, answer.profile)
      return answer
    }
    changes = all.filter { $0.choice.differences(from: best) == 1 }
    spacings = (installation.places > 1 ? [3, 4, 6, 8] as [Micrometres] : []).map { halves in
      var wider = installation
      wider.spacing = installation.spacing * halves / 2
      let trial = InstallationTrial(wider, speeds: speeds)
      let options = nears.map { near in
        let choice = best.with(near: near)
        return Option(
          choice: choice,
          answers: Self.best(
            profiles.map { Answer(profile: $0, tally: trial.tallies(choice, $0, dwells: [choice.dwell])[0]) })
        )
      }
      return (wider.spacing, options.reduce(options[0]) { $1.score > $0.score ? $1 : $0 })
    }
  }

  /// The near distances to try. A phone that is off by 9 dB takes 1 m for 0.35 m or 2.8 m. With the last distance, even the phone
  /// that hears least fires where visitors stop.
  private static func nears(of installation: Installation) -> [Micrometres] {
    let tried =
      ([4, 6, 8, 12, 16] as [Micrometres]).map { installation.near * $0 / 8 } + [installation.stop * 3]
    // With a distance hardly larger than that of the stop, a few centimetres would decide.
    let reached = Set(tried).filter { $0 > installation.stop * 5 / 4 }.sorted()
    return reached.isEmpty ? [installation.near] : reached
  }

  /// By system, then by score. Equal answers keep the order of the profiles.
  private static func ranked(_ answers: [Answer]) -> [Answer] {
    var systems: [String] = []
    for answer in answers where !systems.contains(answer.profile.os.name) {
      systems.append(answer.profile.os.name)
    }
    return systems.flatMap { system in
      answers.filter { $0.profile.os.name == system }.enumerated().sorted { first, second in
        let (a, b) = (first.element.tally.score, second.element.tally.score)
        return a != b ? a > b : first.offset < second.offset
      }.map(\.element)
    }
  }

  /// The best strategy of each system.
  private static func best(_ answers: [Answer]) -> [Answer] {
    var seen: Set<String> = []
    return ranked(answers).filter { seen.insert($0.profile.os.name).inserted }
  }
}

extension InstallationChoice {
  func with(interval: Milliseconds) -> InstallationChoice {
    var choice = self
    choice.interval = interval
    return choice
  }

  func with(near: Micrometres) -> InstallationChoice {
    var choice = self
    choice.near = near
    return choice
  }

  func differences(from other: InstallationChoice) -> Int {
    (power != other.power ? 1 : 0) + (interval != other.interval ? 1 : 0)
      + (hasRegionOfEach != other.hasRegionOfEach ? 1 : 0) + (near != other.near ? 1 : 0)
      + (dwell != other.dwell ? 1 : 0)
  }
}

/// Walks through an installation in the policy engine.
public struct InstallationTrial: Sendable {
  let installation: Installation
  private let visits: [Installation.Visit]
  private let timelines: [Bool: [Timeline]]

  public init(_ installation: Installation, speeds: [Micrometres]) {
    self.installation = installation
    let visits = speeds.map(installation.visit)
    self.visits = visits
    timelines = Dictionary(
      uniqueKeysWithValues: [true, false].map { ofEach in
        (ofEach, visits.map { installation.timeline($0, regionOfEach: ofEach) })
      })
  }

  /// What one phone does on one walk.
  public func simulation(
    _ choice: InstallationChoice, _ profile: PhoneProfile, offset: Int, walk: Int
  ) -> Simulation? {
    guard let timeline = timelines[choice.hasRegionOfEach]?[walk] else { return nil }
    var profile = profile
    profile.strategy[.heardDistance] = choice.heard(offset: offset)
    profile.strategy[.advertisingInterval] = choice.interval
    profile.os[.emptyTicksPerTen] = max(profile.os[.emptyTicksPerTen], choice.emptyTicks)
    return Simulation(
      profile, near: Self.rule(choice, offset), timeline: timeline, keepsHistory: false)
  }

  private static func rule(_ choice: InstallationChoice, _ offset: Int) -> NearDistances {
    let near = choice.near(offset: offset)
    return NearDistances(near: near, rearm: near + near / 2)
  }

  /// One tally for each dwell. The dwell does not change what the phone does before, so one simulation serves all.
  func tallies(
    _ choice: InstallationChoice, _ profile: PhoneProfile, dwells: [Milliseconds]
  ) -> [InstallationDesign.Tally] {
    var tallies = dwells.map { _ in InstallationDesign.Tally() }
    for (offset, weight) in InstallationChoice.offsets {
      var phones = dwells.map { _ in InstallationDesign.Tally() }
      for walk in visits.indices {
        guard let result = simulation(choice, profile, offset: offset, walk: walk) else { continue }
        for (place, dwell) in dwells.enumerated() {
          add(result, visits[walk], dwell, within: choice.near(offset: offset), to: &phones[place])
        }
      }
      for (place, phone) in phones.enumerated() {
        tallies[place].worst = min(tallies[place].worst, phone.rightShare)
        if offset == 0 { tallies[place].typical = phone.rightShare }
        tallies[place].add(phone, weight: weight)
      }
    }
    return tallies
  }

  /// The drain on a day with one visit of the typical visitor, as a multiple of that of a phone that does not range.
  func dayBattery(_ choice: InstallationChoice, _ profile: PhoneProfile) -> Double? {
    guard let result = simulation(choice, profile, offset: 0, walk: 0) else { return nil }
    let rule = Self.rule(choice, 0)
    let visit = Approach(name: "visit", near: rule, timeline: result.timeline)
    return Simulation(
      result.profile, near: rule, timeline: visit.followedByAbsence(until: 86_400_000),
      keepsHistory: false
    ).batteryFactor
  }

  /// `near`: within this distance of a beacon the phone believes itself near.
  private func add(
    _ result: Simulation, _ visit: Installation.Visit, _ dwell: Milliseconds, within near: Micrometres,
    to tally: inout InstallationDesign.Tally
  ) {
    tally.drain += (result.batteryFactor - 1) * Double(result.end)
    tally.span += Double(result.end)
    for place in 0..<installation.places {
      let route = visit.waypoints.filter { $0.beacon == place }
      let verdicts = result.verdicts.filter { $0.beacon == place }
      var blocked = verdicts.first?.outcome
      var fired: (verdict: Verdict, time: Milliseconds)?
      for verdict in verdicts {
        guard let delivered = verdict.delivered else { continue }
        let time = delivered + dwell
        if dwell > 0 {
          // After the dwell the phone must still be near, and the app must range.
          let window = result.window(at: time)
          guard Self.isWithin(near, at: time, of: route) else {
            blocked = nil
            continue
          }
          guard let window, window.state == .ranging || window.state == .foreground else {
            blocked = window?.why
            continue
          }
        }
        fired = (verdict, time)
        break
      }
      guard let (verdict, time) = fired else {
        tally.missed[blocked, default: 0] += 1
        continue
      }
      // A callback may be lost by chance. A trigger is not right because of that.
      let isBlocked = dwell > 0 || verdict.blockedBy.map { $0 != .emptyTick } ?? false
      guard Self.isWithin(installation.reach, at: isBlocked ? time : verdict.crossed, of: route) else {
        tally.early += 1
        continue
      }
      let lateness = max(0, time - visit.stops[place])
      tally.latest = max(tally.latest, lateness)
      if lateness <= installation.within { tally.right += 1 } else { tally.late += 1 }
    }
  }

  private static func isWithin(
    _ reach: Micrometres, at time: Milliseconds, of route: [Timeline.Waypoint]
  ) -> Bool {
    guard let next = route.firstIndex(where: { $0.time > time }), next > 0,
      let from = route[next - 1].distance, let to = route[next].distance
    else { return false }
    let span = Double(route[next].time - route[next - 1].time)
    let share = Double(time - route[next - 1].time) / span
    return Double(from) + (Double(to) - Double(from)) * share <= Double(reach)
  }
}
