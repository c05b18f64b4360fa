import Beacons
import Proximity

/// How often the occupancy of a crowded zone is published. It lists all members, so publishing it at each change would cost the
/// square of the crowd. Up to `few` members every change is published at once; beyond that, at most once per `pause` times the
/// number of members.
struct CrowdPace: Sendable {
  static let few = 100
  static let pause = TimeSpan(nanoseconds: 100_000)

  /// By zone: when it was last published as a crowd.
  private var told: [MonotonicTime?]
  /// Zones with unpublished changes, and when those are due.
  private var waiting: [ZoneIndex: MonotonicTime] = [:]
  /// When the first of them is due.
  private(set) var next: MonotonicTime?

  init(zones: Int) { told = Array(repeating: nil, count: zones) }

  /// Notes that a member entered or left. Returns whether to publish now; if not, it becomes due.
  mutating func isToBeTold(_ zone: ZoneIndex, members: Int, at time: MonotonicTime) -> Bool {
    let index = Int(zone.rawValue)
    guard members > Self.few else {
      told[index] = nil
      forget(zone)
      return true
    }
    if waiting[zone] != nil { return false }
    if let last = told[index] {
      let due = last + TimeSpan(nanoseconds: Self.pause.nanoseconds * Int64(members))
      if due > time {
        waiting[zone] = due
        next = min(next ?? due, due)
        return false
      }
    }
    told[index] = time
    return true
  }

  /// The zones to be published at `time`, in order of their index.
  mutating func takeDue(at time: MonotonicTime) -> [ZoneIndex] {
    guard let next, next <= time else { return [] }
    let due = waiting.filter { $0.value <= time }.keys.sorted()
    for zone in due {
      told[Int(zone.rawValue)] = time
      forget(zone)
    }
    return due
  }

  private mutating func forget(_ zone: ZoneIndex) {
    guard waiting.removeValue(forKey: zone) != nil else { return }
    next = waiting.values.min()
  }
}

extension CrowdPace {
  func snapshot(into writer: inout StateWriter) {
    writer.write(told)
    writer.write(waiting)
  }

  /// Of a new one for as many zones.
  mutating func restore(from reader: inout StateReader) throws(StateError) {
    reader.part = "crowds"
    let told: [MonotonicTime?] = try reader.read()
    guard told.count == self.told.count else { throw reader.damaged }
    self.told = told
    waiting = try reader.read()
    next = waiting.values.min()
  }
}
