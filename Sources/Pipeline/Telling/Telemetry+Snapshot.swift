import Beacons

extension Telemetry {
  func snapshot(into writer: inout StateWriter) {
    writer.count(dueFrom.count)
    for beacon in dueFrom.indices {
      writer.write(dueFrom[beacon])
      writer.write(trials[beacon])
      writer.write(readings[beacon])
    }
    writer.write(due)
    writer.write(news)
  }

  /// Of a new one for the same configuration.
  mutating func restore(from reader: inout StateReader) throws(StateError) {
    reader.part = "readings"
    let count = try reader.count()
    guard count <= reader.bounds.beacons else { throw reader.damaged }
    for _ in 0..<count {
      dueFrom.append(try reader.read())
      trials.append(try reader.read())
      readings.append(try reader.read())
    }
    due = try reader.read()
    news = try reader.read()
    guard (due + news).allSatisfy({ $0.rawValue < count }) else { throw reader.damaged }
  }
}
