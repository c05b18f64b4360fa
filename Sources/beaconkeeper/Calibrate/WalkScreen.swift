import Beacons
import Core
import Gateway
import Proximity

/// The terminal's content during a live walk, and the meaning of keys.
struct WalkScreen {
  struct Room {
    var name: String
    /// nil: there are no floors.
    var floor: String?
    /// An outline without corners is unknown.
    var outline: Outline
  }

  private let rooms: [Room]
  /// The configured receivers.
  private let expected: [String]
  private(set) var current: Int?
  private var notices: [String] = []
  /// The part of a point that was typed; nil: none is being typed.
  private var typed: String?
  /// The result of entering the last point.
  private var answer: String?

  /// Without q, which finishes, and @, which begins a point.
  static let keys = Array("123456789abcdefghijklmnoprstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!?+-")
  private static let bar = 20
  /// A beacon counts as heard now if a signal came within this time.
  private static let fresh = TimeSpan.seconds(3)

  init(rooms: [Room], expected: [String]) {
    self.rooms = rooms
    self.expected = expected
  }

  enum Action: Equatable {
    case mark(room: Int?, point: Point? = nil)
    case finish
    case giveUp
    case nothing
  }

  /// Whether points of a plan can be entered.
  private var hasPlan: Bool { rooms.contains { $0.outline.corners.count > 2 } }

  mutating func press(_ key: Character) -> Action {
    // Ctrl-C.
    if key == "\u{3}" { return .giveUp }
    if let typed { return press(key, after: typed) }
    answer = nil
    switch key {
    case "q": return .finish
    case "@":
      if hasPlan { typed = "" }
      return .nothing
    case " ":
      guard current != nil else { return .nothing }
      current = nil
      return .mark(room: nil)
    default:
      guard let room = Self.keys.firstIndex(of: key), rooms.indices.contains(room), room != current else {
        return .nothing
      }
      current = room
      return .mark(room: room)
    }
  }

  /// A key while a point is being typed.
  private mutating func press(_ key: Character, after text: String) -> Action {
    switch key {
    case "@": typed = nil
    // Backspace, as terminals send it.
    case "\u{7F}", "\u{8}": typed = String(text.dropLast())
    case "\r", "\n":
      typed = nil
      let parts = text.split { ", ".contains($0) }.compactMap { Double($0) }
      guard parts.count == 2 else {
        answer = text.isEmpty ? nil : "“\(text)” is no point; it is east and north in metres: 3.1,0.8"
        return .nothing
      }
      let point = Point(x: parts[0], y: parts[1])
      guard let room = room(at: point) else {
        answer = "\(text) is in no room"
        return .nothing
      }
      answer = "at \(text), in \(rooms[room].name)"
      current = room
      return .mark(room: room, point: point)
    default: if "0123456789.,- ".contains(key), text.count < 20 { typed = text + String(key) }
    }
    return .nothing
  }

  /// If there are several floors, the present one is searched first.
  private func room(at point: Point) -> Int? {
    let all = rooms.indices.filter {
      rooms[$0].outline.corners.count > 2 && rooms[$0].outline.contains(point)
    }
    return all.first { index in current.map { rooms[$0].floor == rooms[index].floor } ?? true } ?? all.first
  }

  mutating func note(_ text: String) { notices = (notices + [text]).suffix(3) }

  /// - Parameter terminalWidth: columns; longer lines are wrapped, because missing rooms are listed at their ends.
  func lines(
    _ glimpse: LiveWalk.Glimpse, beacon: String?, at time: MonotonicTime, width terminalWidth: Int
  ) -> [String] {
    var lines = ["Carry the beacon through all rooms. Press a room's key when you enter it.", ""]
    let width = rooms.map(\.name.cells).max() ?? 0
    for (index, room) in rooms.map(\.name).enumerated() {
      let seconds = glimpse.seconds[index]
      let share = min(1, seconds / glimpse.goal)
      let filled = Int(share * Double(Self.bar))
      let bar = String(repeating: "█", count: filled) + String(repeating: "·", count: Self.bar - filled)
      let note = share >= 1 ? "enough" : seconds == 0 ? "missing" : ""
      lines.append(
        "\(index == current ? ">" : " ") \(Self.keys[index])  \(room.padded(to: width))  \(bar)  \(Int(seconds)) s  \(note)"
      )
    }
    if glimpse.goal > CalibrationResult.goal(interval: nil) {
      lines += ["", "This beacon is seldom heard: stay some \(Int(glimpse.goal)) s in each room."]
    }
    lines += ["", "  space  pause      q  finish      Ctrl-C  give up"]
    if hasPlan { lines.append("  @  type where you stand, as 3.1,0.8 and Return") }
    if let typed { lines.append("  @ \(typed)_") } else if let answer { lines.append("  \(answer)") }
    lines.append("")
    lines += heard(glimpse, at: time, width: terminalWidth) + beacons(glimpse, beacon)
    let missing = expected.filter { name in !glimpse.receivers.contains { $0.name == name } }
    if !missing.isEmpty { lines += Self.wrapped("not heard by: ", missing, width: terminalWidth) }
    if current == nil { lines.append("paused: what is heard now does not count") }
    return lines + notices
  }

  private func heard(_ glimpse: LiveWalk.Glimpse, at time: MonotonicTime, width: Int) -> [String] {
    let now = glimpse.receivers.filter { time - $0.time < Self.fresh }
    guard !now.isEmpty else {
      return [
        glimpse.latest == nil ? "the beacon was not heard yet" : "the beacon is not heard at the moment"
      ]
    }
    return Self.wrapped("heard by: ", now.map { "\($0.name) \($0.level) dBm" }, width: width)
  }

  /// A list over as many lines as it needs, indented below its first entry.
  private static func wrapped(_ title: String, _ entries: [String], width: Int) -> [String] {
    var lines: [String] = []
    var line = title
    for (place, entry) in entries.enumerated() {
      let text = place == entries.count - 1 ? entry : entry + ", "
      if line.cells > title.cells, line.cells + entry.cells + 1 > width {
        lines.append(line)
        line = String(repeating: " ", count: title.count)
      }
      line += text
    }
    return lines + [line]
  }

  /// Lists the beacons in range if none was chosen.
  private func beacons(_ glimpse: LiveWalk.Glimpse, _ beacon: String?) -> [String] {
    guard beacon == nil, glimpse.beacons.count > 1 else { return [] }
    let names = glimpse.beacons.prefix(6).map(\.name).joined(separator: ", ")
    return ["several beacons are heard (\(names)): begin again with --beacon"]
  }
}
