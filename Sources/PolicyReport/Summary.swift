import RangingPolicy

/// The table at the top: one row per profile.
struct Summary {
  let report: Report

  init(_ report: Report) { self.report = report }

  func write(into page: inout Markup) {
    page.element("section", ["aria-labelledby": "summary"]) { page in
      page.element("h2", ["id": "summary"], "Summary")
      page.element("p", sentence)
      page.element(
        "div", ["class": "scroll", "tabindex": "0", "role": "region", "aria-labelledby": "summary"]
      ) {
        page in
        page.element("table", ["class": "wide"]) { page in
          page.element("caption", report.isSingle ? caption : "Over all approaches")
          if report.isSingle { writeSingle(into: &page) } else { writeTallies(into: &page) }
        }
      }
    }
  }

  private var caption: String {
    let several = report.tallies.contains { $0.triggers > 1 }
    return "Times count from the start"
      + (several ? "; the first near trigger, and how many of all came through" : "")
  }

  private var sentence: String {
    let all = report.tallies.count { $0.share == 1 }
    let late = report.tallies.count { $0.share == 1 && $0.late > 0 }
    let total = report.tallies.count { $0.share != nil }
    if total == 0 { return "The phone never came near: there was nothing to deliver." }
    let text =
      "\(all) of \(total) \(total == 1 ? "profile" : "profiles") would have delivered every near trigger"
    return text + (late > 0 ? ", \(late) of them late." : ".")
  }

  private func head(_ titles: [String], into page: inout Markup) {
    page.element("thead") { page in
      page.element("tr") { page in for title in titles { page.element("th", ["scope": "col"], title) } }
    }
  }

  private func name(_ tally: Tally, into page: inout Markup) {
    let name = tally.phone.map { "\($0): " } ?? ""
    page.element("th", ["scope": "row"]) { page in
      if let anchor = report.anchor(of: tally) {
        page.element("a", ["href": "#\(anchor)"], name + tally.profile.name)
      } else {
        page.say(name + tally.profile.name)
      }
    }
  }

  private func writeSingle(into page: inout Markup) {
    head(
      [
        "Profile", "Outcome", "Why", "First seen", "Near", "Late by", "Window ended", "Ranging", "Battery",
        "Risk",
        "Review",
      ], into: &page)
    page.element("tbody") { page in
      for tally in report.tallies {
        guard
          let result = report.examples.first(where: {
            $0.result.profile == tally.profile && $0.phone == tally.phone
          })?.result
        else { continue }
        page.element("tr") { page in
          name(tally, into: &page)
          page.element("td") { page in
            Outcome(result).write(into: &page)
            if tally.triggers > 1 {
              page.say(" (\(tally.delivered + tally.late) of \(tally.triggers))")
            }
          }
          page.element("td", ["class": "why"]) { page in
            if let why = result.verdicts.first?.blockedBy ?? result.outcome, !why.isDelivered {
              page.element("code", why.rawValue)
            }
          }
          let closing = result.closing
          let place = closing.flatMap { result.timeline.distance(at: $0.time) }
          cells(
            [
              result.totals.detected.map(Figures.time) ?? "never",
              result.verdicts.first.map { Figures.time($0.crossed) } ?? "never",
              result.verdicts.first?.lateness.map(Figures.time) ?? "",
              closing.map { Figures.time($0.time) + (place.map { ", \(Figures.metres($0))" } ?? "") }
                ?? (result.totals.ranging > 0 ? "open" : "none"),
              Figures.time(result.totals.ranging), Figures.factor(result.batteryFactor),
            ], into: &page)
          risks(tally, into: &page)
        }
      }
    }
  }

  private func writeTallies(into page: inout Markup) {
    head(
      [
        "Profile", "Delivered", "In time", "Late", "Missed", "Missed because", "Ranging", "Battery", "Risk",
        "Review",
      ],
      into: &page)
    page.element("tbody") { page in
      for tally in report.tallies {
        page.element("tr") { page in
          name(tally, into: &page)
          page.element("td", ["class": "number"]) { page in
            page.say(Figures.percent(tally.share))
            if let share = tally.share {
              page.element("span", ["class": "meter", "aria-hidden": "true"]) { page in
                page.element("span", ["style": "width:\(Figures.number(share * 100, 1))%"], "")
              }
            }
          }
          cells(["\(tally.delivered)", "\(tally.late)", "\(tally.missedCount)"], into: &page)
          page.element("td", ["class": "why"]) { page in
            for (index, reason) in tally.reasons.enumerated() {
              if index > 0 { page.say(", ") }
              page.element("code", reason.reason.rawValue)
              page.say(" \(reason.count)")
            }
          }
          cells([Figures.time(tally.ranging), Figures.drain(tally.batteryFactor)], into: &page)
          risks(tally, into: &page)
        }
      }
    }
  }

  private func cells(_ cells: [String], into page: inout Markup) {
    for cell in cells { page.element("td", ["class": "number"], cell) }
  }

  private func risks(_ tally: Tally, into page: inout Markup) {
    page.element("td", tally.profile.strategy.risk.value.rawValue)
    page.element("td", tally.profile.strategy.reviewRisk.value.rawValue)
  }
}
