import Phones

/// Explains the codes and columns that occur on the page.
struct Legend {
  let report: Report

  /// The codes on the page, each with the platforms that it occurs on.
  private var reasons: [(reason: Reason, families: Set<OSProfile.Family>)] {
    var found: [Reason: Set<OSProfile.Family>] = [:]
    func add(_ reasons: [Reason], _ profile: PhoneProfile) {
      for reason in reasons { found[reason, default: []].insert(profile.os.family) }
    }
    for tally in report.tallies { add(Array(tally.missed.keys), tally.profile) }
    for example in report.examples {
      let result = example.result
      add(result.outcome.map { [$0] } ?? [], result.profile)
      for verdict in result.verdicts {
        add([verdict.outcome] + (verdict.blockedBy.map { [$0] } ?? []), result.profile)
      }
    }
    return Reason.allCases.compactMap { reason in found[reason].map { (reason, $0) } }
  }

  /// The events behind the verdicts that have a name in the platform's documentation, in the order of the page.
  private var facts: [(what: Fact.What, words: String)] {
    var facts: [(what: Fact.What, words: String)] = []
    for example in report.examples {
      for fact in example.result.verdicts.prefix(Budget(cards: 1).nears).flatMap(\.evidence) {
        guard let words = fact.what.systemWord(on: example.result.profile.os.family),
          !facts.contains(where: { $0.what == fact.what && $0.words == words })
        else { continue }
        facts.append((fact.what, words))
      }
    }
    return facts
  }

  func write(into page: inout Markup) {
    page.element("section", ["aria-labelledby": "legend", "class": "legend"]) { page in
      page.element("h2", ["id": "legend"], "What the words mean")
      page.element("dl") { page in
        for (reason, families) in reasons {
          page.element("div") { page in
            page.element("dt") { $0.element("code", reason.rawValue) }
            page.element("dd", reason.explanation(on: families))
          }
        }
        for (what, words) in facts {
          page.element("div") { page in
            page.element("dt", what.rawValue)
            page.element("dd") { $0.element("code", words) }
          }
        }
        page.terms(columns + confidences)
      }
      if !constants.isEmpty { page.element("p", Self.sources) }
    }
  }

  /// The columns of the page's tables. A column of both summary and comparison is explained once.
  private var columns: [(name: String, words: String)] {
    let summary =
      report.isSingle
      ? SingleRow.table.meanings(on: .page)
      : TallyRow.table(hasCrowd: report.hasCrowd).meanings(on: .page)
    let compared =
      report.hasCrowd ? ComparisonRow.table(visitsPerDay: report.visitsPerDay).meanings(on: .page) : []
    return summary + compared.filter { column in !summary.contains { $0.name == column.name } }
  }

  private var constants: [StatedRule] { report.examples.flatMap(\.result.allDecidingConstants) }

  private var confidences: [(name: String, words: String)] {
    let found = Set(constants.map(\.confidence))
    return Confidence.allCases.filter(found.contains).map(Self.term)
  }

  static let sources =
    "Sources: " + PolicyDocument.all.map { "\($0.code) \($0.title)" }.joined(separator: "; ") + "."

  static let confidences = Confidence.allCases.map(term)

  private static func term(_ confidence: Confidence) -> (name: String, words: String) {
    ("Confidence \(confidence.rawValue)", String(confidence.words.dropFirst(3)))
  }
}

/// Explains the signs and bands of the drawings.
struct ChartKey {
  private static let signs: [(String, String)] = [
    ("✓ ◷ ✗", "near trigger: delivered, late, missed; the dashed line is the crossing"),
    ("▲ ▼", "region enter and exit; △ an event that woke nothing"),
    ("bar", "as long as it lasts; ▸ at its end: the expiration handler; ✕: killed; dashed outline: leaked"),
    ("∞", "background time without limit"),
    ("⊘ ?", "task refused, or the app did not run; end of an unknown task"),
    ("↑ ↓ ▶ ↻", "app to the foreground, to the background, started; phone rebooted"),
  ]

  func write(into page: inout Markup) {
    page.element("ul", ["class": "key", "aria-label": "Key to the drawings"]) { page in
      for state in Window.State.allCases { page.swatch(state.rawValue, state.words) }
      for (sign, words) in Self.signs {
        page.element("li") { page in
          page.element("b", sign)
          page.say(" \(words)")
        }
      }
    }
  }
}

extension Markup {
  /// An entry of a key: a colour, and what it means.
  mutating func swatch(_ style: String, _ words: String) {
    element("li") { page in
      page.element("span", ["class": "swatch \(style)", "aria-hidden": "true"], "")
      page.say(words)
    }
  }
}
