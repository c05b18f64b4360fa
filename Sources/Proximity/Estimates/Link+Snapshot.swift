import Beacons

extension Link: StateCoded {
  func write(to writer: inout StateWriter) {
    writer.write(receiver)
    writer.write(isCurrent)
    writer.write(isLocated)
    writer.write(samples)
    writer.write(lastHeard)
    writer.write(silentSince)
    writer.write(lastSignal)
    writer.write(power)
    writer.write(logDistance)
    writer.write(margin)
    writer.write(filter)
    writer.write(interval)
  }

  init(reading reader: inout StateReader) throws(StateError) {
    receiver = try reader.read()
    isCurrent = try reader.read()
    isLocated = try reader.read()
    samples = try reader.read()
    lastHeard = try reader.read()
    silentSince = try reader.read()
    lastSignal = try reader.read()
    power = try reader.read()
    logDistance = try reader.read()
    margin = try reader.read()
    filter = try reader.read()
    interval = try reader.read()
    guard isSound else { throw reader.damaged }
  }

  /// Whether it can be: all that was read has a range.
  var isSound: Bool {
    samples >= 0 && abs(power) <= 1e4 && abs(logDistance) <= 1e4 && abs(margin) <= 1e4 && filter.isSound
      && interval.isSound
  }
}
