import Core

/// The rooms of a beacon during a recording, written down by a person: CSV with the header `time,room` or `time,room,x,y`. A
/// column `floor` may follow, but the room determines it. An empty room ends a mark.
public struct RecordingMarks: Hashable, Sendable {
  /// When a mark was made.
  public enum Time: Hashable, Sendable {
    case calendar(WallTime)
    /// Since the recording began.
    case sinceStart(TimeSpan)
  }

  public struct Mark: Hashable, Sendable {
    public var time: Time
    /// nil: unknown until the next mark.
    public var room: String?
    /// Metres; nil: somewhere in the room.
    public var point: (x: Double, y: Double)? {
      get { x.flatMap { x in y.map { (x, $0) } } }
      set { (x, y) = (newValue?.x, newValue?.y) }
    }
    private var x: Double?
    private var y: Double?
    /// Its line in the file, from 1.
    public var line: Int

    public init(time: Time, room: String?, point: (x: Double, y: Double)? = nil, line: Int) {
      self.time = time
      self.room = room
      self.line = line
      self.point = point
    }
  }

  /// What is wrong, in which line, and what to write instead.
  public struct Fault: Error, Hashable, Sendable, CustomStringConvertible {
    public var line: Int
    public var message: String
    public var remedy: String

    public init(line: Int, message: String, remedy: String) {
      self.line = line
      self.message = message
      self.remedy = remedy
    }

    public var description: String { "line \(line): \(message)\n  hint: \(remedy)" }
  }

  /// In order of time; at least one.
  public private(set) var marks: [Mark] = []

  /// The largest number of octets, and of marks.
  public static let sizeLimit = 8 << 20
  public static let limit = 100_000
  private static let lineLimit = 1000
  /// Numbers below this are seconds since the start of the recording, larger ones Unix seconds: no recording lasts three years, and
  /// none was made before 1973.
  private static let firstUnixTime = 100_000_000.0

  public init(_ bytes: [UInt8]) throws(Fault) {
    var hasPoints: Bool?
    var number = 0
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      guard line.count <= Self.lineLimit, let text = String(validating: line, as: UTF8.self) else {
        throw Fault(line: number, message: "this is no line of text", remedy: "save the file as CSV in UTF-8")
      }
      let cells = Self.cells(number == 1 ? text.dropFirst(text.hasPrefix("\u{FEFF}") ? 1 : 0) : text[...])
      if cells.allSatisfy(\.isEmpty) { continue }
      guard let hasPoints else {
        hasPoints = try Self.header(cells, line: number)
        continue
      }
      try append(cells, hasPoints: hasPoints, line: number)
    }
    guard !marks.isEmpty else {
      throw Fault(
        line: number, message: "there is no mark",
        remedy: "a header time,room and a line for each time you entered a room, for example 12.5,kitchen")
    }
  }

  private static func header(_ cells: [String], line: Int) throws(Fault) -> Bool {
    switch cells.map({ $0.lowercased() }) {
    case ["time", "room"]: return false
    case ["time", "room", "x", "y"], ["time", "room", "x", "y", "floor"]: return true
    default:
      throw Fault(
        line: line, message: "the header is not time,room or time,room,x,y",
        remedy: "begin the file with the line time,room")
    }
  }

  private mutating func append(_ cells: [String], hasPoints: Bool, line: Int) throws(Fault) {
    guard marks.count < Self.limit else {
      throw Fault(line: line, message: "more than \(Self.limit) marks", remedy: "mark less often")
    }
    let isShort = cells.count == 2 || ((4...5).contains(cells.count) && cells[2].isEmpty && cells[3].isEmpty)
    guard isShort || (hasPoints && (4...5).contains(cells.count)) else {
      throw Fault(
        line: line, message: "\(cells.count) fields, and the header has \(hasPoints ? 4 : 2)",
        remedy: hasPoints ? "for example 12.5,kitchen,3.1,0.8" : "for example 12.5,kitchen")
    }
    guard let time = Self.time(cells[0]) else {
      throw Fault(
        line: line, message: "“\(cells[0].prefix(60))” is no time",
        remedy: "2026-11-24T19:40:00Z, Unix seconds, or seconds since the recording began")
    }
    if let last = marks.last { try Self.check(time, after: last, line: line) }
    var mark = Mark(time: time, room: cells[1].isEmpty ? nil : cells[1], line: line)
    if !isShort {
      guard let x = Self.metres(cells[2]), let y = Self.metres(cells[3]) else {
        throw Fault(
          line: line, message: "“\(cells[2].prefix(30)), \(cells[3].prefix(30))” is no point",
          remedy: "metres in the coordinates of the outlines, for example 3.1,0.8; or leave both empty")
      }
      mark.point = (x, y)
    }
    marks.append(mark)
  }

  private static func check(_ time: Time, after last: Mark, line: Int) throws(Fault) {
    let isLater: Bool
    switch (last.time, time) {
    case (.calendar(let before), .calendar(let now)): isLater = before < now
    case (.sinceStart(let before), .sinceStart(let now)): isLater = before < now
    default:
      throw Fault(
        line: line, message: "a time of another kind than in line \(last.line)",
        remedy: "use calendar times, or seconds since the start, but not both")
    }
    guard isLater else {
      throw Fault(
        line: line, message: "not later than line \(last.line)",
        remedy: "sort the lines by time; a beacon is in one room at a time")
    }
  }

  private static func time(_ text: String) -> Time? {
    if let time = WallTime(rfc3339: text) { return .calendar(time) }
    guard let number = number(text), number >= 0 else { return nil }
    if number < firstUnixTime { return .sinceStart(.seconds(number)) }
    guard number < 9e9 else { return nil }
    let whole = number.rounded(.down)
    let rest = ((number - whole) * 1e9).rounded()
    return .calendar(WallTime(nanoseconds: Int64(whole) * 1_000_000_000 + Int64(rest)))
  }

  private static func metres(_ text: String) -> Double? { number(text).flatMap { abs($0) < 1e5 ? $0 : nil } }

  /// Digits with a point; not all that `Double` takes, such as hexadecimal and infinity.
  private static func number(_ text: String) -> Double? {
    guard text.utf8.count <= 40,
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == 0x2E || $0 == 0x2D })
    else { return nil }
    return Double(text)
  }

  /// Commas separate cells. A cell in quotation marks may contain commas, and a doubled quotation mark stands for one.
  private static func cells(_ line: Substring) -> [String] {
    var cells = [""]
    var isQuoted = false
    var mayOpen = true
    var last: Character?
    for character in line where character != "\r" {
      defer { last = character }
      if character == "\"" {
        if isQuoted {
          isQuoted = false
        } else if mayOpen {
          (isQuoted, mayOpen) = (true, false)
        } else if last == "\"" {
          cells[cells.count - 1].append("\"")
          isQuoted = true
        } else {
          cells[cells.count - 1].append(character)
        }
      } else if character == ",", !isQuoted {
        cells.append("")
        mayOpen = true
      } else {
        if mayOpen, character == " " { continue }
        mayOpen = false
        cells[cells.count - 1].append(character)
      }
    }
    return cells.map { cell in
      var cell = cell[...]
      while cell.last == " " { cell.removeLast() }
      return String(cell)
    }
  }
}
