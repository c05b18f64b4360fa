import Phones

/// The results of `simulate` as one self-contained HTML page.
package struct Report: Sendable {
  /// One profile on one approach, to be drawn.
  package struct Example: Sendable {
    package var approach: Approach
    package var result: Simulation
    /// The phone it is about; nil: any phone with this profile.
    package var phone: String?

    package init(approach: Approach, result: Simulation, phone: String? = nil) {
      self.approach = approach
      self.result = result
      self.phone = phone
    }
  }

  /// The question, as names and values, such as `approach`, `50m@1m/s`.
  package var scenario: [(name: String, value: String)]
  package var tallies: [Tally]
  package var examples: [Example]
  /// Comparisons of the strategies; empty: not requested.
  package var comparisons: [Comparison] = []
  /// How many such approaches there are per day, for the cost in a comparison.
  package var visitsPerDay: Int = 1
  package var version: String

  package init(
    scenario: [(name: String, value: String)], tallies: [Tally], examples: [Example], version: String
  ) {
    self.scenario = scenario
    self.tallies = tallies
    self.examples = examples
    self.version = version
  }

  /// UTF-8 text. The same results give the same bytes.
  package var html: String {
    let cards = Card.all(of: examples)
    return Page(
      title: title, version: version, sheet: Style.sheet, script: Script.page, caution: Page.simulated
    ).html { page in
      writeHead(into: &page)
      Summary(report: self, cards: cards).write(into: &page)
      if !comparisons.isEmpty {
        ComparisonSection(comparisons: comparisons, visitsPerDay: visitsPerDay).write(into: &page)
      }
      write(cards, into: &page)
      Legend(report: self).write(into: &page)
    }
  }

  private var title: String { "Would the phone's own app have noticed?" }

  private func writeHead(into page: inout Markup) {
    page.element("header") { page in
      page.element("h1", title)
      page.element(
        "p",
        "A phone lets an app range beacons in the background only in windows. This page follows "
          + (approaches == 1 ? "one approach" : "\(approaches) approaches")
          + " to a beacon under \(profiles == 1 ? "one profile" : "\(profiles) profiles") of operating system and "
          + "background strategy, and tells for each whether the app would have seen the phone come near.")
      Page.scenario(scenario, into: &page)
    }
  }

  var approaches: Int { tallies.map(\.approaches).max() ?? 0 }
  private var profiles: Int { tallies.count }
  var hasCrowd: Bool { !comparisons.isEmpty }
  var isSingle: Bool { tallies.allSatisfy { $0.approaches <= 1 } }

  var systems: SystemNames { SystemNames(tallies.map(\.profile)) }
  /// The longest duration of any result; costs are compared over this time.
  var span: Milliseconds { examples.map(\.result.end).max() ?? 0 }

  private func setting(_ cards: [Card]) -> CardSetting {
    CardSetting(
      systems: systems, filters: Filters(cards, systems: systems), budget: Budget(cards: cards.count),
      span: span, namesApproach: !isSingle)
  }

  private func write(_ cards: [Card], into page: inout Markup) {
    let setting = setting(cards)
    page.element("section", ["aria-labelledby": "timelines"]) { page in
      page.element("h2", ["id": "timelines"], "Timelines")
      if examples.count < tallies.reduce(0, { $0 + $1.approaches }) {
        page.element(
          "p", ["class": "note"], "Of each profile, the first approach of each outcome is drawn.")
      }
      if cards.count < examples.count {
        page.element(
          "p", ["class": "note"],
          "Systems under which everything came to exactly the same share a card: “=” and “alike”.")
      }
      ChartKey().write(into: &page)
      setting.filters.write(into: &page)
      page.element("div", ["class": "cards"]) { page in
        for card in cards { ProfileCard(card: card, setting: setting).write(into: &page) }
      }
      page.element("p", ["id": "say", "class": "unseen", "aria-live": "polite"], "")
      PageData(cards, budget: setting.budget).write(into: &page)
    }
  }
}

extension Page {
  static let simulated = "A simulation of published rules, not a measurement of a phone."
}

extension Script {
  /// A script's text is escaped in XML, but not in HTML. The marks around it make it the same in both.
  static let page = Script(
    "//<![CDATA[\n" + String(decoding: PackageResources.report_js, as: UTF8.self) + "//]]>",
    fingerprint: "13DKGjJR42ZTEOE8lW8cbocDNrs53nsxKlku/61wsoQ=")
}
