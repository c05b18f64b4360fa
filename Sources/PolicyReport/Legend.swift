import RangingPolicy

/// Explains the codes and columns that occur on the page.
struct Legend {
  let report: Report

  init(_ report: Report) { self.report = report }

  private var reasons: [Reason] {
    var found: Set<Reason> = []
    for tally in report.tallies { found.formUnion(tally.missed.keys) }
    for example in report.examples {
      if let outcome = example.result.outcome { found.insert(outcome) }
      for verdict in example.result.verdicts {
        found.insert(verdict.outcome)
        if let block = verdict.blockedBy { found.insert(block) }
      }
    }
    return Reason.allCases.filter(found.contains)
  }

  func write(into page: inout Markup) {
    page.element("section", ["aria-labelledby": "legend", "class": "legend"]) { page in
      page.element("h2", ["id": "legend"], "What the words mean")
      page.element("dl") { page in
        for reason in reasons {
          page.element("div") { page in
            page.element("dt") { $0.element("code", reason.rawValue) }
            page.element("dd", reason.words)
          }
        }
        for (name, words) in Self.columns {
          page.element("div") { page in
            page.element("dt", name)
            page.element("dd", words)
          }
        }
        for confidence in Confidence.allCases {
          page.element("div") { page in
            page.element("dt", "Confidence \(confidence.rawValue)")
            page.element("dd", String(confidence.words.dropFirst(3)))
          }
        }
      }
      page.element("p", Self.sources)
    }
  }

  static let sources =
    "Sources: " + PolicySource.allCases.map { "\($0.rawValue) \($0.title)" }.joined(separator: "; ") + "."

  static let columns: [(String, String)] = [
    ("First seen", "the first region enter or ranging callback with the beacon in it"),
    (
      "Window ended",
      "when the app last could run before the crossing, or next after it, and how far away the phone was"
    ),
    ("Ranging", "how long the app's receiver listened"),
    (
      "Battery",
      "drain over the time followed, as a multiple of a phone that neither ranges nor locates; --compare takes a whole day"
    ),
    ("Risk", "how easily the strategy breaks"),
    ("Review", "how likely an app store refuses it"),
  ]
}
