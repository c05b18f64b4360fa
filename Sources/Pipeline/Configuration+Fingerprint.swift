import Beacons
import Messages
import Proximity
import RangingPolicy
import Settings

extension Configuration {
  /// A number for all that a pipeline's state depends on: another one means that a snapshot is of no use. Secrets are no part of
  /// it.
  func fingerprint(_ limits: AdmissionLimits) -> UInt64 {
    var writer = StateWriter()
    writer.write(gatewayName)
    limits.describe(to: &writer)
    writer.write(zones.map(\.definition))
    describeBeacons(to: &writer)
    writer.count(receivers.count)
    for receiver in receivers {
      writer.write(receiver.name)
      receiver.calibration.describe(to: &writer)
    }
    writer.write(Pipeline.lateness(self))
    describeRooms(to: &writer)
    writer.count(phones.count)
    for phone in phones { phone.describe(to: &writer) }
    writer.write(telemetry.beaconState)
    writer.write(homeAssistant.rooms)
    writer.write(homeAssistant.hasPlaces)
    for place in homeAssistant.places ?? [] {
      writer.write(place.zone)
      writer.write(place.spoken)
    }
    return writer.fingerprint
  }

  private func describeBeacons(to writer: inout StateWriter) {
    writer.count(beacons.count)
    for beacon in beacons {
      writer.write(beacon.name)
      writer.write("\(beacon.pattern)")
      writer.write(beacon.measuredPower)
      writer.write(beacon.identityKey)
      writer.write(beacon.bindKey)
      writer.write(beacon.names)
    }
  }

  private func describeRooms(to writer: inout StateWriter) {
    writer.count(rooms.count)
    for room in rooms {
      writer.write(room.name)
      writer.write(room.floor)
      writer.write(room.outline.flatMap { [$0.x, $0.y] })
      writer.write(room.receivers)
    }
    writer.count(floors.count)
    for floor in floors {
      writer.write(floor.name)
      writer.write(floor.height)
    }
    writer.count(doors.count)
    for door in doors {
      writer.write([door.from.x, door.from.y, door.to.x, door.to.y])
      writer.write(door.floor)
    }
    roomCalibration?.describe(to: &writer)
  }
}

extension PhoneSettings {
  fileprivate func describe(to writer: inout StateWriter) {
    writer.write(name)
    writer.write(beacon)
    writer.write(countdown)
    writer.count(triggers.count)
    for trigger in triggers {
      writer.write(trigger.zone)
      writer.write(trigger.near.near)
      writer.write(trigger.near.rearm)
      writer.write(trigger.rearmSignal)
    }
    let (system, strategy) = (profile.os, profile.strategy)
    for word in [system.name, system.family.rawValue, strategy.name, strategy.mechanism.rawValue] {
      writer.write(word)
    }
    for constant in OSProfile.constants { writer.write(constant.field.told(of: system).value) }
    for constant in StrategyProfile.constants { writer.write(constant.field.told(of: strategy).value) }
  }
}

extension Calibration {
  fileprivate func describe(to writer: inout StateWriter) {
    writer.write(measuredPower)
    writer.write([offset, exponent, deviation])
    writer.write(position.map { [$0.x, $0.y, $0.z] })
  }
}

extension RoomCalibration {
  fileprivate func describe(to writer: inout StateWriter) {
    for receiver in receivers {
      writer.write(receiver.name)
      writer.write([receiver.power, receiver.exponent])
    }
    writer.write(wallLoss)
    for sample in samples {
      writer.write(sample.receiver)
      writer.write(sample.floor)
      writer.write([sample.x, sample.y, sample.level, sample.spread, sample.weight])
    }
    for histogram in histograms {
      writer.write(histogram.receiver)
      writer.write(histogram.room)
      writer.write(histogram.lowest)
      writer.write(histogram.counts)
    }
    writer.write(measuredPower)
  }
}
