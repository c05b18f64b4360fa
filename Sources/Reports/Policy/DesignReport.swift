import Core
import Phones

/// The answer of `design`: its tables, for a terminal and for a page in one file.
package struct DesignReport {
  let design: InstallationDesign
  /// The question, as names and values.
  let scenario: [(name: String, value: String)]
  let version: String

  package init(
    _ design: InstallationDesign, scenario: [(name: String, value: String)], version: String
  ) {
    (self.design, self.scenario, self.version) = (design, scenario, version)
  }

  /// Options, each with the name of its row.
  struct Row {
    var name: String
    var option: InstallationDesign.Option
  }

  private static let shown = 5

  private var best: [Row] {
    design.options.prefix(Self.shown).enumerated().map { Row(name: "\($0 + 1)", option: $1) }
  }

  private var changed: [Row] {
    let best = design.options[0].choice
    return design.changes.map { option in
      let choice = option.choice
      let name =
        choice.power != best.power
        ? Self.power(choice)
        : choice.interval != best.interval
          ? Self.interval(choice)
          : choice.near != best.near
            ? "near \(Self.metres(choice.near))"
            : choice.dwell != best.dwell ? "dwell \(Figures.time(choice.dwell))" : Self.regions(choice)
      return Row(name: name, option: option)
    }
  }

  private var wider: [Row] {
    design.spacings.map {
      Row(
        name: "\(Self.metres($0.spacing)) apart, app's near \(Self.metres($0.option.choice.near))",
        option: $0.option)
    }
  }

  private static func power(_ choice: InstallationChoice) -> String {
    "\(choice.power > 0 ? "+" : "")\(choice.power) dBm"
  }
  private static func interval(_ choice: InstallationChoice) -> String { "every \(choice.interval) ms" }
  private static func regions(_ choice: InstallationChoice) -> String {
    choice.hasRegionOfEach ? "a region of each place" : "one region"
  }
  private static func metres(_ distance: Micrometres) -> String { Figures.metres(Double(distance) / 1e6) }

  private static var shares: [Table<Row>.Column] {
    [
      .number(
        "Right",
        meaning:
          "share of the places for which the app fired while the visitor was near, or within half the spacing"
      ) {
        Figures.percent($0.option.right)
      },
      .number(
        "Wrong", meaning: "share for which it fired while the visitor was farther away, as at the neighbour"
      ) {
        Figures.percent($0.option.early)
      },
      .number(
        "Too late", meaning: "share for which it fired right, but more than --within after the visitor's stop"
      ) {
        Figures.percent($0.option.late)
      },
      .number("Missed") { Figures.percent($0.option.missed) },
      .number("Typical", meaning: "the share that is right on the typical phone") {
        Figures.percent($0.option.typical)
      },
      .number("Worst phone", meaning: "the share that is right on the phone that does worst") {
        Figures.percent($0.option.worst)
      },
      .number("Latest", meaning: "the longest time from the visitor's stop to the trigger") {
        Figures.time($0.option.latest)
      },
    ]
  }

  private static var options: Table<Row> {
    Table(
      [
        .number("") { $0.name },
        .init("Power", meaning: "transmit power of the beacons") { power($0.option.choice) },
        .init("Interval", meaning: "their advertising interval") { "\($0.option.choice.interval) ms" },
        .init("Regions", meaning: "what the app monitors") { regions($0.option.choice) },
        .number("App's near", meaning: "the distance below which the app fires, as it believes it") {
          metres($0.option.choice.near)
        },
        .number("Dwell", meaning: "how long the phone must be that near before the app fires") {
          Figures.time($0.option.choice.dwell)
        },
      ] + shares
        + [
          .number("Beacon lasts", meaning: "on a cell of 1000 mAh; an estimate") {
            "\(Int(($0.option.choice.beaconDays / 30.44).rounded())) months"
          },
          .init("Strategies", meaning: "the best of each system") { row in
            row.option.answers.map { "\($0.profile.os.name) \($0.profile.strategy.name)" }.joined(
              separator: ", ")
          },
        ])
  }

  private static var changes: Table<Row> {
    Table([.init("Instead") { $0.name }] + shares)
  }

  private static var strategies: Table<InstallationDesign.Answer> {
    Table([
      .init("Profile", on: .page) { $0.profile.name },
      .init("OS", on: .terminal) { $0.profile.os.name },
      .init("Strategy", on: .terminal) { $0.profile.strategy.name },
      .number("Right") { Figures.percent($0.tally.rightShare) },
      .number("Wrong") { Figures.percent($0.tally.earlyShare) },
      .number("Too late") { Figures.percent($0.tally.lateShare) },
      .number("Missed") { Figures.percent($0.tally.missedShare) },
      .number("Latest") { Figures.time($0.tally.latest) },
      .number("Battery", meaning: "drain during the visit, as a multiple of a phone that does not range") {
        Figures.drain($0.tally.battery)
      },
      .number("Of a day", meaning: "drain of a day with one visit, of the typical phone") {
        $0.dayBattery.map(Figures.drain) ?? ""
      },
      .init("Review", meaning: "how likely an app store refuses it") {
        $0.profile.strategy[.reviewRisk].rawValue
      },
      .init("Permission") { $0.profile.strategy.permissionAsked },
      .init("Missed because") {
        $0.tally.reasons.map { $0?.rawValue ?? neverNear }.joined(separator: ", ")
      } write: { answer, page in
        for (index, reason) in answer.tally.reasons.enumerated() {
          if index > 0 { page.say(", ") }
          if let reason { page.code(reason.rawValue) } else { page.say(neverNear) }
        }
      },
    ])
  }

  /// The sentence that answers the question.
  package var verdict: String {
    let (site, option) = (design.installation, design.options[0])
    let clean = { (option: InstallationDesign.Option) in option.worst == 1 && option.early == 0 }
    if clean(option) { return "It works: every phone fires at every place, and at no other." }
    let spacing = design.spacings.first { clean($0.option) }.map(\.spacing)
    var text =
      "It does not work for all phones: with the best choice \(Figures.percent(option.right)) of the places fire right, "
      + "\(Figures.percent(option.early)) wrong, \(Figures.percent(option.late)) too late and "
      + "\(Figures.percent(option.missed)) not at all. On the typical phone "
      + "\(Figures.percent(option.typical)) fire right."
    if site.places > 1 {
      text +=
        spacing.map { " Places \(Self.metres($0)) apart work." }
        ?? " With this choice up to four times the spacing does not mend it."
    }
    return text
  }

  private static let neverNear = "never believed near for long enough"
  private static let spread =
    "Phones: half are typical, a quarter hear 9 dB less and a quarter 9 dB more, for body and model (an estimate)."

  package var text: String {
    var parts = [verdict, Self.options.text(best)]
    parts.append("All strategies with choice 1:\n" + Self.strategies.text(design.strategies))
    parts.append("Choice 1 with one thing changed:\n" + Self.changes.text(changed))
    if !wider.isEmpty {
      parts.append("Wider spacing, each with its best near and strategies:\n" + Self.changes.text(wider))
    }
    let meanings =
      Self.options.meanings(on: .terminal) + Self.strategies.meanings(on: .terminal)
      + Self.codes(of: design.strategies)
    parts.append(meanings.map { "  \($0.name): \($0.words)" }.joined(separator: "\n"))
    parts.append(Self.spread)
    return parts.joined(separator: "\n\n")
  }

  private static func codes(_ reasons: Set<Reason>) -> [(name: String, words: String)] {
    Reason.allCases.filter(reasons.contains).map { ($0.rawValue, $0.words) }
  }

  private static func codes(of answers: [InstallationDesign.Answer]) -> [(name: String, words: String)] {
    codes(Set(answers.flatMap { $0.tally.missed.keys.compactMap(\.self) }))
  }

  package var html: String {
    let title = "Which beacons, which regions, which strategy?"
    return Page(title: title, version: version, sheet: Style.sheet, caution: Page.simulated).html { page in
      page.element("header") { page in
        page.element("h1", title)
        page.element("p", verdict.replacing(" %", with: "\u{a0}%"))
        Page.scenario(scenario, into: &page)
      }
      section("summary", "The best choices", Self.options, best, style: "stack", into: &page)
      section("strategies", "All strategies with choice 1", Self.strategies, design.strategies, into: &page)
      section("changes", "Choice 1 with one thing changed", Self.changes, changed, into: &page)
      if !wider.isEmpty {
        section(
          "wider", "Wider spacing, each with its best near and strategies", Self.changes, wider, into: &page)
      }
      page.element("section", ["aria-labelledby": "legend", "class": "legend"]) { page in
        page.element("h2", ["id": "legend"], "What the words mean")
        page.element("dl") { page in
          page.terms(Self.options.meanings(on: .page) + Self.strategies.meanings(on: .page))
          page.terms(Self.codes(of: design.strategies))
        }
        page.element("p", Self.spread)
      }
    }
  }

  private func section<Row>(
    _ id: String, _ title: String, _ table: Table<Row>, _ rows: [Row], style: String = "wide stack",
    into page: inout Markup
  ) {
    page.element("section", ["aria-labelledby": id]) { page in
      page.element("h2", ["id": id], title)
      page.element("div", ["class": "scroll", "tabindex": "0", "role": "region", "aria-labelledby": id]) {
        page in page.element("table", ["class": style]) { table.write(rows, into: &$0) }
      }
    }
  }
}

extension InstallationDesign.Tally {
  /// The most frequent first; nil: the phone never believed the place near for long enough.
  fileprivate var reasons: [Reason?] {
    missed.sorted { ($1.value, $0.key?.rawValue ?? "never") < ($0.value, $1.key?.rawValue ?? "never") }.map(
      \.key)
  }
}
