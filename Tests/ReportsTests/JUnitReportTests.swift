import Reports
import TestSupport
import Testing

/// Results as JUnit XML.
@Suite struct JUnitReportTests {
  @Test func everyOutcomeIsCountedAndNothingBreaksTheXML() {
    let report = JUnitReport(
      cases: [
        .init(name: "delivered, a<b>&\"c'\u{0}", className: "ios17.stock", outcome: .passed),
        .init(
          name: "late", className: "ios17.stock",
          outcome: .failed("near at 4 s & <missed>", text: "a\n]]>b\u{1B}[0m")),
        .init(name: "late", className: "ios7.stock", outcome: .skipped("never near")),
      ], leftOut: 7)
    #expect(
      PageReader(report.xml)?.elements == [
        "testsuites": 1, "testsuite": 1, "testcase": 3, "failure": 1, "skipped": 1, "system-out": 1,
      ])
    #expect(report.xml.contains("tests=\"3\" failures=\"1\" errors=\"0\" skipped=\"1\""))
    #expect(report.xml.contains("7 more test cases were left out"))
  }

  @Test func thereMayBeNoCase() {
    #expect(PageReader(JUnitReport(cases: []).xml)?.elements == ["testsuites": 1, "testsuite": 1])
  }
}
