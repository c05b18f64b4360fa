import Beacons
import Gateway

/// What the terminal shows during a live walk, and what keys mean.
struct WalkScreen {
  private let rooms: [String]
  /// Receivers that the configuration names.
  private let expected: [String]
  private(set) var current: Int?
  /// By room.
  private(set) var seconds: [Double]
  private var lastStep: MonotonicTime?
  private var notices: [String] = []

  /// Without q, which finishes.
  static let keys = Array("123456789abcdefghijklmnoprstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ!?+-")
  private static let bar = 20
  /// A beacon that was heard within this time is being heard.
  private static let fresh = TimeSpan.seconds(3)

  init(rooms: [String], expected: [String]) {
    self.rooms = rooms
    self.expected = expected
    seconds = rooms.map { _ in 0 }
  }

  enum Action: Equatable {
    case mark(room: Int?)
    case finish
    case giveUp
    case nothing
  }

  mutating func press(_ key: Character) -> Action {
    switch key {
    case "q": return .finish
    // Ctrl-C.
    case "\u{3}": return .giveUp
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

  mutating func note(_ text: String) { notices = (notices + [text]).suffix(3) }

  /// Counts the time since the last step for the room, if the beacon is heard.
  mutating func step(_ hearing: LiveWalk.Hearing, at time: MonotonicTime) {
    defer { lastStep = time }
    guard let lastStep, let current, let latest = hearing.latest, time - latest < Self.fresh else { return }
    seconds[current] += (time - lastStep).seconds
  }

  func lines(_ hearing: LiveWalk.Hearing, beacon: String?, at time: MonotonicTime) -> [String] {
    var lines = ["Carry the beacon through all rooms. Press a room's key when you enter it.", ""]
    let width = rooms.map(\.count).max() ?? 0
    for (index, room) in rooms.enumerated() {
      let share = min(1, seconds[index] / CalibrationResult.goal)
      let filled = Int(share * Double(Self.bar))
      let bar = String(repeating: "█", count: filled) + String(repeating: "·", count: Self.bar - filled)
      let name = room + String(repeating: " ", count: width - room.count)
      let note = share >= 1 ? "enough" : seconds[index] == 0 ? "missing" : ""
      lines.append(
        "\(index == current ? ">" : " ") \(Self.keys[index])  \(name)  \(bar)  \(Int(seconds[index])) s  \(note)"
      )
    }
    lines += ["", "  space  pause      q  finish      Ctrl-C  give up", ""]
    lines += [heard(hearing, at: time)] + beacons(hearing, beacon)
    let missing = expected.filter { name in !hearing.receivers.contains { $0.name == name } }
    if !missing.isEmpty { lines.append("not heard by: \(missing.joined(separator: ", "))") }
    if current == nil { lines.append("paused: what is heard now does not count") }
    return lines + notices
  }

  private func heard(_ hearing: LiveWalk.Hearing, at time: MonotonicTime) -> String {
    let now = hearing.receivers.filter { time - $0.time < Self.fresh }
    guard !now.isEmpty else {
      return hearing.latest == nil ? "the beacon was not heard yet" : "the beacon is not heard at the moment"
    }
    return "heard by: " + now.map { "\($0.name) \($0.level) dBm" }.joined(separator: ", ")
  }

  /// Says which beacons there are if none was chosen.
  private func beacons(_ hearing: LiveWalk.Hearing, _ beacon: String?) -> [String] {
    guard beacon == nil, hearing.beacons.count > 1 else { return [] }
    let names = hearing.beacons.prefix(6).map(\.name).joined(separator: ", ")
    return ["several beacons are heard (\(names)): begin again with --beacon"]
  }
}
