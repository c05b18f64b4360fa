import Phones

/// Shorthand for the timelines of the tests.
struct Walk {
  var os = "ios7"
  var strategy = "stock"
  var variant = Variant.seed
  var near: Micrometres? = 4_000_000
  var rearm: Micrometres?
  var changeOS: (inout OSProfile) -> Void = { _ in }
  var changeStrategy: (inout StrategyProfile) -> Void = { _ in }

  var profile: PhoneProfile {
    var os = Catalogue.system(named: os, variant: variant)!
    var strategy = Catalogue.strategy(named: strategy, variant: variant)!
    changeOS(&os)
    changeStrategy(&strategy)
    return PhoneProfile(os: os, strategy: strategy)!
  }

  var rule: NearDistances { NearDistances(near: near, rearm: rearm ?? near ?? 50_000_000) }

  func approach(_ metres: Double, at speed: Double, stay: Double = 0) -> Simulation {
    follow(
      Timeline(
        approachFrom: Micrometres((metres * 1e6).rounded()), speed: Micrometres((speed * 1e6).rounded()),
        stay: ms(stay)))
  }

  /// Waypoints are seconds and metres (nil: out of range), events seconds.
  func follow(
    _ waypoints: [(Double, Double?)], _ events: [(Double, PhoneEvent)] = [], until end: Double? = nil,
    start: PhoneEngine.Start? = nil
  ) -> Simulation {
    follow(
      Timeline(
        events: events.map { .init(time: ms($0.0), event: $0.1) },
        waypoints: waypoints.map {
          .init(time: ms($0.0), distance: $0.1.map { Micrometres(($0 * 1e6).rounded()) })
        },
        end: end.map(ms), start: start))
  }

  func follow(_ timeline: Timeline) -> Simulation { Simulation(profile, near: rule, timeline: timeline) }

  func engine(start: PhoneEngine.Start = .background) -> PhoneEngine {
    PhoneEngine(PhoneRules(profile), near: rule, start: start)
  }
}

func ms(_ seconds: Double) -> Milliseconds { Milliseconds((seconds * 1000).rounded()) }
func seconds(_ time: Milliseconds?) -> Double? { time.map { Double($0) / 1000 } }

extension PhoneEvent {
  static func begin(_ id: Int32, granted: Bool = true, handler: Bool = false) -> PhoneEvent {
    .beginTask(TaskID(rawValue: id), granted: granted, hasHandler: handler)
  }
  static func end(_ id: Int32) -> PhoneEvent { .endTask(TaskID(rawValue: id)) }
}

extension Simulation {
  var delivered: Double? { seconds(verdicts.first?.delivered) }
  var crossed: Double? { seconds(verdicts.first?.crossed) }
  var closed: Double? { seconds(closing?.time) }
  var ranging: Double { Double(totals.ranging) / 1000 }

  /// The state at a time.
  func state(at time: Double) -> Window.State? {
    intervals.first { $0.from <= ms(time) && ms(time) < $0.to }?.state
  }
}
