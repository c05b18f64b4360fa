import Contract
import Core
import Phones

/// A profile and the result of one approach; on a page, for all systems with the same result.
package struct SingleRow {
  let result: Simulation
  let name: String
  /// The id of its card on the page.
  let anchor: String?
  let battery: Double

  /// For a terminal: systems on which a strategy has the same result share a row, and the newest systems come first.
  package static func all(_ results: [Simulation]) -> [SingleRow] {
    let names = SystemNames(results.map(\.profile))
    var groups: [(cells: [String], rows: [SingleRow])] = []
    for result in results {
      let row = SingleRow(result, name: "", anchor: nil, battery: result.batteryFactor)
      let cells = table.cells(row)
      if let same = groups.firstIndex(where: { $0.cells == cells }) {
        groups[same].rows.append(row)
      } else {
        groups.append((cells, [row]))
      }
    }
    return names.newestFirst(groups.map(\.rows)) { $0.result.profile }.map { rows in
      let result = rows[0].result
      return SingleRow(
        result, name: names.words(rows.map(\.result.profile)), anchor: nil, battery: result.batteryFactor)
    }
  }

  init(_ result: Simulation, name: String, anchor: String?, battery: Double) {
    self.result = result
    self.name = name
    self.anchor = anchor
    self.battery = battery
  }

  package static var table: Table<SingleRow> {
    Table([
      .init("Profile", on: .page) {
        $0.name
      } write: {
        $1.name($0.name, $0.anchor)
      },
      .init("OS", on: .terminal) { $0.name },
      .init("Strategy", on: .terminal) { $0.result.profile.strategy.name },
      .init("Outcome", on: .page) {
        Outcome($0.result).word
      } write: {
        $0.writeOutcome(into: &$1)
      },
      .init(
        "Outcome", on: .terminal,
        meaning: "of several near triggers: how many the app saw, and which it missed"
      ) {
        $0.outcomeWords
      },
      .init("Why", on: .page) {
        $0.why
      } write: {
        if !$0.why.isEmpty { $1.code($0.why) }
      },
      .number("First seen", meaning: "the first region enter or ranging callback with the beacon in it") {
        $0.result.totals.detected.map(Figures.time) ?? "never"
      },
      .number("Near", meaning: "when the near threshold was crossed first") {
        $0.result.verdicts.first.map { Figures.time($0.crossed) } ?? "never"
      },
      .number("Late by", meaning: "how long after the crossing the app saw it; of several, the longest") {
        $0.result.verdicts.compactMap(\.lateness).max().map(Figures.time) ?? ""
      },
      .number(
        "Window ended",
        meaning:
          "when the app last could run before the crossing, or next after it, and how far away the phone was"
      ) { $0.windowEnd },
      .number("Ranging", meaning: "how long the app's receiver listened") {
        Figures.time($0.result.totals.ranging)
      },
      .number(
        "Battery",
        meaning: "drain over the time followed, as a multiple of a phone that neither ranges nor locates; "
          + "--compare takes a whole day"
      ) { Figures.factor($0.battery) },
      .init("Risk", meaning: "how easily the strategy breaks") {
        $0.result.profile.strategy[.risk].rawValue
      },
      .init("Review", meaning: "how likely an app store refuses it") {
        $0.result.profile.strategy[.reviewRisk].rawValue
      },
    ])
  }

  private func writeOutcome(into page: inout Markup) {
    Outcome(result).write(into: &page)
    guard result.verdicts.count > 1 else { return }
    page.say(" ")
    page.element(
      "span", ["class": "together"],
      "(\(result.verdicts.count { $0.outcome.isDelivered }) of \(result.verdicts.count))")
  }

  /// `DELIVERED`. For several near triggers `1 of 3: missed B at 60 s, C at 120 s (GRACE_EXPIRED)`. For none `never near
  /// (GRACE_EXPIRED)`, with what kept the app from ranging at the end; that is no miss.
  private var outcomeWords: String {
    let verdicts = result.verdicts
    guard let first = verdicts.first else {
      return "never near" + (result.outcome.map { " (\($0.rawValue))" } ?? "")
    }
    guard verdicts.count > 1 else { return first.outcome.rawValue }
    let missed = verdicts.filter { !$0.outcome.isDelivered }
    let late = verdicts.count { $0.outcome == .deliveredLate }
    let words =
      "\(verdicts.count - missed.count) of \(verdicts.count)" + (late > 0 ? " (\(late) late)" : "")
    guard let places = result.missedPlaces else { return words }
    var reasons: [String] = []
    for reason in missed.map(\.outcome.rawValue) where !reasons.contains(reason) { reasons.append(reason) }
    return "\(words): missed \(places) (\(reasons.joined(separator: ", ")))"
  }

  private var why: String {
    let why = result.verdicts.first?.blockedBy ?? result.outcome
    return why.map { $0.isDelivered ? "" : $0.rawValue } ?? ""
  }

  private var windowEnd: String {
    guard let closing = result.closing else { return result.totals.ranging > 0 ? "open" : "none" }
    let place = result.timeline.distance(at: closing.time)
    return Figures.time(closing.time) + (place.map { ", \(Figures.metres($0))" } ?? "")
  }
}

/// A profile and the sums of several approaches; on a page, for all systems with the same sums.
package struct TallyRow {
  let tally: Tally
  let name: String
  /// The id of a card on the page.
  let anchor: String?
  let battery: Double

  init(_ tally: Tally, name: String, anchor: String?, battery: Double) {
    self.tally = tally
    self.name = name
    self.anchor = anchor
    self.battery = battery
  }

  /// For a terminal: as the rows of `SingleRow.all`, after those of phones with a name.
  package static func all(_ tallies: [Tally]) -> [TallyRow] {
    let names = SystemNames(tallies.map(\.profile))
    let groups = groups(tallies)
    let phones = groups.filter { $0[0].phone != nil }
    return (phones + names.newestFirst(groups.filter { $0[0].phone == nil }, \.profile)).map { group in
      TallyRow(
        group[0], name: names.words(group.map(\.profile)), anchor: nil, battery: group[0].batteryFactor)
    }
  }

  /// Groups systems on which a strategy has the same result.
  private static func groups(_ tallies: [Tally]) -> [[Tally]] {
    var groups: [[Tally]] = []
    for tally in tallies {
      let same = groups.firstIndex { group in
        group[0].comesToTheSame(as: tally) && !group.contains { $0.profile == tally.profile }
      }
      if let same { groups[same].append(tally) } else { groups.append([tally]) }
    }
    return groups
  }

  static func all(_ report: Report, _ cards: [Card]) -> [TallyRow] {
    groups(report.tallies).map { group in
      let tally = group[0]
      return TallyRow(
        tally, name: report.name(of: group.map(\.profile), tally.phone),
        anchor: cards.first { $0.holds(tally.profile, of: tally.phone) }?.id,
        battery: tally.batteryFactor(over: report.tallySpan))
    }
  }

  /// - Parameters:
  ///   - hasPhones: whether some rows are of a phone with a name.
  ///   - hasCrowd: whether a crowd was followed, too, which a page then shows.
  package static func table(hasPhones: Bool = false, hasCrowd: Bool = false) -> Table<TallyRow> {
    Table(
      [
        .init("Profile", on: .page) {
          $0.name
        } write: {
          $1.name($0.name, $0.anchor)
        }
      ]
        + (hasPhones ? [.init("Phone", on: .terminal) { $0.tally.phone ?? "" }] : [])
        + [
          .init("OS", on: .terminal) { $0.name },
          .init("Strategy", on: .terminal) { $0.tally.profile.strategy.name },
          .init(
            "Delivered",
            meaning: "share of the near triggers that the app saw, in time or late, on the typical phone",
            isNumber: true
          ) {
            Figures.share($0.tally.share)
          } write: {
            $0.writeShare(into: &$1)
          },
        ]
        + (hasCrowd
          ? [
            .init(
              "Crowd", on: .page, meaning: "the same share: the mean over a crowd of phones that differ",
              isNumber: true
            ) { Figures.share($0.tally.meanShare) }
          ] : [])
        + [
          .number("In time", meaning: "less than a second after the crossing") { "\($0.tally.delivered)" },
          .number("Late") { "\($0.tally.late)" },
          .number("Missed") { "\($0.tally.missedCount)" },
          .number("Ranging", meaning: "how long the app's receiver listened") {
            Figures.time($0.tally.ranging)
          },
          .number(
            "Battery",
            meaning:
              "drain over the time followed, as a multiple of a phone that neither ranges nor locates; "
              + "--compare takes a whole day"
          ) { Figures.drain($0.battery) },
          .init("Missed because") {
            $0.tally.reasonWords
          } write: {
            $1.codes($0.tally.reasons)
          },
          .init("Risk", on: .page, meaning: "how easily the strategy breaks") {
            $0.tally.profile.strategy[.risk].rawValue
          },
          .init("Review", on: .page, meaning: "how likely an app store refuses it") {
            $0.tally.profile.strategy[.reviewRisk].rawValue
          },
        ])
  }

  private func writeShare(into page: inout Markup) {
    page.say(Figures.share(tally.share))
    guard let share = tally.share else { return }
    page.element("span", ["class": "meter", "aria-hidden": "true"]) { page in
      page.element("span", ["style": "width:\(Figures.number(share * 100, 1))%"], "")
    }
  }
}

/// A strategy compared with the others of its system; `number` is its rank.
package struct ComparisonRow {
  let number: Int
  let entry: Comparison.Entry

  package static func all(_ comparison: Comparison) -> [ComparisonRow] {
    comparison.entries.enumerated().map { ComparisonRow(number: $0.offset + 1, entry: $0.element) }
  }

  package static func table(visitsPerDay: Int) -> Table<ComparisonRow> {
    let visits = visitsPerDay == 1 ? "one such approach" : "\(visitsPerDay) such approaches"
    return Table([
      .number("") { "\($0.number)" },
      .init("Strategy") { $0.entry.tally.profile.strategy.name },
      .number(
        "Delivered",
        meaning:
          "share of the near triggers that the app saw, in time or late: the mean over a crowd of phones that differ"
      ) { Figures.share($0.entry.tally.meanShare) },
      .number("9 of 10", meaning: "nine of ten phones of the crowd deliver a share between these") {
        $0.entry.tally.shareInterval.map(Figures.share) ?? ""
      },
      .number("Half by", meaning: "half of the crowd's deliveries were at most this late") {
        $0.entry.tally.lateness(of: 0.5).map(Figures.time) ?? ""
      },
      .number("90 % by", meaning: "nine of ten were at most this late") {
        $0.entry.tally.lateness(of: 0.9).map(Figures.time) ?? ""
      },
      .number(
        "False",
        meaning: "times that the app fired though the beacon was not near, on the phone that did so most"
      ) {
        "\($0.entry.tally.falseTriggers)"
      },
      .number(
        "Battery",
        meaning:
          "drain of a day with \(visits), otherwise out of range; 2 means twice as fast as without ranging"
      ) { Figures.drain($0.entry.tally.batteryFactor) },
      .init(
        "Front",
        meaning:
          "★ it delivers, and no other strategy of this system delivers as much for less, or more for as little"
      ) {
        $0.entry.isOnFront ? "★" : ""
      },
      .init("Review", meaning: "how likely an app store refuses the strategy") {
        $0.entry.tally.profile.strategy[.reviewRisk].rawValue
      },
      .init("Permission", meaning: "what the app asks the user for") {
        $0.entry.tally.profile.strategy.permissionAsked
      },
      .init("Missed because", on: .terminal, meaning: "by the typical phone") {
        $0.entry.tally.reasonWords
      },
      .init(
        "Hangs on",
        meaning:
          "what decided, and nobody measured on this system: the crowd spreads wider than what was measured elsewhere"
      ) {
        $0.entry.tally.unmeasured.map(\.rule).joined(separator: ", ")
      },
    ])
  }
}

extension Report {
  /// The time over which the drain of several approaches is compared.
  var tallySpan: Milliseconds { tallies.map(\.span).max() ?? 0 }

  func name(of profiles: [PhoneProfile], _ phone: String?) -> String {
    (phone.map { "\($0): " } ?? "") + systems.words(profiles) + " · " + (profiles.first?.strategy.name ?? "")
  }
}

extension Simulation {
  /// `Bronze at 87 s, Cup at 117 s and 2 more`; nil: no near trigger was missed.
  var missedPlaces: String? {
    let missed = verdicts.filter { !$0.outcome.isDelivered }
    if missed.isEmpty { return nil }
    let places = missed.prefix(3).map { verdict in
      (timeline.name(of: verdict.beacon).map { "\($0) " } ?? "") + "at " + Figures.time(verdict.crossed)
    }
    let more = missed.count > places.count ? " and \(missed.count - places.count) more" : ""
    return places.joined(separator: ", ") + more
  }

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

  fileprivate var reasonWords: String {
    reasons.map { "\($0.reason.rawValue) \($0.count)" }.joined(separator: ", ")
  }
}

extension Figures {
  /// A factor with enough digits to show how far it is above 1: `×1.0021`.
  static func drain(_ factor: Double) -> String { "×" + number(factor, factor < 1.1 ? 4 : 2) }

  /// `71–94 %`.
  fileprivate static func share(_ shares: ClosedRange<Double>) -> String {
    let (low, high) = (number(shares.lowerBound * 100, 0), number(shares.upperBound * 100, 0))
    return low == high ? "\(low) %" : "\(low)–\(high) %"
  }

  /// The share of near triggers.
  fileprivate static func share(_ share: Double?) -> String {
    share.map { number($0 * 100, 1) + " %" } ?? "none"
  }
}

extension Markup {
  fileprivate mutating func name(_ name: String, _ anchor: String?) {
    if let anchor { element("a", ["href": "#\(anchor)"], name) } else { say(name) }
  }

  fileprivate mutating func codes(_ reasons: [(reason: Reason, count: Int)]) {
    for (index, reason) in reasons.enumerated() {
      if index > 0 { say(", ") }
      code(reason.reason.rawValue)
      say(" \(reason.count)")
    }
  }
}

/// Amounts of the ranging policy.
extension Figures {
  /// `46 s`, `3 min 5 s`, `2 h 10 min`; never finer than useful.
  static func time(_ time: Milliseconds) -> String {
    let seconds = Double(time) / 1000
    if abs(seconds) < 600 { return number(seconds, 1) + " s" }
    let minutes = time / 60_000
    let rest = (time / 1000) % 60
    if minutes < 120 { return "\(minutes) min" + (rest > 0 ? " \(rest) s" : "") }
    let hours = minutes / 60
    return "\(hours) h" + (minutes % 60 > 0 ? " \(minutes % 60) min" : "")
  }

  static func metres(_ distance: Micrometres) -> String { number(Double(distance) / 1e6, 2) + " m" }
  static func factor(_ factor: Double) -> String { "×" + decimal(factor, decimals: 2) }
}
