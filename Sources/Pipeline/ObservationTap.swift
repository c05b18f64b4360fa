import Beacons
import Messages
import Settings

/// Collects what this gateway's own radios hear of configured beacons, for `observations/<partition>`.
package struct ObservationTap: Sendable {
  /// Sightings collected at a time; more than a machine can hear in the longest interval that makes sense.
  private static let limit = 20_000
  /// A message is closed after this many bytes, so that it fits one packet in most networks.
  private static let size = 900
  /// The same where a broker has to confirm each: RabbitMQ spends the same on a long one as on a short one.
  private static let confirmedSize = 8000

  let settings: ObservationSettings
  let boot: String
  private var sightings: [Sighting] = []
  /// How many batches each partition has had.
  private var sequences: [UInt64]
  var lost: UInt64 = 0

  package init(_ settings: ObservationSettings, boot: String) {
    self.settings = settings
    self.boot = boot
    sequences = Array(repeating: 0, count: settings.partitions)
  }

  /// The same for other settings. The numbers go on.
  func adapted(to new: ObservationSettings) -> ObservationTap {
    var next = ObservationTap(new, boot: boot)
    for place in 0..<min(sequences.count, next.sequences.count) { next.sequences[place] = sequences[place] }
    next.lost = lost
    return next
  }

  package mutating func note(_ sighting: Sighting) {
    guard sighting.beacon != .nobody else { return }
    if sightings.count < Self.limit { sightings.append(sighting) } else { lost += 1 }
  }

  /// A beacon is retired: its index will mean another.
  mutating func drop(_ beacon: BeaconIndex) { sightings.removeAll { $0.beacon == beacon } }

  /// What is due now, as batches of about 1 kB, or 8 kB with a buffer: each of one partition, with the sightings of a beacon together.
  package mutating func take(
    at time: MonotonicTime, gateway: String, receivers: ReceiverTable, key: (BeaconIndex) -> String
  ) -> [ObservationsMessage] {
    guard !sightings.isEmpty else { return [] }
    defer { sightings.removeAll(keepingCapacity: true) }
    var order: [BeaconIndex] = []
    var byBeacon: [BeaconIndex: [Sighting]] = [:]
    for sighting in sightings {
      if byBeacon[sighting.beacon] == nil { order.append(sighting.beacon) }
      byBeacon[sighting.beacon, default: []].append(sighting)
    }
    var partitions = Array(repeating: [(key: String, sightings: [Sighting])](), count: settings.partitions)
    for beacon in order {
      let key = key(beacon)
      let partition = ObservationsMessage.partition(of: key, among: settings.partitions)
      partitions[partition].append((key, byBeacon[beacon] ?? []))
    }
    let size = settings.buffer == nil ? Self.size : Self.confirmedSize
    var messages: [ObservationsMessage] = []
    for (partition, beacons) in partitions.enumerated() {
      var batch = Batch()
      for (key, sightings) in beacons {
        for sighting in sightings {
          if batch.octets > size {
            messages.append(finish(batch, partition, at: time, gateway))
            batch = Batch()
          }
          batch.add(sighting, key, by: receivers.name(of: sighting.receiver), at: time)
        }
      }
      if !batch.beacons.isEmpty { messages.append(finish(batch, partition, at: time, gateway)) }
    }
    return messages
  }

  private mutating func finish(
    _ batch: Batch, _ partition: Int, at time: MonotonicTime, _ gateway: String
  ) -> ObservationsMessage {
    sequences[partition] += 1
    return ObservationsMessage(
      gateway: gateway, boot: boot, sequence: sequences[partition], sent: time, partition: partition,
      receivers: batch.receivers, beacons: batch.beacons)
  }

  private struct Batch {
    var receivers: [String] = []
    var beacons: [ObservationsMessage.Beacon] = []
    /// Of the message, roughly.
    var octets = 120

    mutating func add(_ sighting: Sighting, _ key: String, by name: String, at time: MonotonicTime) {
      let receiver = receivers.firstIndex(of: name) ?? receivers.count
      if receiver == receivers.count {
        receivers.append(name)
        octets += name.utf8.count + 3
      }
      if beacons.last?.key != key || beacons.last?.measuredPower != sighting.measuredPower {
        beacons.append(.init(key: key, measuredPower: sighting.measuredPower, heard: []))
        octets += key.utf8.count + 40
      }
      // A source that gathers may be a little ahead of the clock.
      let age = max(time - sighting.time, .zero)
      beacons[beacons.count - 1].heard.append(.init(receiver: receiver, rssi: sighting.rssi, age: age))
      octets += 14
    }
  }
}
