import Phones

/// The filters for the cards. Cards have numbers, not names, because names come from the user.
struct Filters {
  let systems: [String]
  let strategies: [String]
  let outcomes: [(style: String, word: String)]

  init(_ cards: [Card], systems: SystemNames) {
    self.systems = systems.order
    var strategies: [String] = []
    var outcomes: [(style: String, word: String)] = []
    for card in cards {
      let strategy = card.result.profile.strategy.name
      if !strategies.contains(strategy) { strategies.append(strategy) }
      let outcome = Outcome(card.result)
      if !outcomes.contains(where: { $0.style == outcome.style }) {
        outcomes.append((outcome.style, outcome.word))
      }
    }
    self.strategies = strategies
    self.outcomes = outcomes
  }

  func systems(of card: Card) -> String {
    card.profiles.compactMap { systems.firstIndex(of: $0.os.name) }.map { "\($0)" }.joined(separator: " ")
  }

  func strategy(of card: Card) -> String {
    strategies.firstIndex(of: card.result.profile.strategy.name).map { "\($0)" } ?? ""
  }

  /// Hidden until the script runs, because without it they would have no effect.
  func write(into page: inout Markup) {
    page.element("div", ["class": "controls", "id": "controls", "hidden": "hidden"]) { page in
      page.element("div", ["class": "filters", "role": "group", "aria-label": "Which cards to show"]) {
        page in
        choice("systems", "System", systems.enumerated().map { ("\($0.offset)", $0.element) }, into: &page)
        choice(
          "strategy", "Strategy", strategies.enumerated().map { ("\($0.offset)", $0.element) }, into: &page)
        choice("outcome", "Outcome", outcomes.map { ($0.style, $0.word) }, into: &page)
        page.element("output", ["id": "count", "class": "count"], "")
      }
      page.element("div", ["class": "zoom", "role": "group", "aria-label": "Time shown in all charts"]) {
        page in
        for (name, sign, words) in [
          ("out", "−", "Zoom out"), ("in", "+", "Zoom in"), ("back", "◀", "Earlier"), ("on", "▶", "Later"),
        ] {
          page.element(
            "button", ["type": "button", "data-do": name, "aria-label": words, "title": words], sign)
        }
        page.element("button", ["type": "button", "data-do": "reset"], "All")
        page.element("output", ["id": "range", "class": "count"], "")
      }
    }
  }

  private func choice(
    _ id: String, _ name: String, _ options: [(value: String, words: String)], into page: inout Markup
  ) {
    page.element("label") { page in
      page.element("span", name)
      page.element("select", ["data-filter": id]) { page in
        page.element("option", ["value": ""], "all")
        for option in options { page.element("option", ["value": option.value], option.words) }
      }
    }
  }
}
