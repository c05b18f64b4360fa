import Beacons
import JSON
import Messages
import Proximity
import Settings

/// Marks of where people stood with a beacon, for `calibrate --marks`. Bounded; a restart empties it.
package struct MarkBook: Sendable {
  private struct Mark: Sendable {
    var time: WallTime
    var room: String
    var point: Point?
  }

  package static let limit = 5000

  private var marks: [Mark] = []

  package init() {}

  package var count: Int { marks.count }

  /// Takes in a room, or a point of the plan with its floor.
  package mutating func add(
    _ request: JSONTree, _ configuration: Configuration, at time: WallTime
  ) throws(TrialRequest.Refusal) {
    guard marks.count < Self.limit else { throw .init(description: "more than \(Self.limit) marks") }
    if let last = marks.last, time <= last.time {
      throw .init(description: "a mark of this moment is there already")
    }
    if case .text(let room)? = request["room"] {
      guard configuration.rooms.contains(where: { $0.name == room }) else {
        throw .init(description: "there is no room \(room)")
      }
      return marks.append(Mark(time: time, room: room))
    }
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
    marks.append(Mark(time: time, room: room.name, point: point))
  }

  /// As `calibrate --marks` reads it.
  package var csv: String {
    marks.reduce(into: "time,room,x,y\n") { text, mark in
      let isPlain = !mark.room.contains { ",\" \n".contains($0) }
      let room = isPlain ? mark.room : "\"\(mark.room.replacing("\"", with: "\"\""))\""
      func metres(_ number: Double?) -> String { number.map { "\(($0 * 100).rounded() / 100)" } ?? "" }
      text += "\(mark.time.rfc3339),\(room),\(metres(mark.point?.x)),\(metres(mark.point?.y))\n"
    }
  }
}
