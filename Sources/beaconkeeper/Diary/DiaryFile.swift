import ArgumentParser
import Configuration
import Core
import FoundationEssentials
import Glibc
import Outbox

/// Opens the diary of the configured gateway, which may run meanwhile.
func openDiary(_ configuration: Configuration) throws -> DiaryStore {
  let directory = StateDirectory(configured: configuration.stateDirectory)
  let path = directory.diary(gateway: configuration.gatewayName)
  guard FileManager.default.fileExists(atPath: path) else {
    let remedy =
      access(directory.path, R_OK | X_OK) != 0 && errno == EACCES
      ? "run this as the gateway's user or as root"
      : "start the gateway, set diary: on, or name that gateway's configuration with --config"
    throw failure("there is no diary \(path); \(remedy)", .unavailable)
  }
  return try attempt(.inputOutput, "\(path) cannot be opened") { try DiaryStore(path: path) }
}

/// The name in the diary for a name that people use, which may be a display name.
func thing(
  called name: String, _ configuration: Configuration, _ command: (some ParsableCommand).Type
) throws -> String {
  let called = configuration.beacons(called: name)
  guard called.count == 1 else {
    throw refusal("\(name) is the name of \(called.joined(separator: ", ")); say which", command)
  }
  return called[0]
}

/// A time on the command line: `2026-11-28T08:00:00Z`, a day such as `2026-11-28` (from its first second
/// here), or an age: `24h`, `7d`.
struct PointInTime: ExpressibleByArgument {
  enum Content {
    case time(WallTime)
    /// On this machine's clock: a day and the first second of the next one, or an hour that exists twice.
    case span(WallTime, end: WallTime)
    case ago(TimeSpan)
  }

  let content: Content

  init?(argument: String) {
    let units: [Character: Double] = ["m": 60, "h": 3600, "d": 86_400]
    if let time = WallTime(rfc3339: argument) {
      content = .time(time)
    } else if argument.utf8.count == 16,
      let minute = WallTime(rfc3339: argument.replacing(" ", with: "T") + ":00Z")
    {
      let times = Self.local(minute)
      content = .span(times.first, end: times.last)
    } else if argument.utf8.count == 10, let day = WallTime(rfc3339: argument + "T00:00:00Z") {
      content = .span(Self.local(day).first, end: Self.local(day + .seconds(86_400)).last)
    } else if let unit = argument.last.flatMap({ units[$0] }), let count = Double(argument.dropLast()),
      count > 0, count < 100_000
    {
      content = .ago(.seconds(count * unit))
    } else {
      return nil
    }
  }

  func time(at now: WallTime) -> WallTime {
    switch content {
    case .time(let time), .span(let time, _): time
    case .ago(let span): now - span
    }
  }

  /// The same for an end: a day counts to its last second, and a time that comes twice is the second one.
  func end(at now: WallTime) -> WallTime {
    if case .span(_, let end) = content { end } else { time(at: now) }
  }

  /// The moments at which this machine's clock shows what a clock at Greenwich shows at `time`. At the end of summer time, an hour comes
  /// twice; at its beginning, one is left out, and counts as the one after it.
  fileprivate static func local(_ time: WallTime) -> (first: WallTime, last: WallTime) {
    var seconds = time_t(time.nanoseconds / 1_000_000_000)
    var shown = tm()
    gmtime_r(&seconds, &shown)
    func moment(isSummer: Int32) -> (seconds: time_t, isShown: Bool) {
      var date = shown
      date.tm_isdst = isSummer
      let seconds = mktime(&date)
      return (
        seconds, (date.tm_mday, date.tm_hour, date.tm_min) == (shown.tm_mday, shown.tm_hour, shown.tm_min)
      )
    }
    let found = [moment(isSummer: 1), moment(isSummer: 0)].filter(\.isShown).map(\.seconds)
    let times = (found.isEmpty ? [moment(isSummer: -1).seconds] : found).map {
      WallTime(nanoseconds: Int64($0) * 1_000_000_000)
    }
    return (times.min() ?? time, times.max() ?? time)
  }
}

extension WallTime {
  /// On this machine's clock.
  var local: tm {
    var date = tm()
    var seconds = time_t(nanoseconds / 1_000_000_000)
    localtime_r(&seconds, &date)
    return date
  }

  /// On this machine's clock: `2026-11-28 08:12`, and in an hour that comes twice `2026-10-25 02:12 CEST`.
  var localMinute: String {
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let date = local
    let times = PointInTime.local(self + .seconds(Double(date.tm_gmtoff)))
    let zone = times.first == times.last ? "" : date.tm_zone.map { " " + String(cString: $0) } ?? ""
    return
      "\(1900 + date.tm_year)-\(two(date.tm_mon + 1))-\(two(date.tm_mday)) \(two(date.tm_hour)):\(two(date.tm_min))\(zone)"
  }
}
