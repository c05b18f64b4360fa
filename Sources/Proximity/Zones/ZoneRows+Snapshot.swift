import Beacons

extension Tracked: StateCoded {
  func write(to writer: inout StateWriter) {
    writer.write(measuredPower)
    writer.write(isAdmitted)
    writer.write(isInventable)
    writer.write(freeTurns)
    writer.write(linkCount)
    writer.write(lastReceiver.rawValue)
    writer.write(wallOffset)
    writer.write(lastHeard)
    writer.write(firstLink)
    writer.write(firstPresence)
  }

  init(reading reader: inout StateReader) throws(StateError) {
    measuredPower = try reader.read()
    isAdmitted = try reader.read()
    isInventable = try reader.read()
    freeTurns = try reader.read()
    linkCount = try reader.read()
    lastReceiver = ReceiverIndex(rawValue: try reader.read())
    wallOffset = try reader.read()
    lastHeard = try reader.read()
    firstLink = try reader.read()
    firstPresence = try reader.read()
    // Until the first sighting it means nothing.
    guard lastHeard.nanoseconds == .min || Int(lastReceiver.rawValue) < reader.bounds.receivers else {
      throw reader.damaged
    }
  }
}

extension LinkSlot: StateCoded {
  func write(to writer: inout StateWriter) {
    writer.write(link)
    writer.write(beacon)
    writer.write(nextOfBeacon)
    writer.write(firstMember)
    writer.write(queuedFor)
  }

  init(reading reader: inout StateReader) throws(StateError) {
    link = try reader.read()
    beacon = try reader.index(below: reader.bounds.beacons)
    nextOfBeacon = try reader.read()
    firstMember = try reader.read()
    queuedFor = try reader.read()
  }
}

extension PresenceSlot: StateCoded {
  func write(to writer: inout StateWriter) {
    writer.write(presence)
    writer.write(beacon)
    writer.write(nextOfBeacon)
    writer.write(firstMember)
    writer.write(lastLink)
    writer.write(lastReceiver)
    writer.write(queuedFor)
  }

  init(reading reader: inout StateReader) throws(StateError) {
    presence = try reader.read()
    beacon = try reader.index(below: reader.bounds.beacons)
    nextOfBeacon = try reader.read()
    firstMember = try reader.read()
    lastLink = try reader.read()
    lastReceiver = try reader.read()
    queuedFor = try reader.read()
  }
}

extension Member: StateCoded {
  func write(to writer: inout StateWriter) {
    writer.write(link)
    writer.write(presence)
    writer.write(nextOfLink)
    writer.write(nextOfPresence)
  }

  init(reading reader: inout StateReader) throws(StateError) {
    link = try reader.read()
    presence = try reader.read()
    nextOfLink = try reader.read()
    nextOfPresence = try reader.read()
  }
}
