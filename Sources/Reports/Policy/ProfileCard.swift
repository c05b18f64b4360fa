import Phones

/// What all cards of a page have in common.
struct CardSetting {
  let systems: SystemNames
  let filters: Filters
  let budget: Budget
  /// Where the time axis ends in all drawings.
  let span: Milliseconds
  let namesApproach: Bool
}

/// One card: the drawing, every near trigger with its verdict, and the constants that decide.
struct ProfileCard {
  let card: Card
  let setting: CardSetting

  private var id: String { card.id }
  private var result: Simulation { card.result }

  func write(into page: inout Markup) {
    page.element(
      "article",
      [
        "id": id, "aria-labelledby": "\(id)-h", "data-systems": setting.filters.systems(of: card),
        "data-strategy": setting.filters.strategy(of: card), "data-outcome": Outcome(result).style,
      ]
    ) { page in
      page.element("h3", ["id": "\(id)-h"]) { page in
        page.element("span", ["class": "name"]) { page in
          page.say(
            (card.example.phone.map { "\($0): " } ?? "") + setting.systems.words(card.profiles) + " · "
              + result.profile.strategy.name)
        }
        page.say(" ")
        Outcome(result).write(into: &page)
      }
      page.element("p", ["class": "what"]) { page in
        page.say(
          card.profiles.prefix(4).map { "\($0.os.summary)." }.joined(separator: " ")
            + " \(result.profile.strategy.summary).")
        if setting.namesApproach {
          page.element("br")
          page.element("span", ["class": "given"], "Approach: \(card.example.approach.name).")
        }
      }
      page.element("figure") { page in
        TimelineChart(
          result, near: card.example.approach.near, id: id, until: setting.span, budget: setting.budget
        ).write(into: &page)
        page.element("figcaption") { page in
          page.say(Account(result: result).verdict + " ")
          if let outcome = result.outcome, !outcome.isDelivered { page.code(outcome.rawValue) }
        }
      }
      NearTable(result: result, id: id, limit: setting.budget.nears).write(into: &page)
      writeConstants(into: &page)
      writeDetails(into: &page)
    }
  }

  private func writeConstants(into page: inout Markup) {
    let constants = result.allDecidingConstants
    guard !constants.isEmpty else { return }
    page.element("div", ["class": "fit", "tabindex": "0", "role": "region", "aria-label": "Constants"]) {
      ConstantsTable(
        constants: constants,
        caption: result.verdicts.count > 1 ? "These verdicts hang on" : "This verdict hangs on"
      ).write(into: &$0)
    }
  }

  private func writeDetails(into page: inout Markup) {
    let limit = setting.budget.states
    page.element("details") { page in
      page.element("summary", "States and risks")
      page.element("table", ["class": "states"]) { page in
        page.element("caption", "States")
        page.rows(below: ["From", "To", "State"]) { page in
          for interval in result.intervals.prefix(limit) {
            page.element("tr") { page in
              page.element("td", ["class": "number"], Figures.time(interval.from))
              page.element("td", ["class": "number"], Figures.time(interval.to))
              page.element("td", interval.state.words)
            }
          }
        }
      }
      if result.intervals.count > limit {
        page.element("p", ["class": "note"], "and \(result.intervals.count - limit) more")
      }
      let strategy = result.profile.strategy
      let (risk, review) = (strategy.constant(.risk), strategy.constant(.reviewRisk))
      let why = risk.source.text
      page.element("p", "Risk \(risk.value.rawValue)\(why.isEmpty ? "" : ": \(why)").")
      page.element("p", "App review \(review.value.rawValue): \(review.source.text).")
    }
  }
}

/// How much detail a page has room for: the more cards, the less on each. This bounds the size of the page.
struct Budget {
  /// Rows of near triggers on each card.
  let nears: Int
  /// Rows of states on each card.
  let states: Int
  /// Bars of a strip with words on them; further ones are drawn as one shape.
  let bars: Int
  /// Entries of each kind that the script gets for each card.
  let entries: Int
  /// Points of each curve of the distance.
  let points: Int

  init(cards: Int) {
    let cards = max(1, cards)
    nears = min(max(600 / cards, 6), 60)
    states = min(max(2000 / cards, 12), 100)
    bars = min(max(5000 / cards, 50), 500)
    entries = min(max(12_000 / cards, 80), 8000)
    points = min(max(12_000 / cards, 100), DistanceCurve.limit)
  }
}

/// Constants with their value, source and confidence.
struct ConstantsTable {
  let constants: [StatedRule]
  let caption: String

  func write(into page: inout Markup) {
    page.element("table", ["class": "constants"]) { page in
      page.element("caption", caption)
      page.rows(below: ["Constant", "Value", "Source", "Confidence"]) { page in
        for constant in constants {
          page.element("tr", ["class": constant.confidence == .high ? "sure" : "unsure"]) { page in
            page.element("th", ["scope": "row"]) { $0.code(constant.name) }
            page.element("td", constant.value)
            page.element("td", constant.source.text)
            page.element("td") { page in
              page.element("abbr", ["title": constant.confidence.words], constant.confidence.rawValue)
              if constant.confidence != .high { page.say(" uncertain") }
            }
          }
        }
      }
    }
  }
}
