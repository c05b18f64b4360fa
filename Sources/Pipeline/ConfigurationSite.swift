import BeaconKeys
import Beacons
import Settings
import Proximity

/// The configuration, converted to the types of the modules that do the work.
extension Configuration {
  /// Beacons, converted for the catalogue, in the order of `beacons`.
  var beaconEntries: [BeaconEntry] {
    beacons.map { beacon in
      let power = beacon.measuredPower.map { Int8(clamping: Int($0.rounded())) }
      return BeaconEntry(name: beacon.name, pattern: beacon.pattern, measuredPower: power)
    }
  }

  /// Keys that resolve private addresses, each with its entry.
  var identityKeys: [(entry: BeaconEntryIndex, key: SecretKey)] {
    beacons.enumerated().compactMap { position, beacon in
      secretKey(beacon.identityKey).map { (BeaconEntryIndex(rawValue: Int32(clamping: position)), $0) }
    }
  }

  /// Keys that decrypt readings.
  var bindKeys: [BeaconEntryIndex: SecretKey] {
    var keys: [BeaconEntryIndex: SecretKey] = [:]
    for (position, beacon) in beacons.enumerated() {
      keys[BeaconEntryIndex(rawValue: Int32(clamping: position))] = secretKey(beacon.bindKey)
    }
    return keys
  }

  private func secretKey(_ name: String?) -> SecretKey? {
    name.flatMap { keys[$0] }.flatMap { SecretKey($0.revealed) }
  }

  /// Zones and calibrations, converted for the engine. Receivers that are named get their index here.
  func site(receivers table: inout ReceiverTable) -> Site {
    var calibrations: [ReceiverIndex: Calibration] = [:]
    for receiver in receivers {
      if let index = table.index(of: receiver.name) { calibrations[index] = receiver.calibration }
    }
    let roomNames = rooms.map(\.name)
    let zones = zones.map { zone in
      Zone(
        receivers: zone.receivers.map { names in Set(names.compactMap { table.index(of: $0) }) },
        near: zone.near, enter: zone.enter, exit: zone.exit, lost: zone.lost,
        rooms: zone.rooms.map { names in
          Set(names.compactMap { roomNames.firstIndex(of: $0) }.map { RoomIndex(rawValue: Int32($0)) })
        })
    }
    let survey = roomPlan(receivers: &table).map {
      SignalSurvey(plan: $0.plan, names: $0.names, calibration: roomCalibration)
    }
    return Site(zones: zones, receivers: calibrations, survey: survey)
  }
}
