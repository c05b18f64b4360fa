import GatewayConfiguration
import PolicyReport
import RangingPolicy

/// Gathers what becomes of one approach after the other. Its size follows from the number of profiles, not of approaches:
/// sums, and of each profile the first result of each outcome.
struct SimulationAccount {
  private(set) var tallies: [Tally]
  private(set) var approaches = 0
  /// The first few by name, for JSON.
  private(set) var names: [String] = []
  /// By place of the tally.
  private var examples: [[Report.Example]]
  /// A day's part that the cost of an approach counts over; nil: the approach itself.
  private let costSpan: Milliseconds?

  private static let nameLimit = 1000
  private static let exampleLimit = 6

  /// `phones`: with a profile of their own, before the others.
  init(_ profiles: [PhoneProfile], phones: [PhoneSettings] = [], costSpan: Milliseconds? = nil) {
    tallies = phones.map { Tally($0.profile, phone: $0.name) } + profiles.map { Tally($0) }
    examples = tallies.map { _ in [] }
    self.costSpan = costSpan
  }

  /// Follows an approach under every profile. `phones`: the only phones that it is one of.
  mutating func add(_ approach: Approach, phones: Set<String> = [], others: Bool = true) {
    if approaches < Self.nameLimit { names.append(approach.name) }
    approaches += 1
    let day = costSpan.map { approach.followedByAbsence(until: $0) }
    for place in tallies.indices {
      if let phone = tallies[place].phone { guard phones.contains(phone) else { continue } }
      if tallies[place].phone == nil, !others { continue }
      let profile = tallies[place].profile
      let result = Simulation(profile, near: approach.near, timeline: approach.timeline)
      let cost = day.map { Simulation(profile, near: approach.near, timeline: $0) }
      tallies[place].add(result, cost: cost)
      keep(result, of: approach, at: place)
    }
  }

  private mutating func keep(_ result: Simulation, of approach: Approach, at place: Int) {
    guard examples[place].count < Self.exampleLimit,
      !examples[place].contains(where: { $0.result.outcome == result.outcome })
    else { return }
    examples[place].append(
      Report.Example(approach: approach, result: result, phone: tallies[place].phone))
  }

  /// In the order of the tallies.
  var drawn: [Report.Example] { examples.flatMap { $0 } }
  /// Where there was one approach only.
  var results: [Simulation] { drawn.map(\.result) }
}
