import Beacons

extension RegionMonitor: StateCoded {
  func write(to writer: inout StateWriter) {
    for time in [enterDue, exitDue, screenWakeDue] { writer.write(time) }
    for flag in [isInside, wokeApp, isSilent, isWithheld, isGiven] { writer.write(flag) }
  }

  init(reading reader: inout StateReader) throws(StateError) {
    enterDue = try reader.timeOrNever()
    exitDue = try reader.timeOrNever()
    screenWakeDue = try reader.timeOrNever()
    isInside = try reader.read()
    wokeApp = try reader.read()
    isSilent = try reader.read()
    isWithheld = try reader.read()
    isGiven = try reader.read()
  }
}

extension WakeRegion: StateCoded {
  func write(to writer: inout StateWriter) {
    writer.write(isOnAir)
    writer.write(isInside)
    writer.write(enterDue)
    writer.write(exitDue)
  }

  init(reading reader: inout StateReader) throws(StateError) {
    isOnAir = try reader.read()
    isInside = try reader.read()
    enterDue = try reader.timeOrNever()
    exitDue = try reader.timeOrNever()
  }
}
