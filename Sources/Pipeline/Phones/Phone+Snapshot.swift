import Beacons
import RangingPolicy
import Settings

/// What follows from the configuration is left out: rules, zones, distances; and what the first lane's engine also knows.
extension Phone {
  func snapshot(into writer: inout StateWriter) {
    for lane in lanes {
      lane.engine.snapshot(into: &writer)
      writer.write(lane.waiting != nil)
      guard let waiting = lane.waiting else { continue }
      writer.write(waiting.transition)
      writer.write(waiting.beacon)
      writer.write(waiting.time)
    }
    writer.write(wallOffset)
    writer.write(isHeard)
    writer.write(lossDue)
    writer.write(countDue)
    reports.snapshot(into: &writer)
    writer.write(lastReport)
  }

  /// Of a new phone with the same settings.
  mutating func restore(from reader: inout StateReader) throws(StateError) {
    for index in lanes.indices {
      try lanes[index].engine.restore(from: &reader)
      guard try reader.read(Bool.self) else { continue }
      guard settings.triggers.indices.contains(index) else { throw reader.damaged }
      lanes[index].waiting = Waiting(
        transition: try reader.read(), zone: settings.triggers[index].zone, beacon: try reader.read(),
        time: try reader.read())
    }
    window = lanes.first?.engine.published
    wallOffset = try reader.read()
    isHeard = try reader.read()
    lossDue = try reader.read()
    countDue = try reader.read()
    try reports.restore(from: &reader)
    lastReport = try reader.read()
    guard lastReport.count <= AppReports.largest, isCountPossible else { throw reader.damaged }
  }

  func isNear(_ time: MonotonicTime, within distance: TimeSpan) -> Bool {
    // No time came yet.
    if time.nanoseconds == .min { return true }
    return deadline >= time - distance
      && lanes.allSatisfy { $0.engine.now.monotonicTime <= time + distance }
  }

  /// A count that never ends would be due for ever.
  private var isCountPossible: Bool {
    guard let countDue else { return true }
    guard settings.countdown, let window, let expires = window.expires else { return false }
    return (window.state == .ranging || window.state == .background) && countDue.magnitude <= 1 << 53
      && countDue < expires
  }
}
