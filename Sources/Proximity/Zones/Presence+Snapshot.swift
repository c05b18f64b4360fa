import Beacons

extension Presence: StateCoded {
  func write(to writer: inout StateWriter) {
    writer.write(zone)
    writer.write(isInside)
    writer.write(isArmed)
    writer.write(isRearmDue)
    writer.write(isHeld)
    writer.write(isHoldTold)
    writer.write(hasTurn)
    writer.write(since)
    writer.write(nearSince)
    writer.write(enterSince)
    writer.write(exitSince)
    writer.write(silentSince)
    writer.write(lostDeadline)
    writer.write(heldUntil)
  }

  init(reading reader: inout StateReader) throws(StateError) {
    zone = try reader.read()
    isInside = try reader.read()
    isArmed = try reader.read()
    isRearmDue = try reader.read()
    isHeld = try reader.read()
    isHoldTold = try reader.read()
    hasTurn = try reader.read()
    since = try reader.read()
    nearSince = try reader.read()
    enterSince = try reader.read()
    exitSince = try reader.read()
    silentSince = try reader.read()
    lostDeadline = try reader.read()
    heldUntil = try reader.read()
  }
}
