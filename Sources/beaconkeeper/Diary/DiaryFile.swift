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
    /// On this machine's clock: its first second, and the next day's.
    case day(WallTime, end: WallTime)
    case ago(TimeSpan)
  }

  let content: Content

  init?(argument: String) {
    let units: [Character: Double] = ["m": 60, "h": 3600, "d": 86_400]
    if let time = WallTime(rfc3339: argument) ?? Self.minute(argument) {
      content = .time(time)
    } else if let day = Self.local(argument, "T12:00:00Z", hour: 0),
      let next = Self.local(argument, "T12:00:00Z", hour: 24)
    {
      content = .day(day, end: next)
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
    case .time(let time), .day(let time, _): time
    case .ago(let span): now - span
    }
  }

  /// The same for an end: a day counts to its last second.
  func end(at now: WallTime) -> WallTime { if case .day(_, let end) = content { end } else { time(at: now) } }

  /// `2026-11-28 08:12`, as the table has it.
  private static func minute(_ text: String) -> WallTime? {
    guard text.utf8.count == 16 else { return nil }
    return local(text.replacing(" ", with: "T"), ":00Z", hour: nil)
  }

  /// - Parameters:
  ///   - rest: completes the text to a time in RFC 3339.
  ///   - hour: replaces the text's hour.
  private static func local(_ text: String, _ rest: String, hour: Int32?) -> WallTime? {
    guard hour == nil || text.utf8.count == 10, let time = WallTime(rfc3339: text + rest) else { return nil }
    var date = tm()
    var seconds = time_t(time.nanoseconds / 1_000_000_000)
    gmtime_r(&seconds, &date)
    date.tm_isdst = -1
    if let hour { date.tm_hour = hour }
    return WallTime(nanoseconds: Int64(mktime(&date)) * 1_000_000_000)
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

  /// On this machine's clock: `2026-11-28 08:12`.
  var localMinute: String {
    func two(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let date = local
    return
      "\(1900 + date.tm_year)-\(two(date.tm_mon + 1))-\(two(date.tm_mday)) \(two(date.tm_hour)):\(two(date.tm_min))"
  }
}
