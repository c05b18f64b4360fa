/// Simulates one phone with one plan in the ranging policy engine.
public struct WakeTrial: Sendable {
  /// The walk: from the edge of the gateway's reach up to the gateway, where the phone stays.
  public struct Visit: Sendable, Hashable {
    public var reach: Micrometres
    /// Micrometres per second.
    public var speed: Micrometres
    public var duration: Milliseconds

    public init(reach: Micrometres, speed: Micrometres, duration: Milliseconds = 3_600_000) {
      self.reach = max(0, reach)
      self.speed = max(1, speed)
      self.duration = duration
    }

    /// How long the walk takes.
    public var approach: Milliseconds {
      let (scaled, overflows) = reach.multipliedReportingOverflow(by: 1000)
      return overflows ? Self.longest : min(Self.longest, (scaled + speed - 1) / speed)
    }

    private static let longest: Milliseconds = 1 << 50
  }

  /// The variables: when the phone arrives, how fast it reports, how exact the gateway is.
  public struct Circumstances: Sendable, Hashable {
    /// Time of arrival within the plan's period.
    public var arrival: Milliseconds = 0
    public var entryLatency: Milliseconds
    public var exitLatency: Milliseconds
    /// By how much broadcasts start late; negative: early.
    public var startShift: Milliseconds = 0
    public var endShift: Milliseconds = 0
    /// Until this time since arrival every callback comes as early as possible, after it as late as possible. This makes the
    /// longest gap that latencies can cause. `entryLatency` and `exitLatency` are then the shortest, and the delays are added
    /// to them.
    public var turn: Turn?

    public struct Turn: Sendable, Hashable {
      public var time: Milliseconds
      public var enterDelay: Milliseconds
      public var exitDelay: Milliseconds
    }
  }

  public let profile: PhoneProfile
  /// nil: nothing is broadcast.
  public let plan: WakePlan?
  public let visit: Visit

  private let edges: [Edge]
  private let isOnAtStart: RegionSet

  private struct Edge: Sendable {
    var time: Milliseconds
    var region: Int
    var isStart: Bool
  }

  public init(_ profile: PhoneProfile, plan: WakePlan?, visit: Visit) {
    var profile = profile
    profile.strategy[.heardDistance] = visit.reach
    self.profile = profile
    self.plan = plan
    self.visit = visit
    var edges: [Edge] = []
    var last = plan?.steps.last?.regions ?? RegionSet()
    isOnAtStart = last
    for step in plan?.steps ?? [] {
      for region in last.subtracting(step.regions) {
        edges.append(Edge(time: step.from, region: region, isStart: false))
      }
      for region in step.regions.subtracting(last) {
        edges.append(Edge(time: step.from, region: region, isStart: true))
      }
      last = step.regions
    }
    self.edges = edges
  }

  /// The events of the phone's visit.
  public func timeline(_ circumstances: Circumstances) -> Timeline {
    var events = broadcasts(circumstances).map {
      Timeline.Entry(time: $0.time, event: .onAir($0.region, $0.isStart))
    }
    // Without wake regions, distance must not cause region events, except where a scan schedule decides.
    if events.isEmpty && profile.os.family == .iOS { events = [.init(time: 0, event: .onAir(0, false))] }
    if visit.approach < visit.duration { events.append(.init(time: visit.approach, event: .still(true))) }
    let walk = [
      Timeline.Waypoint(time: 0, distance: visit.reach), .init(time: visit.approach, distance: 0),
    ]
    var timeline = Timeline(events: events, waypoints: walk, start: .background)
    timeline.end = visit.duration
    return timeline
  }

  public func simulation(_ circumstances: Circumstances) -> Simulation {
    var profile = profile
    profile.os[.entryLatency] = circumstances.entryLatency
    profile.os[.exitLatency] = circumstances.exitLatency
    return Simulation(
      profile, near: NearDistances(near: nil, rearm: visit.reach), timeline: timeline(circumstances),
      keepsHistory: false)
  }

  public func outcome(_ circumstances: Circumstances) -> Outcome {
    Outcome(simulation(circumstances), until: visit.duration)
  }

  /// Starts and ends of broadcasts from the arrival on. Whatever is on air at the arrival starts at 0.
  private func broadcasts(_ circumstances: Circumstances) -> [Edge] {
    guard let plan else { return [] }
    var isOn = isOnAtStart
    var later: [Edge] = []
    let period = plan.period
    let rounds = (circumstances.arrival + visit.duration) / period + 1
    for round in -1...rounds {
      let origin = round * period - circumstances.arrival
      for edge in edges {
        let planned = origin + edge.time
        var time = planned + (edge.isStart ? circumstances.startShift : circumstances.endShift)
        if let turn = circumstances.turn, planned >= turn.time {
          time += edge.isStart ? turn.enterDelay : turn.exitDelay
        }
        if time > visit.duration { continue }
        if time > 0 {
          later.append(Edge(time: time, region: edge.region, isStart: edge.isStart))
        } else if edge.isStart {
          isOn.insert(edge.region)
        } else {
          isOn = isOn.subtracting(RegionSet([edge.region]))
        }
      }
    }
    return isOn.map { Edge(time: 0, region: $0, isStart: true) } + later
  }
}

extension WakeTrial {
  /// How well a phone was kept listening. Coverage counts from its first window on.
  public struct Outcome: Sendable, Hashable {
    /// From arrival to the first window; nil: there was none.
    public var wait: Milliseconds?
    public var covered: Milliseconds = 0
    /// From the first window to the end of the visit.
    public var span: Milliseconds = 0
    /// The whole visit if there was no window.
    public var longestGap: Milliseconds = 0

    public var share: Double { span > 0 ? Double(covered) / Double(span) : 0 }
    public var isGapFree: Bool { wait != nil && longestGap == 0 }

    init(_ simulation: Simulation, until end: Milliseconds) {
      var listened: Milliseconds?
      for interval in simulation.intervals where interval.state == .ranging && interval.from < end {
        if let listened {
          longestGap = max(longestGap, interval.from - listened)
        } else {
          wait = interval.from
        }
        covered += min(interval.to, end) - interval.from
        listened = min(interval.to, end)
      }
      if let wait, let listened {
        span = end - wait
        longestGap = max(longestGap, end - listened)
      } else {
        longestGap = end
      }
    }
  }
}
