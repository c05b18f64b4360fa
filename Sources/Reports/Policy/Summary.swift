import Phones

/// The table at the top: one row per profile.
struct Summary {
  let report: Report
  let cards: [Card]

  func write(into page: inout Markup) {
    page.element("section", ["aria-labelledby": "summary"]) { page in
      page.element("h2", ["id": "summary"], "Summary")
      page.element("p", sentence)
      page.element(
        "div", ["class": "scroll", "tabindex": "0", "role": "region", "aria-labelledby": "summary"]
      ) {
        page in
        page.element("table", ["class": "wide stack"]) { page in
          page.element("caption", report.isSingle ? caption : "Over all approaches. \(costs)")
          if report.isSingle {
            let rows = cards.map { card in
              SingleRow(
                card.result, name: report.name(of: card.profiles, card.example.phone), anchor: card.id,
                battery: card.result.batteryFactor(over: report.span))
            }
            SingleRow.table.write(rows, into: &page)
          } else {
            TallyRow.table(hasCrowd: report.hasCrowd).write(TallyRow.all(report, cards), into: &page)
          }
        }
      }
    }
  }

  private var caption: String {
    let several = report.tallies.contains { $0.triggers > 1 }
    return "Times count from the start"
      + (several ? "; near: the first of several, and how many of all came through. " : ". ") + costs
  }

  private var costs: String {
    let span = report.isSingle ? report.span : report.tallySpan
    return "Battery: all over the same \(Figures.time(span)), idle after their own end."
  }

  private var sentence: String {
    let all = report.tallies.count { $0.share == 1 }
    let late = report.tallies.count { $0.share == 1 && $0.late > 0 }
    let total = report.tallies.count { $0.share != nil }
    if total == 0 { return "The phone never came near: there was nothing to deliver." }
    let text =
      "\(all) of \(total) \(total == 1 ? "profile" : "profiles") would have delivered every near trigger"
    return text + (late > 0 ? ", \(late) of them late." : ".")
      + (report.hasCrowd
        ? " That is the typical phone; in the comparison a crowd of phones that differ delivers its own share."
        : "")
  }
}
