import Core

/// The events in a phone's log: lines of our own format, and lines of the logs of iOS and Android. A file may mix them.
///
/// Lines that mean nothing here are counted. The bytes may be hostile; the number of events kept is limited.
public struct SeenLog: Sendable {
  /// Further events are only counted.
  public static let limit = 200_000
  /// The rest of a longer line is not read. A longer object is skipped.
  private static let lineLimit = 4096
  /// The same for an object of a list.
  private static let objectLimit = 1 << 16
  private static let faultLimit = 20
  /// How far the clock seems to go back between two lines at the end of summer time.
  private static let hourBack: ClosedRange<Milliseconds> = 600_000...3_600_000

  /// By time, on the phone's clock; each has one.
  public private(set) var events: [SeenEvent] = []
  public private(set) var lines = 0
  /// Lines of our own format.
  public private(set) var ownLines = 0
  /// JSON that is neither of our own format nor of `log show`, and objects that are too long.
  public private(set) var skipped = 0
  /// Events beyond the limit, or without a time.
  public private(set) var leftOut = 0
  /// Words of our own format that mean nothing here, with how often each came.
  public private(set) var unknownWords: [String: Int] = [:]
  /// Lines of our own format that are malformed; the first few.
  public private(set) var faults: [TimelineFault] = []
  /// The coarsest resolution of an event's time, in milliseconds.
  public private(set) var resolution: Milliseconds = 1
  /// Whether the years of the events are known, from their lines, those before them, or the given date.
  public private(set) var namesYear: Bool
  /// Times without an offset step back by about an hour: at the end of summer time, the order of what happened is lost.
  public private(set) var isTurnedBack = false
  /// Lines were left out after these events, by index.
  public private(set) var cuts: Set<Int> = []

  private var reader = SeenEvent.Reader()
  private let app: [UInt8]?
  private let zone: Milliseconds
  private var last: Milliseconds
  /// The time of the line before, in the same file.
  private var before: Milliseconds?
  /// The stamp of a line without text, as `logcat -v long` writes it.
  private var pending: LogStamp?
  /// The last event by which the app came to the foreground or left it.
  private var lifecycle: SeenEvent.What?

  /// - Parameters:
  ///   - app: only lines that contain this, such as the app's name or its process number; lines of our own format count in any case.
  ///   - zone: that of lines without a zone, in milliseconds east of UTC.
  ///   - date: a time near the beginning, for logs without year or day.
  public init(app: String? = nil, zone: Milliseconds = 0, date: Milliseconds? = nil) {
    self.app = app.map { Array($0.utf8) }
    self.zone = zone
    // A leap year, in which every day exists.
    last = date ?? 946_684_800_000
    namesYear = date != nil
  }

  /// Reads another file of the same phone.
  public mutating func read(_ bytes: [UInt8]) {
    (pending, lifecycle, before) = (nil, nil, nil)
    if Self.isList(bytes) {
      readList(bytes)
      return sort()
    }
    var line = 0
    for text in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      line += 1
      read(text, line)
    }
    if bytes.last == UInt8(ascii: "\n") || bytes.isEmpty { line -= 1 }
    lines += line
    sort()
  }

  /// Whether the file is one list of objects over many lines, as `log show --style json` writes it. Lines of logcat begin with a
  /// bracket, too.
  private static func isList(_ bytes: [UInt8]) -> Bool {
    let start = bytes.prefix(64).drop { $0 <= 0x20 || $0 == 0xEF || $0 == 0xBB || $0 == 0xBF }
    guard start.first == UInt8(ascii: "[") else { return false }
    return start.dropFirst().first { $0 > 0x20 } == UInt8(ascii: "{")
  }

  /// Reads a list object by object. One that is cut off at the end is left out.
  private mutating func readList(_ bytes: [UInt8]) {
    var (line, depth, start, startLine) = (1, 0, 0, 1)
    var (isText, isEscaped) = (false, false)
    for (place, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "\n") { line += 1 }
      if isText {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isText = false
        }
      } else if byte == UInt8(ascii: "\"") {
        isText = true
      } else if byte == UInt8(ascii: "{") {
        if depth == 0 { (start, startLine) = (place, line) }
        depth += 1
      } else if byte == UInt8(ascii: "}"), depth > 0 {
        depth -= 1
        guard depth == 0 else { continue }
        if place - start < Self.objectLimit {
          readObject(Array(bytes[start...place]), startLine, column: 0)
        } else {
          skipped += 1
        }
      }
    }
    lines += line - (bytes.last == UInt8(ascii: "\n") ? 1 : 0)
  }

  private mutating func sort() {
    let sorted = events.enumerated().sorted {
      ($0.element.time ?? 0, $0.offset) < ($1.element.time ?? 0, $1.offset)
    }
    events = sorted.map(\.element)
    guard !cuts.isEmpty else { return }
    let places = Dictionary(sorted.enumerated().map { ($1.offset, $0) }, uniquingKeysWith: { $1 })
    cuts = Set(cuts.compactMap { places[$0] })
  }

  private mutating func read(_ line: ArraySlice<UInt8>, _ number: Int) {
    let text = line.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0xEF || $0 == 0xBB || $0 == 0xBF }
      .prefix(Self.lineLimit + 1)
    guard let first = text.first, first != 0x0D else { return }
    if first == UInt8(ascii: "{") {
      guard text.count <= Self.lineLimit else { return skipped += 1 }
      return readObject(Array(text), number, column: text.startIndex - line.startIndex)
    }
    if text.starts(with: "...".utf8) || text.starts(with: "…".utf8) {
      if !events.isEmpty { cuts.insert(events.count - 1) }
      return
    }
    let stamp = LogStamp(text.prefix(Self.lineLimit))
    let rest = stamp?.rest ?? pending.map { _ in text }
    let used = stamp ?? pending
    pending = stamp.flatMap { $0.rest.count < 80 && $0.rest.contains(UInt8(ascii: "]")) ? $0 : nil }
    guard let used, let rest else { return }
    note(Array(rest), stamp: used)
  }

  /// Keeps the event in a line of another format, if it has one.
  private mutating func note(_ text: [UInt8], stamp: LogStamp) {
    if stamp.namesYear { namesYear = true }
    guard let time = stamp.time(near: last, zone: zone) else { return }
    if stamp.isLocal, let before, Self.hourBack.contains(before - time) { isTurnedBack = true }
    (last, before) = (time, time)
    let isNamed = app.map { name in text.contains(name) } ?? false
    guard app == nil || isNamed else { return }
    let lowered = text.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
    guard let (what, beacon) = LogWords.event(in: lowered, isNamed: isNamed) else { return }
    resolution = max(resolution, stamp.resolution)
    keep(SeenEvent(time: time, what: what, beacon: beacon))
  }

  /// A line of ours, or one of `log show` with `--style ndjson` or `json`.
  private mutating func readObject(_ bytes: [UInt8], _ line: Int, column: Int) {
    let tree = try? JSONTree(bytes)
    if let tree, let message = tree.text("eventMessage") {
      let stamp = LogStamp(Array((tree.text("timestamp") ?? "").utf8)[...])
      let process = tree.text("processImagePath") ?? ""
      guard let stamp else { return }
      return note(Array("\(process) \(message)".utf8.prefix(Self.lineLimit)), stamp: stamp)
    }
    // A dictionary that NSLog prints begins like this, too, and so does an answer of a server.
    let isOurs = tree.map { $0["event"] != nil } ?? bytes.contains(Array(#""event""#.utf8))
    guard isOurs else { return skipped += 1 }
    ownLines += 1
    do throws(SeenEvent.Fault) {
      keep(try reader.read(bytes))
    } catch {
      guard faults.count < Self.faultLimit else { return }
      faults.append(
        TimelineFault(line: line, column: column + error.offset + 1, message: error.description, hint: nil))
    }
  }

  private mutating func keep(_ event: SeenEvent) {
    if case .other(let word) = event.what {
      if unknownWords[word] != nil || unknownWords.count < 20 { unknownWords[word, default: 0] += 1 }
      return
    }
    guard let time = event.time, events.count < Self.limit else {
      leftOut += 1
      return
    }
    if ownLines > 0 { namesYear = true }
    last = time
    // A state that continues is no event: AltBeacon writes it with each scan.
    if event.what == .happened(.foreground) || event.what == .happened(.background) {
      if lifecycle == event.what { return }
      lifecycle = event.what
    }
    events.append(event)
  }
}

extension [UInt8] {
  fileprivate func contains(_ word: [UInt8]) -> Bool {
    guard let first = word.first else { return true }
    guard count >= word.count else { return false }
    return (0...(count - word.count)).contains { start in
      self[start] == first && self[start..<start + word.count].elementsEqual(word)
    }
  }
}
