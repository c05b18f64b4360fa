import Core
import Phones
import Reports

/// Results of `simulate` for people: a line for each profile, and the meaning of the codes.
struct SimulationTable {
  let text: String

  /// One approach.
  init(_ results: [Simulation], _ variant: Variant, _ since: Since, at instants: [Milliseconds] = []) {
    let table = SingleRow.table
    let reasons = results.map { result in
      (
        result.profile.os.family,
        (result.verdicts.isEmpty ? result.outcome.map { [$0] } ?? [] : result.verdicts.map(\.outcome))
          + instants.compactMap { result.window(at: $0)?.why }
      )
    }
    text =
      Self.header(variant, since, results.map(\.profile)) + table.text(SingleRow.all(results))
      + Self.instants(instants, of: results) + "\n\n"
      + Self.legend(table.legend, reasons)
  }

  /// Several approaches.
  init(_ tallies: [Tally], _ variant: Variant, _ since: Since) {
    let table = TallyRow.table(hasPhones: tallies.contains { $0.phone != nil })
    text =
      Self.header(variant, since, tallies.map(\.profile)) + table.text(TallyRow.all(tallies)) + "\n\n"
      + Self.legend(table.legend, tallies.map(Self.misses))
  }

  /// The strategies of each system, best first; of the newest systems first.
  init(_ comparisons: [Comparison], _ variant: Variant, _ since: Since, visitsPerDay: Int) {
    let table = ComparisonRow.table(visitsPerDay: visitsPerDay)
    let newestFirst = [OSProfile.Family.iOS, .android].flatMap { family in
      comparisons.filter { $0.systems[0].family == family }.reversed()
    }
    let parts = newestFirst.map { comparison in
      comparison.systems.map(\.name).joined(separator: ", ") + "\n"
        + table.text(ComparisonRow.all(comparison))
    }
    let reasons = comparisons.flatMap { $0.entries.map { Self.misses($0.tally) } }
    text =
      Self.header(variant, since, comparisons.flatMap(\.entries).map(\.tally.profile))
      + parts.joined(separator: "\n\n") + "\n\n" + Self.legend(table.legend, reasons)
  }

  /// Which iOS it is about, and how long the phone has been in a pocket.
  private static func header(_ variant: Variant, _ since: Since, _ profiles: [PhoneProfile]) -> String {
    (profiles.contains { $0.os.family == .iOS } ? "\(variant.words)\n" : "")
      + profiles.circumstances.map { "\($0.name): \($0.summary)\n" }.joined() + "\(since.words)\n\n"
  }

  /// A note before the table, if a walk begins where the beacon is already heard: what wakes the app at its start would not wake
  /// the app of a phone that has been there for a while.
  static func note(on walks: [Approach]) -> String {
    let isInEarshot = walks.contains { walk in
      walk.timeline.distance(at: 0).map { $0 < Double(StrategyProfile.usualHearing) / 1e6 } ?? false
    }
    return isInEarshot
      ? "The walk begins in earshot: the phone hears the beacon from its start on, as if it came into range just then.\nOne that has been there for longer gets no event: a walk from 60 m shows it.\n"
      : ""
  }

  /// A line for each instant and profile.
  private static func instants(_ instants: [Milliseconds], of results: [Simulation]) -> String {
    guard !instants.isEmpty else { return "" }
    var table = [
      [
        "AT", "OS", "STRATEGY", "STATE", "BACKGROUND TIME REMAINING", "DISTANCE", "WHY NOT RANGING",
      ]
    ]
    for time in instants {
      for result in results {
        let window = result.window(at: time)
        table.append([
          seconds(time), result.profile.os.name, result.profile.strategy.name, window?.state.rawValue ?? "",
          window.map { $0.remaining(at: time).map(seconds) ?? "unlimited" } ?? "",
          result.timeline.distance(at: time).map { decimal($0, decimals: 1) + " m" } ?? "",
          window?.why?.rawValue ?? "",
        ])
      }
    }
    return "\n\n" + table.text
  }

  private static func misses(_ tally: Tally) -> (OSProfile.Family, [Reason]) {
    (tally.profile.os.family, Array(tally.missed.keys))
  }

  /// The meaning of the columns and of the codes in them, with the names of the platforms on which they occur.
  private static func legend(
    _ columns: [(name: String, words: String)], _ reasons: [(OSProfile.Family, [Reason])]
  ) -> String {
    var found: [Reason: Set<OSProfile.Family>] = [:]
    for (family, reasons) in reasons {
      for reason in reasons { found[reason, default: []].insert(family) }
    }
    return [[String]](
      terms:
        columns
        + Reason.allCases.compactMap { reason in
          found[reason].map { (reason.rawValue, reason.explanation(on: $0)) }
        }
    ).text
  }

  private static func seconds(_ time: Milliseconds) -> String {
    decimal(Double(time) / 1000, decimals: 1) + " s"
  }
}

extension [PhoneProfile] {
  /// The device and the conditions that any of them has.
  var circumstances: [Circumstance] {
    (Catalogue.devices + Catalogue.conditions).filter { circumstance in
      contains { $0.circumstances.contains(circumstance.name) }
    }
  }
}
