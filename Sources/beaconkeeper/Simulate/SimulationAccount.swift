import Configuration
import Phones
import Reports

/// Sums up the results of several approaches. Its size depends on the number of profiles, not of approaches: it keeps sums, and
/// for each profile the first result of each outcome.
struct SimulationAccount {
  private(set) var tallies: [Tally]
  private(set) var approaches = 0
  /// The first few names, for JSON.
  private(set) var names: [String] = []
  /// By index of the tally.
  private var examples: [[Report.Example]]
  /// The first results, for JSON; further ones are counted.
  private(set) var listed: [Report.Example] = []
  private(set) var followed = 0
  private let listLimit: Int
  /// Whether drawings, JSON or a table need the course of a result.
  private let keepsCourses: Bool
  /// The expectations and their results.
  var book: ExpectationBook
  /// The part of a day over which the cost of an approach is computed; nil: the approach itself.
  private let costSpan: Milliseconds?
  private let crowd: (draws: Int, seed: UInt64)?

  private static let nameLimit = 1000
  private static let exampleLimit = 6

  /// `phones`: phones with a profile of their own; they come before the others. `lists`: whether results are kept for JSON.
  init(
    _ profiles: [PhoneProfile], phones: [PhoneSettings] = [], costSpan: Milliseconds? = nil,
    crowd: (draws: Int, seed: UInt64)? = nil, lists: Bool = false, keepsCourses: Bool
  ) {
    self.keepsCourses = keepsCourses
    listLimit = lists ? 1000 : 0
    book = ExpectationBook()
    tallies = phones.map { Tally($0.profile, phone: $0.name) } + profiles.map { Tally($0) }
    examples = tallies.map { _ in [] }
    self.costSpan = costSpan
    self.crowd = crowd
  }

  /// Simulates an approach with every profile.
  mutating func add(_ approach: Approach) {
    if approaches < Self.nameLimit { names.append(approach.name) }
    approaches += 1
    follow(approach, where: { $0.phone == nil })
  }

  /// Simulates an approach that was counted already, with the profile of a phone.
  mutating func add(_ approach: Approach, of phone: String) { follow(approach, where: { $0.phone == phone }) }

  private mutating func follow(_ approach: Approach, where isMeant: (Tally) -> Bool) {
    let day = costSpan.map { approach.followedByAbsence(until: $0) }
    for place in tallies.indices where isMeant(tallies[place]) {
      let profile = tallies[place].profile
      let result = Simulation(
        profile, near: approach.near, timeline: approach.timeline, keepsHistory: keepsCourses)
      let cost = day.map {
        Simulation(profile, near: approach.near, timeline: $0, keepsHistory: false)
      }
      tallies[place].add(result, cost: cost)
      // A comparison must not depend on one favourable phone.
      if let crowd {
        tallies[place].addSpread(of: approach, truth: result, draws: crowd.draws, seed: crowd.seed)
      }
      keep(result, of: approach, at: place)
      book.hold(result, of: tallies[place].phone, on: approach.name)
    }
  }

  private mutating func keep(_ result: Simulation, of approach: Approach, at place: Int) {
    followed += 1
    let example = Report.Example(
      approach: approach, result: keepsCourses ? result : result.withoutCourse, phone: tallies[place].phone)
    if listed.count < listLimit { listed.append(example) }
    guard examples[place].count < Self.exampleLimit,
      !examples[place].contains(where: { $0.result.outcome == result.outcome })
    else { return }
    examples[place].append(example)
  }

  /// In the order of the tallies. A result that never came near is drawn only if there is no other.
  var drawn: [Report.Example] {
    examples.flatMap { examples in
      let near = examples.filter { !$0.result.verdicts.isEmpty }
      return near.isEmpty ? examples : near
    }
  }
  /// Completes the expectations after the last approach.
  mutating func finish() {
    var systems: [String] = []
    var strategies: [String] = []
    for profile in tallies.map(\.profile) {
      if !systems.contains(profile.os.name) { systems.append(profile.os.name) }
      if !strategies.contains(profile.strategy.name) { strategies.append(profile.strategy.name) }
    }
    var approaches = names.prefix(10).joined(separator: ", ")
    if names.count > 10 { approaches += ", …" }
    let phones = tallies.compactMap(\.phone)
    book.finish(
      simulated: "os \(systems.joined(separator: ", ")); strategy \(strategies.joined(separator: ", ")); "
        + (phones.isEmpty ? "" : "phone \(phones.joined(separator: ", ")); ")
        + "approach \(approaches.isEmpty ? "none" : approaches)")
  }

  /// The results, if there was only one approach.
  var results: [Simulation] { drawn.map(\.result) }
}
