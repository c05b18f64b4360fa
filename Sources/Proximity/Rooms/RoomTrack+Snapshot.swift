import Beacons

extension RoomTrack: StateCoded {
  func write(to writer: inout StateWriter) {
    writer.write(told)
    writer.write(since)
    writer.write(window)
    writer.write(offset)
    writer.write(offsetWeight)
    writer.write(lastHeard)
    writer.write(silentSince)
    writer.write(interval)
    writer.write(wallOffset)
    writer.write(lastReceiver.rawValue)
    writer.write(hearers)
    writer.write(earlierHearers)
    writer.write(hearersSince)
    writer.write(turnedUp)
    writer.write(outside)
    writer.write(isFrozen)
  }

  init(reading reader: inout StateReader) throws(StateError) {
    told = try reader.read()
    since = try reader.read()
    window = try reader.read()
    offset = try reader.read()
    offsetWeight = try reader.read()
    lastHeard = try reader.read()
    silentSince = try reader.read()
    interval = try reader.read()
    wallOffset = try reader.read()
    lastReceiver = ReceiverIndex(rawValue: try reader.read())
    hearers = try reader.read()
    earlierHearers = try reader.read()
    hearersSince = try reader.read()
    turnedUp = try reader.read()
    outside = try reader.read()
    isFrozen = try reader.read()
    guard isSound, Int(told) < reader.bounds.rooms,
      // Until it was heard it means nothing.
      lastReceiver.rawValue == 0 || Int(lastReceiver.rawValue) < reader.bounds.receivers
    else { throw reader.damaged }
  }

  /// Whether it can be: all that was read has a range.
  var isSound: Bool {
    told >= -1 && RoomOffset.bounds.contains(offset) && (0...1000).contains(offsetWeight)
      && window.map(RoomWindows.isPossible) ?? true && interval.isSound && outside.isSound
  }
}
