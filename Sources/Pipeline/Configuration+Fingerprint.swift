import Beacons
import Configuration
import Contract
import Core
import Phones
import Proximity

extension Configuration {
  /// A hash of everything that a pipeline's state depends on. A snapshot with another hash cannot be used. Secrets
  /// are left out.
  func fingerprint(_ limits: AdmissionLimits) -> UInt64 {
    var coder = StateCoder()
    coder.write(gatewayName)
    limits.describe(to: &coder)
    coder.write(zones.map(\.definition))
    describeBeacons(to: &coder)
    coder.count(receivers.count)
    for receiver in receivers {
      coder.write(receiver.name)
      receiver.calibration.describe(to: &coder)
    }
    coder.write(Pipeline.lateness(self))
    describeRooms(to: &coder)
    coder.count(phones.count)
    for phone in phones { phone.describe(to: &coder) }
    coder.write(telemetry.beaconState)
    coder.write(homeAssistant.rooms)
    coder.write(homeAssistant.hasPlaces)
    for place in homeAssistant.places ?? [] {
      coder.write(place.zone)
      coder.write(place.spoken)
    }
    return coder.fingerprint
  }

  private func describeBeacons(to coder: inout StateCoder) {
    coder.count(beacons.count)
    for beacon in beacons {
      coder.write(beacon.name)
      coder.write("\(beacon.pattern)")
      coder.write(beacon.measuredPower)
      coder.write(beacon.identityKey)
      coder.write(beacon.bindKey)
      coder.write(beacon.names)
    }
  }

  private func describeRooms(to coder: inout StateCoder) {
    coder.count(rooms.count)
    for room in rooms {
      coder.write(room.name)
      coder.write(room.floor)
      coder.write(room.outline.flatMap { [$0.x, $0.y] })
      coder.write(room.receivers)
    }
    coder.count(floors.count)
    for floor in floors {
      coder.write(floor.name)
      coder.write(floor.height)
    }
    coder.count(doors.count)
    for door in doors {
      coder.write([door.from.x, door.from.y, door.to.x, door.to.y])
      coder.write(door.floor)
    }
    roomCalibration?.describe(to: &coder)
  }
}

extension PhoneSettings {
  fileprivate func describe(to coder: inout StateCoder) {
    coder.write(name)
    coder.write(beacon)
    coder.write(countdown)
    coder.write(hasRegionOfEachZone)
    coder.count(triggers.count)
    for trigger in triggers {
      coder.write(trigger.zone)
      coder.write(trigger.near.near)
      coder.write(trigger.near.rearm)
      coder.write(trigger.rearmSignal)
    }
    let (system, strategy) = (profile.os, profile.strategy)
    for word in [system.name, system.family.rawValue, strategy.name, strategy.mechanism.rawValue] {
      coder.write(word)
    }
    for rule in PhoneProfile.rules { coder.write(profile.told(rule).value) }
  }
}

extension Calibration {
  fileprivate func describe(to coder: inout StateCoder) {
    coder.write(measuredPower)
    coder.write([offset, exponent, deviation])
    coder.write(position.map { [$0.x, $0.y, $0.z] })
  }
}

extension RoomCalibration {
  fileprivate func describe(to coder: inout StateCoder) {
    for receiver in receivers {
      coder.write(receiver.name)
      coder.write([receiver.power, receiver.exponent])
    }
    coder.write(wallLoss)
    for sample in samples {
      coder.write(sample.receiver)
      coder.write(sample.floor)
      coder.write([sample.x, sample.y, sample.level, sample.spread, sample.weight])
    }
    for histogram in histograms {
      coder.write(histogram.receiver)
      coder.write(histogram.room)
      coder.write(histogram.lowest)
      coder.write(histogram.counts)
    }
    coder.write(measuredPower)
  }
}
