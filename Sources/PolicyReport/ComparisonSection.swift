import Pages
import RangingPolicy

/// Compares the strategies: for each system a drawing of the trade-off and a table.
struct ComparisonSection {
  let comparisons: [Comparison]
  let visitsPerDay: Int

  func write(into page: inout Markup) {
    page.element("section", ["aria-labelledby": "comparison"]) { page in
      page.element("h2", ["id": "comparison"], "Which strategy for this site?")
      page.element(
        "p",
        "Battery is the drain of a whole day with \(visitsPerDay) such "
          + "\(visitsPerDay == 1 ? "approach" : "approaches"), the phone out of range for the rest of it. A strategy "
          + "on the front (★) is beaten by no other of its system in both delivery and battery. Delivered is the mean "
          + "over phones that differ in range, RSSI or latency; the upright lines go from the worst of them to the best."
      )
      page.element("div", ["class": "rankings"]) { page in
        for (index, comparison) in comparisons.enumerated() {
          write(comparison, id: "c\(index + 1)", into: &page)
        }
      }
    }
  }

  private func write(_ comparison: Comparison, id: String, into page: inout Markup) {
    page.element("article", ["aria-labelledby": "\(id)-h"]) { page in
      page.element("h3", ["id": "\(id)-h"], comparison.systems.map(\.name).joined(separator: ", "))
      page.element("figure") { page in TradeOffChart(comparison, id: id).write(into: &page) }
      page.element(
        "div", ["class": "fit", "tabindex": "0", "role": "region", "aria-labelledby": "\(id)-b"]
      ) { table(comparison, id: id, into: &$0) }
    }
  }

  private func table(_ comparison: Comparison, id: String, into page: inout Markup) {
    page.element("table") { page in
      page.element("caption", ["id": "\(id)-b"], "Best first")
      let phones = comparison.entries.first?.tally.spread.map(\.phone) ?? []
      ComparisonRow.table(visitsPerDay: visitsPerDay, phones: phones).write(
        ComparisonRow.all(comparison), into: &page)
    }
  }
}
