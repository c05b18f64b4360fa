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

  private static func spread(of tally: Tally) -> String {
    guard let worst = tally.worstShare, let best = tally.bestShare, worst != best else { return "all alike" }
    return "\(Figures.percent(worst)) to \(Figures.percent(best))"
  }

  private func table(_ comparison: Comparison, id: String, into page: inout Markup) {
    page.element("table") { page in
      page.element("caption", ["id": "\(id)-b"], "Best first")
      page.rows(below: [
        "", "Strategy", "Delivered", "Worst to best", "Late", "Battery, day", "Front", "Review risk",
        "Permission",
      ]) { page in
        for (index, entry) in comparison.entries.enumerated() {
          page.element("tr") { page in
            page.element("td", ["class": "number"], "\(index + 1)")
            page.element("th", ["scope": "row"], entry.tally.profile.strategy.name)
            page.element("td", ["class": "number"], Figures.percent(entry.tally.meanShare))
            page.element("td", ["class": "number"], Self.spread(of: entry.tally))
            page.element("td", ["class": "number"], "\(entry.tally.late)")
            page.element("td", ["class": "number"], Figures.drain(entry.tally.batteryFactor))
            page.element("td", entry.isOnFront ? "★ yes" : "no")
            page.element("td", entry.tally.profile.strategy.reviewRisk.value.rawValue)
            page.element("td", entry.tally.profile.strategy.permissionAsked)
          }
        }
      }
    }
  }
}

extension Figures {
  /// A factor with enough digits to show how far it is above 1: `×1.0021`.
  static func drain(_ factor: Double) -> String { "×" + number(factor, factor < 1.1 ? 4 : 2) }
}
