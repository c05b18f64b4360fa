import Beacons

extension LocationSession: StateCoded {
  func write(to writer: inout StateWriter) {
    for flag in [isOn, isFromForeground, isAutoPaused] { writer.write(flag) }
    for time in [sampleStart, fixDue, stopDue, timerDue] { writer.write(time) }
  }

  init(reading reader: inout StateReader) throws(StateError) {
    isOn = try reader.read()
    isFromForeground = try reader.read()
    isAutoPaused = try reader.read()
    sampleStart = try reader.timeOrEarliest()
    fixDue = try reader.timeOrNever()
    stopDue = try reader.timeOrNever()
    timerDue = try reader.timeOrNever()
  }
}
