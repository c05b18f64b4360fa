import Pages
import RangingPolicy

/// The rows of the summary where there was one approach: one for each card.
struct SingleRows {
  let cards: [Card]
  let report: Report

  func write(into page: inout Markup) {
    page.rows(below: [
      "Profile", "Outcome", "Why", "First seen", "Near", "Late by", "Window ended", "Ranging", "Battery",
      "Risk", "Review",
    ]) { page in
      for card in cards {
        page.element("tr") { row(card, into: &$0) }
      }
    }
  }

  private func row(_ card: Card, into page: inout Markup) {
    let result = card.result
    page.name(report.name(of: card.profiles, card.example.phone), card.id)
    page.element("td") { page in
      Outcome(result).write(into: &page)
      if result.verdicts.count > 1 {
        page.say(" ")
        page.element(
          "span", ["class": "together"],
          "(\(result.verdicts.count { $0.outcome.isDelivered }) of \(result.verdicts.count))")
      }
    }
    page.element("td", ["class": "why"]) { page in
      if let why = result.verdicts.first?.blockedBy ?? result.outcome, !why.isDelivered {
        page.code(why.rawValue)
      }
    }
    let closing = result.closing
    let place = closing.flatMap { result.timeline.distance(at: $0.time) }
    page.cells([
      result.totals.detected.map(Figures.time) ?? "never",
      result.verdicts.first.map { Figures.time($0.crossed) } ?? "never",
      result.verdicts.first?.lateness.map(Figures.time) ?? "",
      closing.map { Figures.time($0.time) + (place.map { ", \(Figures.metres($0))" } ?? "") }
        ?? (result.totals.ranging > 0 ? "open" : "none"),
      Figures.time(result.totals.ranging), Figures.factor(result.batteryFactor(over: report.span)),
    ])
    page.risks(result.profile.strategy)
  }
}

/// The rows of the summary where there were several approaches. Profiles with the same sums share one.
struct TallyRows {
  let report: Report
  let cards: [Card]

  private var groups: [[Tally]] {
    var groups: [[Tally]] = []
    for tally in report.tallies {
      let same = groups.firstIndex { group in
        group[0].comesToTheSame(as: tally) && !group.contains { $0.profile == tally.profile }
      }
      if let same { groups[same].append(tally) } else { groups.append([tally]) }
    }
    return groups
  }

  func write(into page: inout Markup) {
    page.rows(below: [
      "Profile", "Delivered", "In time", "Late", "Missed", "Missed because", "Ranging", "Battery", "Risk",
      "Review",
    ]) { page in
      for group in groups {
        page.element("tr") { row(group, into: &$0) }
      }
    }
  }

  private func row(_ group: [Tally], into page: inout Markup) {
    let tally = group[0]
    let anchor = cards.first { $0.holds(tally.profile, of: tally.phone) }?.id
    page.name(report.name(of: group.map(\.profile), tally.phone), anchor)
    page.element("td", ["class": "number"]) { page in
      page.say(Figures.percent(tally.share))
      if let share = tally.share {
        page.element("span", ["class": "meter", "aria-hidden": "true"]) { page in
          page.element("span", ["style": "width:\(Figures.number(share * 100, 1))%"], "")
        }
      }
    }
    page.cells(["\(tally.delivered)", "\(tally.late)", "\(tally.missedCount)"])
    page.element("td", ["class": "why"]) { page in
      for (index, reason) in tally.reasons.enumerated() {
        if index > 0 { page.say(", ") }
        page.code(reason.reason.rawValue)
        page.say(" \(reason.count)")
      }
    }
    page.cells([
      Figures.time(tally.ranging), Figures.drain(tally.batteryFactor(over: report.tallySpan)),
    ])
    page.risks(tally.profile.strategy)
  }
}

extension Report {
  /// What the drain of several approaches is compared over.
  var tallySpan: Milliseconds { tallies.map(\.span).max() ?? 0 }

  func name(of profiles: [PhoneProfile], _ phone: String?) -> String {
    (phone.map { "\($0): " } ?? "") + systems.words(profiles) + " · " + (profiles.first?.strategy.name ?? "")
  }
}

extension Simulation {
  /// The drain over a longer span, in which the phone neither ranges nor locates after this result's end.
  func batteryFactor(over span: Milliseconds) -> Double {
    span > end ? 1 + (batteryFactor - 1) * Double(end) / Double(span) : batteryFactor
  }
}

extension Tally {
  fileprivate func comesToTheSame(as other: Tally) -> Bool {
    profile.strategy == other.profile.strategy && phone == other.phone && delivered == other.delivered
      && late == other.late && missed == other.missed && batteryFactor == other.batteryFactor
      && ranging == other.ranging && worstLateness == other.worstLateness && span == other.span
      && profile.os.family == other.profile.os.family
  }
}

extension Markup {
  fileprivate mutating func name(_ name: String, _ anchor: String?) {
    element("th", ["scope": "row"]) { page in
      if let anchor { page.element("a", ["href": "#\(anchor)"], name) } else { page.say(name) }
    }
  }

  fileprivate mutating func cells(_ cells: [String]) {
    for cell in cells { element("td", ["class": "number"], cell) }
  }

  fileprivate mutating func risks(_ strategy: StrategyProfile) {
    element("td", strategy.risk.value.rawValue)
    element("td", strategy.reviewRisk.value.rawValue)
  }
}
