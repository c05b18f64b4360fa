import Configuration
import Core
import Proximity

/// Where somebody was with a beacon, and when, for a calibration. Bounded.
package struct MarkBook: Sendable {
  package struct Mark: Sendable {
    package var time: MonotonicTime
    package var wallTime: WallTime
    /// nil: a pause.
    package var room: String?
    package var floor: String?
    package var point: Point?
  }

  package static let limit = 5000

  package private(set) var marks: [Mark] = []

  package init() {}

  /// Adds a room, a point of the plan with its floor, or `"room":null` for a pause.
  package mutating func add(
    _ request: JSONTree, _ configuration: Configuration, at now: Moment
  ) throws(TrialRequest.Refusal) {
    guard marks.count < Self.limit else { throw .init(description: "more than \(Self.limit) marks") }
    if let last = marks.last, now.wallTime <= last.wallTime || now.time <= last.time {
      throw .init(description: "a mark of this moment is there already")
    }
    var mark = Mark(time: now.time, wallTime: now.wallTime)
    switch request["room"] {
    case .null?: break
    case .text(let name)?:
      guard let room = configuration.rooms.first(where: { $0.name == name }) else {
        throw .init(description: "there is no room \(name)")
      }
      (mark.room, mark.floor) = (name, room.floor)
    default:
      guard case .number(let x)? = request["x"], case .number(let y)? = request["y"] else {
        throw .init(description: "a mark needs a room, or x and y")
      }
      var floor: String?
      if case .text(let name)? = request["floor"] { floor = name }
      let point = Point(x: x, y: y)
      let room = configuration.rooms.first {
        ($0.floor == floor || floor == nil) && $0.outline.count > 2 && Outline($0.outline).contains(point)
      }
      guard let room else { throw .init(description: "this point is in no room") }
      (mark.room, mark.floor, mark.point) = (room.name, room.floor, point)
    }
    marks.append(mark)
  }

  package mutating func removeLast() { _ = marks.popLast() }

  /// Changes the name of a room in all marks.
  package mutating func rename(_ room: String, to name: String) {
    for index in marks.indices where marks[index].room == room { marks[index].room = name }
  }

  /// In the format of `calibrate --marks`.
  package var csv: String {
    marks.reduce(into: "time,room,x,y,floor\n") { text, mark in
      func metres(_ number: Double?) -> String { number.map { "\(($0 * 100).rounded() / 100)" } ?? "" }
      let cells = [
        mark.wallTime.rfc3339, Self.cell(mark.room), metres(mark.point?.x), metres(mark.point?.y),
        Self.cell(mark.floor),
      ]
      text += cells.joined(separator: ",") + "\n"
    }
  }

  private static func cell(_ text: String?) -> String {
    guard let text, text.contains(where: { ",\" \n".contains($0) }) else { return text ?? "" }
    return "\"\(text.replacing("\"", with: "\"\""))\""
  }
}
