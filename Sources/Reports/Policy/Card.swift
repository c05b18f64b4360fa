import Phones

/// Examples with exactly the same result under different systems, on one card.
struct Card {
  let id: String
  /// The first of them represents all.
  let example: Report.Example
  private(set) var profiles: [PhoneProfile]

  var result: Simulation { example.result }

  static func all(of examples: [Report.Example]) -> [Card] {
    var cards: [Card] = []
    for example in examples {
      if let same = cards.firstIndex(where: { $0.comesToTheSame(as: example) }) {
        cards[same].profiles.append(example.result.profile)
      } else {
        cards.append(
          Card(id: "p\(cards.count + 1)", example: example, profiles: [example.result.profile]))
      }
    }
    return cards
  }

  func holds(_ profile: PhoneProfile, of phone: String?) -> Bool {
    example.phone == phone && profiles.contains(profile)
  }

  private func comesToTheSame(as other: Report.Example) -> Bool {
    let (a, b) = (result, other.result)
    // Cheap comparisons come first.
    return a.profile.strategy == b.profile.strategy && example.phone == other.phone && a.end == b.end
      && a.profile.os.family == b.profile.os.family && a.batteryFactor == b.batteryFactor
      && !profiles.contains(b.profile)
      && a.verdicts == b.verdicts && a.intervals == b.intervals && a.windows == b.windows
      && a.totals == b.totals && a.tasks == b.tasks && a.callbacks == b.callbacks
      && a.decidingConstants == b.decidingConstants && a.history == b.history
      && example.approach == other.approach
  }
}

/// The names of systems with the same result, in the order of the page.
struct SystemNames {
  /// All systems on the page.
  let order: [String]

  init(_ profiles: [PhoneProfile]) {
    var order: [String] = []
    for profile in profiles where !order.contains(profile.os.name) { order.append(profile.os.name) }
    self.order = order
  }

  /// `ios7.0 = ios7`, `ios7 to ios13 (4 alike)`, `ios7 = ios9 = ios17`, `ios7 = ios9 and 3 more alike`.
  func words(_ names: [String]) -> String {
    let places = names.compactMap { order.firstIndex(of: $0) }
    guard let first = names.first, let last = names.last, names.count > 2 else {
      return names.joined(separator: " = ")
    }
    if let low = places.first, places.count == names.count, places == Array(low..<low + names.count) {
      return "\(first) to \(last) (\(names.count) alike)"
    }
    if names.count == 3 { return names.joined(separator: " = ") }
    return "\(names[0]) = \(names[1]) and \(names.count - 2) more alike"
  }

  func words(_ profiles: [PhoneProfile]) -> String { words(profiles.map(\.os.name)) }

  /// Groups by their newest system, one family after the other; groups of the same system keep their order.
  func newestFirst<Element>(_ groups: [[Element]], _ profile: (Element) -> PhoneProfile) -> [[Element]] {
    var families: [OSProfile.Family] = []
    for group in groups {
      let family = profile(group[0]).os.family
      if !families.contains(family) { families.append(family) }
    }
    return families.flatMap { family in
      let own = groups.filter { profile($0[0]).os.family == family }
      let ages = own.map { $0.compactMap { order.firstIndex(of: profile($0).os.name) }.max() ?? 0 }
      return own.indices.sorted { (ages[$1], $0) < (ages[$0], $1) }.map { own[$0] }
    }
  }
}
