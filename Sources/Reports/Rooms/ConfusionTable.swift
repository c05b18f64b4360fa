import Proximity

/// The reported rooms, by the true room.
struct ConfusionTable {
  let report: RoomReport

  func write(into page: inout Markup) {
    guard let confusion = report.journey.assessment?.confusion else { return }
    let rows = confusion.indices.filter { confusion[$0].contains { $0 > 0 } }
    // No room was reported: the last column.
    let columns = (0...confusion.count).filter { told in
      rows.contains { confusion[$0][told] > 0 || $0 == told }
    }
    guard !rows.isEmpty else { return }
    page.element("section", ["aria-labelledby": "confusion"]) { page in
      page.element("h2", ["id": "confusion"], "Told and true")
      page.element(
        "p", ["class": "note"],
        "Of the time in each true room (rows), how much each room was reported (columns).")
      page.element("div", ["class": "scroll"]) { page in
        page.element("table", ["class": "heat"]) { page in
          page.rows(below: ["true"] + columns.map { name($0, confusion.count) } + ["time"]) { page in
            for truth in rows {
              let total = confusion[truth].reduce(0, +)
              page.element("tr") { page in
                page.element("th", ["scope": "row"], name(truth, confusion.count))
                for told in columns {
                  write(confusion[truth][told] / total, isHit: told == truth, into: &page)
                }
                page.element("td", ["style": "--share:0"], TimeWords.length(total))
              }
            }
          }
        }
      }
    }
  }

  private func write(_ share: Double, isHit: Bool, into page: inout Markup) {
    let style = "--share:\(Figures.number(share, 3))"
    let text = share == 0 ? "" : share < 0.005 ? "< 1 %" : Figures.percent(share)
    page.element("td", isHit ? ["class": "hit", "style": style] : ["style": style], text)
  }

  private func name(_ room: Int, _ count: Int) -> String {
    report.name(of: room < count ? RoomIndex(rawValue: Int32(room)) : nil)
  }
}
