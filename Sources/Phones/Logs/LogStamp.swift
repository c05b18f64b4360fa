import Core

/// The time at the beginning of a log's line. What the line leaves out, a year or a day, comes from the line before.
struct LogStamp {
  private var bytes: ArraySlice<UInt8>
  private var year: Int?
  private var day: (month: Int, day: Int)?
  private var ofDay: Milliseconds = 0
  /// Milliseconds east of UTC; nil: the line does not say.
  private var zone: Milliseconds?
  /// Since 1970.
  private var epoch: Milliseconds?
  /// The resolution of the line's time, in milliseconds.
  private(set) var resolution: Milliseconds = 1000

  var namesYear: Bool { year != nil || epoch != nil }
  /// The line's time is that of a clock on a wall.
  var isLocal: Bool { zone == nil && epoch == nil }

  /// The rest of the line, after the stamp.
  var rest: ArraySlice<UInt8> { bytes }

  /// nil: the line begins with no stamp. The forms: `2014-10-14 13:49:33.808` (NSLog, `log show`, logcat with its year),
  /// `11-28 13:49:33.808` (logcat), `Oct 14 15:10:26` (syslog, idevicesyslog), `default 03:19:07.265515-0500` (Console), and
  /// seconds since 1970 (logcat).
  init?(_ line: ArraySlice<UInt8>) {
    bytes = line
    // `logcat -v long`
    if take("[") { skipSpaces() }
    let start = bytes
    guard readDate() || readMonth(from: start) || readEpoch(from: start) || readConsole(from: start) else {
      return nil
    }
  }

  private mutating func readDate() -> Bool {
    let start = bytes
    if let year = digits(4), take("-"), let month = digits(2), take("-"), let day = digits(2),
      take("T") || take(" ")
    {
      self.year = year
      self.day = (month, day)
      return readClock()
    }
    bytes = start
    guard let month = digits(2), take("-"), let day = digits(2), take(" ") else { return false }
    self.day = (month, day)
    return readClock()
  }

  private mutating func readMonth(from start: ArraySlice<UInt8>) -> Bool {
    bytes = start
    let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
    guard let month = names.firstIndex(where: { bytes.starts(with: $0.utf8) }) else { return false }
    bytes = bytes.dropFirst(3)
    skipSpaces()
    guard let day = digits(2) ?? digits(1), take(" ") else { return false }
    self.day = (month + 1, day)
    return readClock()
  }

  private mutating func readEpoch(from start: ArraySlice<UInt8>) -> Bool {
    bytes = start
    guard let seconds = digits(10), take(".") else { return false }
    epoch = Milliseconds(seconds) * 1000 + fraction()
    return true
  }

  /// A word for the level, then the time of day.
  private mutating func readConsole(from start: ArraySlice<UInt8>) -> Bool {
    bytes = start
    for level in ["default", "info", "debug", "error", "fault"] where bytes.starts(with: level.utf8) {
      bytes = bytes.dropFirst(level.utf8.count)
      skipSpaces()
      return readClock()
    }
    return false
  }

  private mutating func readClock() -> Bool {
    guard let hour = digits(2), take(":"), let minute = digits(2), take(":"), let second = digits(2),
      hour < 24,
      minute < 60, second <= 60
    else { return false }
    ofDay = Milliseconds(hour * 3600 + minute * 60 + second) * 1000
    if take(".") || take(",") { ofDay += fraction() }
    readZone()
    return true
  }

  private mutating func readZone() {
    if take("Z") { return zone = 0 }
    let start = bytes
    skipSpaces()
    let isWest = bytes.first == UInt8(ascii: "-")
    guard take("+") || take("-"), let hours = digits(2) else { return bytes = start }
    let colon = take(":")
    let minutes = digits(2)
    guard hours < 24, minutes ?? 0 < 60, !colon || minutes != nil else { return bytes = start }
    zone = (isWest ? -60_000 : 60_000) * Milliseconds(hours * 60 + (minutes ?? 0))
  }

  /// Milliseconds.
  private mutating func fraction() -> Milliseconds {
    var (sum, unit, isDigit): (Milliseconds, Milliseconds, Bool) = (0, 1000, true)
    while isDigit, let digit = digits(1) {
      unit /= 10
      sum += unit * Milliseconds(digit)
      resolution = max(1, unit)
      isDigit = bytes.first.map { $0 ^ 0x30 < 10 } ?? false
    }
    return sum
  }

  private mutating func digits(_ count: Int) -> Int? {
    let word = bytes.prefix(count)
    guard word.count == count, word.allSatisfy({ $0 ^ 0x30 < 10 }) else { return nil }
    bytes = bytes.dropFirst(count)
    return word.reduce(0) { $0 * 10 + Int($1 ^ 0x30) }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard bytes.first == UInt8(ascii: character) else { return false }
    bytes = bytes.dropFirst()
    return true
  }

  private mutating func skipSpaces() { bytes = bytes.drop { $0 == 0x20 || $0 == 0x09 } }
}

extension LogStamp {
  /// Milliseconds since 1970; nil: there is no such day.
  ///
  /// - Parameters:
  ///   - last: the time of the line before, or one near it.
  ///   - usual: the zone of lines without a zone, in milliseconds east of UTC.
  func time(near last: Milliseconds, zone usual: Milliseconds) -> Milliseconds? {
    if let epoch { return epoch }
    let zone = zone ?? usual
    guard let day else {
      let today = floorDivide(last + zone, by: 86_400_000) * 86_400_000 + ofDay - zone
      return Self.nearest(to: last, among: [today - 86_400_000, today, today + 86_400_000])
    }
    if let year { return Self.midnight(year, day).map { $0 + ofDay - zone } }
    // 29 February exists in one of these years.
    let around = Int(last / 31_556_952_000) + 1970
    let times = (around - 4...around + 4).compactMap { Self.midnight($0, day) }.map { $0 + ofDay - zone }
    return Self.nearest(to: last, among: times)
  }

  private static func nearest(to time: Milliseconds, among times: [Milliseconds]) -> Milliseconds? {
    times.min { ($0 - time).magnitude < ($1 - time).magnitude }
  }

  private static func midnight(_ year: Int, _ day: (month: Int, day: Int)) -> Milliseconds? {
    func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
    return WallTime(rfc3339: "\(year)-\(two(day.month))-\(two(day.day))T00:00:00Z").map {
      $0.nanoseconds / 1_000_000
    }
  }
}
