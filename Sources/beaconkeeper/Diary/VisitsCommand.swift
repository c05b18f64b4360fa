import ArgumentParser
import Configuration
import Core
import Gateway
import Glibc
import Outbox

struct VisitsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "visits",
    abstract: "Who was where, from when to when? Read from the gateway's diary.",
    discussion: """
      A gateway keeps every transition for weeks (see diary: in the configuration). This makes visits of them: from enter to \
      exit, with their length. The gateway may run meanwhile; the last two minutes may be missing. "?" is an end that nobody \
      saw, for example because the gateway stopped. The line then says when the beacon was there last for certain. If no \
      gateway ran for a minute or more of a visit, it says so. "earlier" is a beginning before the diary's.

      Times are printed on this machine's clock; those of --csv and --json are UTC. A time is given as \
      2026-11-28T08:00:00Z, as "2026-11-28 08:00" or a day (2026-11-28) on this machine's clock, or as so long ago: 30m, \
      24h, 7d.

      Exit status: 0, 64 wrong usage, 69 there is no diary, 74 it cannot be read, 78 a bad configuration.

      EXAMPLES
        sudo beaconkeeper visits
        sudo beaconkeeper visits --since 7d --beacon keys
        sudo beaconkeeper visits --place kitchen --since 2026-11-01 --by-hour
        sudo beaconkeeper visits --since 30d --csv >visits.csv
      """)

  @OptionGroup var file: ConfigurationOption
  @Option(
    help: ArgumentHelp(
      "Leave out visits that ended before: 24h (the default), 2026-11-28, 2026-11-28T08:00:00Z.",
      valueName: "time"))
  var since: PointInTime?
  @Option(
    help: ArgumentHelp(
      "Leave out visits that began after (default: now). A day counts to its end. An hour that comes twice, when summer time ends, counts whole.",
      valueName: "time"))
  var until: PointInTime?
  @Option(help: ArgumentHelp("Only of this beacon, by its name or its display name.", valueName: "name"))
  var beacon: String?
  @Option(help: ArgumentHelp("Only in this zone or room.", valueName: "name"))
  var place: String?
  @Flag(help: "Count how many visits began in each hour of the day.") var byHour = false
  @Flag(help: "Print comma-separated values.") var csv = false
  @Flag(help: "Print JSON, one object a line.") var json = false

  func validate() throws {
    if csv, json { throw ValidationError("--csv and --json exclude each other") }
    if byHour, csv || json {
      throw ValidationError("--by-hour is a table for people; count the lines of --csv")
    }
  }

  func run() throws {
    let configuration = try file.load()
    let store = try openDiary(configuration)
    defer { store.close() }
    let now = LiveClock.wallNow
    let from = since?.time(at: now) ?? now - .seconds(86_400)
    let end = until?.end(at: now)
    if let end, end <= from { throw refusal("--until is not after --since", Self.self) }
    var query = DiaryQuery()
    query.thing = try beacon.map { try thing(called: $0, configuration, Self.self) }
    (query.place, query.kinds) = (place, [.zone, .room])
    let isRunning = StateDirectory(configured: configuration.stateDirectory).isInUse(
      gateway: configuration.gatewayName)
    let visits = try attempt(.inputOutput, "the diary cannot be read") {
      var book = VisitBook(since: from, until: end, pauses: try store.pauses(isRunning: isRunning))
      try store.forEach(query) { book.note($0) }
      return book.visits
    }
    if csv {
      try tell(Visit.csvHead)
      for visit in visits { try tell(visit.csv(at: now)) }
    } else if json {
      for visit in visits {
        try tell(String(decoding: JSONWriter.object { visit.write(into: &$0, at: now) }, as: UTF8.self))
      }
    } else if byHour {
      try tellHours(visits)
    } else {
      try tellTable(visits, from, now)
    }
  }

  private func tellTable(_ visits: [Visit], _ from: WallTime, _ now: WallTime) throws {
    guard !visits.isEmpty else {
      let whose = (beacon.map { " of \($0)" } ?? "") + (place.map { " in \($0)" } ?? "")
      return say("beaconkeeper: no visits\(whose) since \(from.localMinute)")
    }
    let beacons = visits.map(\.beacon.count).max() ?? 0
    let places = visits.map(\.place.count).max() ?? 0
    for visit in visits {
      let start = visit.from?.localMinute ?? "earlier"
      let line = [
        start.padded(to: 16), "to", end(of: visit).padded(to: 16), visit.beacon.padded(to: beacons),
        visit.place.padded(to: places), remark(on: visit, at: now),
      ].joined(separator: "  ")
      try tell(line.printable)
    }
  }

  /// The end, with its date only if that differs from the beginning's.
  private func end(of visit: Visit) -> String {
    guard let end = visit.to?.localMinute else { return visit.isEndUnknown ? "?" : "now" }
    return end.prefix(10) == visit.from?.localMinute.prefix(10) ? String(end.dropFirst(11)) : end
  }

  /// Its length, and for how much of it no gateway ran.
  private func remark(on visit: Visit, at now: WallTime) -> String {
    if let last = visit.lastKnown { return "unknown, there until \(last.localMinute) at least" }
    guard let length = visit.length(at: now).map(lengthText) else { return "" }
    guard let unwatched = visit.unwatched, unwatched >= .seconds(60) else { return length }
    return "\(length), \(lengthText(unwatched)) of it without the gateway"
  }

  private func lengthText(_ length: TimeSpan) -> String {
    let seconds = Int(length.seconds.rounded())
    switch seconds {
    case ..<120: return "\(seconds) s"
    case ..<7200: return "\(seconds / 60) min"
    case ..<172_800: return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
    default: return "\(seconds / 86_400) d \(seconds % 86_400 / 3600) h"
    }
  }

  private func tellHours(_ visits: [Visit]) throws {
    var counts = [Int](repeating: 0, count: 24)
    for visit in visits {
      if let from = visit.from { counts[Int(from.local.tm_hour) % 24] += 1 }
    }
    let most = max(counts.max() ?? 0, 1)
    for (hour, count) in counts.enumerated() {
      let bar = String(repeating: "█", count: (count * 40 + most - 1) / most)
      try tell("\(hour < 10 ? "0" : "")\(hour)  \("\(count)".padded(to: 6))\(bar)")
    }
    let unknown = visits.count { $0.from == nil }
    if unknown > 0 { try tell("and \(unknown) that began before the diary") }
  }
}

struct ForgetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Deletes all that the diary has about a beacon or a phone.",
    discussion: """
      It is deleted from the file at once, and not only marked. A gateway that runs forgets it within a minute, also on its \
      page. What the gateway decides afterwards is kept again. To end that, first remove the beacon from the configuration and \
      reload, then forget it; or set diary: off. Other programs, such as Home Assistant, keep what they have received.

      Exit status: 0, 64 wrong usage, 69 there is no diary, 74 it cannot be written, 78 a bad configuration.

      EXAMPLES
        sudo beaconkeeper forget anna
        sudo beaconkeeper forget fleet:1.2
      """)

  @Argument(
    help: ArgumentHelp(
      "The beacon or phone: its name in the diary, or the beacon's display name.", valueName: "name"))
  var name: String
  @OptionGroup var file: ConfigurationOption

  func run() throws {
    let configuration = try file.load()
    let thing = try thing(called: name, configuration, Self.self)
    let store = try openDiary(configuration)
    defer { store.close() }
    let (count, known) = try attempt(.inputOutput, "the diary cannot be written") {
      (try store.forget(thing, at: LiveClock.wallNow), try store.things())
    }
    guard count == 0 else {
      return try tell("\(count) \(count == 1 ? "entry" : "entries") about \(name) deleted".printable)
    }
    let hint = suggestion(for: name, among: known, whenEmpty: "it has no names at all")
    try tell(
      "the diary has nothing about \(name); \(hint). A gateway that runs forgets what it has not written yet"
        .printable)
  }
}
