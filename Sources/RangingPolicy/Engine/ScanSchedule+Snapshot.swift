import Beacons

extension ScanSchedule: StateCoded {
  func write(to writer: inout StateWriter) {
    for time in [start, hitUntil, hitDue, heardSince, forgetDue, since, bucketStart, bucketUsed] {
      writer.write(time)
    }
    for flag in [isSeen, isServiceDenied, isOn, isStarved] { writer.write(flag) }
    writer.write(starts)
    writer.write(bucketPeriod)
  }

  init(reading reader: inout StateReader) throws(StateError) {
    self.init(start: try reader.time(), bucketPeriod: nil)
    hitUntil = try reader.timeOrEarliest()
    hitDue = try reader.timeOrNever()
    heardSince = try reader.timeOrNever()
    forgetDue = try reader.timeOrNever()
    since = try reader.timeOrEarliest()
    bucketStart = try reader.time()
    bucketUsed = try reader.time()
    isSeen = try reader.read()
    isServiceDenied = try reader.read()
    isOn = try reader.read()
    isStarved = try reader.read()
    for _ in 0..<(try reader.count()) { starts.append(try reader.time()) }
    bucketPeriod = try reader.read()
    // It is divided by.
    guard bucketUsed >= 0, bucketPeriod.map({ (1000...(1 << 50)).contains($0) }) ?? true else {
      throw reader.damaged
    }
  }
}
