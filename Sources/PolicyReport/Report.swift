import RangingPolicy

/// The results of `simulate` as one self-contained HTML page.
public struct Report: Sendable {
  /// One profile on one approach, to be drawn.
  public struct Example: Sendable {
    public var approach: Approach
    public var result: Simulation
    /// The phone it is about; nil: any phone with this profile.
    public var phone: String?

    public init(approach: Approach, result: Simulation, phone: String? = nil) {
      self.approach = approach
      self.result = result
      self.phone = phone
    }
  }

  /// The question, as names and values, such as `approach`, `50m@1m/s`.
  public var scenario: [(name: String, value: String)]
  public var tallies: [Tally]
  public var examples: [Example]
  /// Comparisons of the strategies; empty: not requested.
  public var comparisons: [Comparison] = []
  /// How many such approaches there are per day, for the cost in a comparison.
  public var visitsPerDay: Int = 1
  public var version: String

  public init(
    scenario: [(name: String, value: String)], tallies: [Tally], examples: [Example], version: String
  ) {
    self.scenario = scenario
    self.tallies = tallies
    self.examples = examples
    self.version = version
  }

  /// UTF-8 text. The same results give the same bytes.
  public var html: String {
    Page(title: title, version: version).html { page in
      writeHead(into: &page)
      Summary(self).write(into: &page)
      if !comparisons.isEmpty {
        ComparisonSection(comparisons: comparisons, visitsPerDay: visitsPerDay).write(into: &page)
      }
      writeExamples(into: &page)
      Legend(self).write(into: &page)
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
  var isSingle: Bool { tallies.allSatisfy { $0.approaches <= 1 } }

  /// The anchor of a profile's first drawing on the page.
  func anchor(of tally: Tally) -> String? {
    let place = examples.firstIndex { $0.result.profile == tally.profile && $0.phone == tally.phone }
    return place.map { "p\($0 + 1)" }
  }

  private func writeExamples(into page: inout Markup) {
    page.element("section", ["aria-labelledby": "timelines"]) { page in
      page.element("h2", ["id": "timelines"], "Timelines")
      if examples.count < tallies.reduce(0, { $0 + $1.approaches }) {
        page.element(
          "p", ["class": "note"], "Of each profile, the first approach of each outcome is drawn.")
      }
      writeKey(into: &page)
      page.element("div", ["class": "cards"]) { page in
        for (index, example) in examples.enumerated() {
          ProfileCard(example, id: "p\(index + 1)", namesApproach: !isSingle).write(into: &page)
        }
      }
    }
  }

  /// Explains the signs and bands of the drawings.
  private func writeKey(into page: inout Markup) {
    page.element("ul", ["class": "key", "aria-label": "Key to the drawings"]) { page in
      for state in Window.State.allCases {
        page.element("li") { page in
          page.element("span", ["class": "swatch \(state.rawValue)", "aria-hidden": "true"], "")
          page.say(state.words)
        }
      }
      page.element("li", "upright strokes above the band: ranging callbacks that saw the beacon")
      page.element("li", "dashed upright line: near crossing; ✓ delivered there, ◷ late, ✗ missed")
    }
  }
}
