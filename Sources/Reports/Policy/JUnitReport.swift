/// Results as JUnit XML, which build servers read. UTF-8 text; the same results give the same bytes.
///
/// Source: the schema of Apache Ant's JUnitReport task, as far as build servers agree on it.
package struct JUnitReport: Sendable {
  package struct Case: Hashable, Sendable {
    package enum Outcome: Hashable, Sendable {
      case passed
      /// The message in one line, and the complete text.
      case failed(String, text: String)
      case skipped(String)
    }

    package var name: String
    /// Names separated by dots, which readers use to group test cases.
    package var className: String
    package var outcome: Outcome

    package init(name: String, className: String, outcome: Outcome) {
      self.name = name
      self.className = className
      self.outcome = outcome
    }
  }

  package var cases: [Case]
  /// How many further cases there were.
  package var leftOut: Int

  package init(cases: [Case], leftOut: Int = 0) {
    self.cases = cases
    self.leftOut = leftOut
  }

  package var xml: String {
    var page = Markup()
    page.raw("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n")
    page.element("testsuites", counts) { page in
      page.raw("\n")
      page.element("testsuite", counts) { page in
        page.raw("\n")
        for item in cases { write(item, into: &page) }
        if leftOut > 0 {
          page.element("system-out", "\(leftOut) more test cases were left out.")
          page.raw("\n")
        }
      }
      page.raw("\n")
    }
    page.raw("\n")
    return page.text
  }

  /// The time that the program needed. It says nothing about the app, because everything is simulated.
  private var counts: Markup.Attributes {
    var failures = 0
    var skipped = 0
    for item in cases {
      switch item.outcome {
      case .passed: break
      case .failed: failures += 1
      case .skipped: skipped += 1
      }
    }
    return [
      "name": "beaconkeeper simulate", "tests": "\(cases.count)", "failures": "\(failures)", "errors": "0",
      "skipped": "\(skipped)", "time": "0",
    ]
  }

  private func write(_ item: Case, into page: inout Markup) {
    page.element("testcase", ["classname": item.className, "name": item.name, "time": "0"]) { page in
      switch item.outcome {
      case .passed: break
      case .failed(let message, let text):
        page.element("failure", ["message": message, "type": "expectation"], text)
      case .skipped(let message): page.element("skipped", ["message": message])
      }
    }
    page.raw("\n")
  }
}
