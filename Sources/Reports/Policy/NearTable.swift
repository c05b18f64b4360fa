import Phones

/// Every near trigger of a result with its verdict, the evidence, and the constants that it depends on.
struct NearTable {
  let result: Simulation
  let id: String
  /// Further ones are only in the JSON output.
  let limit: Int

  func write(into page: inout Markup) {
    guard !result.verdicts.isEmpty else { return }
    page.element(
      "div", ["class": "fit", "tabindex": "0", "role": "region", "aria-labelledby": "\(id)-n"]
    ) { page in
      page.element("table", ["class": "nears"]) { page in
        page.element(
          "caption", ["id": "\(id)-n"], result.verdicts.count == 1 ? "Near trigger" : "Near triggers")
        page.rows(below: ["No.", "Crossed", "Distance", "Outcome", "Late by"]) { page in
          for (index, (verdict, distance)) in zip(result.verdicts, result.distances(ofFirst: limit))
            .enumerated()
          {
            row(index + 1, verdict, distance, into: &page)
            page.element("tr", ["class": "why"]) { page in
              page.element("td", "")
              page.element("td", ["colspan": "4"]) { explain(verdict, into: &$0) }
            }
          }
        }
      }
    }
    if result.verdicts.count > limit {
      let rest = result.verdicts.dropFirst(limit)
      let missed = rest.count { !$0.outcome.isDelivered }
      page.element(
        "p", ["class": "note"], "and \(rest.count) more, \(missed) of them missed; all with --json")
    }
  }

  private func row(_ number: Int, _ verdict: Verdict, _ distance: Double?, into page: inout Markup) {
    page.element("tr") { page in
      // Several beacons are distinguished by name.
      let name = result.timeline.name(of: verdict.beacon)
      page.element(
        "th", ["scope": "row", "class": name == nil ? "number" : "given"],
        "\(number)" + (name.map { " \($0)" } ?? ""))
      page.element("td", ["class": "number"], Figures.time(verdict.crossed))
      page.element("td", ["class": "number"], distance.map { Figures.metres($0) } ?? "not known")
      page.element("td") { Outcome(verdict.outcome, wasNear: true).write(into: &$0) }
      page.element("td", ["class": "number"], verdict.lateness.map(Figures.time) ?? "–")
    }
  }

  private func explain(_ verdict: Verdict, into page: inout Markup) {
    if let block = verdict.blockedBy {
      page.say("Blocked by ")
      page.code(block.rawValue)
      page.say(": \(block.words). ")
    }
    let names = result.profile.constants(verdict.constants).map(\.name)
    if !names.isEmpty {
      page.say("Hangs on ")
      for (index, name) in names.enumerated() {
        if index > 0 { page.say(", ") }
        page.code(name)
      }
      page.say(". ")
    }
    guard !verdict.evidence.isEmpty else { return }
    page.element("details") { page in
      page.element("summary", "Evidence: what led to it (\(verdict.evidence.count))")
      page.element("ol") { page in
        for fact in verdict.evidence {
          page.element("li", "\(Figures.time(fact.time)): \(result.words(of: fact))")
        }
      }
    }
  }
}

extension Simulation {
  /// The constants that any of the verdicts depends on; without a verdict, those of the outcome.
  var allDecidingConstants: [StatedRule] {
    if verdicts.isEmpty { return decidingConstants }
    var names: [String] = []
    for verdict in verdicts {
      for name in verdict.constants where !names.contains(name) { names.append(name) }
    }
    return profile.constants(names)
  }
}

extension Markup {
  /// A name with underscores, which may wrap after each of them but nowhere else.
  mutating func code(_ name: String) {
    element("code") { page in
      let parts = name.split(separator: "_", omittingEmptySubsequences: false)
      for (index, part) in parts.enumerated() {
        if index > 0 {
          page.say("_")
          page.element("wbr")
        }
        page.say(String(part))
      }
    }
  }
}
