import Beacons

extension Telemetry {
  func snapshot(into writer: inout StateWriter) {
    writer.count(dueFrom.count)
    for beacon in dueFrom.indices {
      writer.write(dueFrom[beacon])
      writer.write(trials[beacon])
      writer.write(readings[beacon])
      writer.write(changes[beacon].rawValue)
    }
    heldBack.snapshot(into: &writer)
    writer.write(due)
    writer.write(news)
  }

  /// Of a new one for the same configuration.
  mutating func restore(from reader: inout StateReader) throws(StateError) {
    reader.part = "readings"
    let count = try reader.count()
    guard count <= reader.bounds.beacons else { throw reader.damaged }
    for beacon in 0..<count {
      makeRoom(for: BeaconIndex(rawValue: Int32(beacon)))
      dueFrom[beacon] = try reader.read()
      trials[beacon] = try reader.read()
      readings[beacon] = try reader.read()
      guard let change = Change(rawValue: try reader.read()) else { throw reader.damaged }
      changes[beacon] = change
    }
    try heldBack.restore(from: &reader) { $0 < UInt64(count) }
    due = try reader.read()
    news = try reader.read()
    guard (due + news).allSatisfy({ $0.rawValue < count }) else { throw reader.damaged }
  }
}
