import Beacons
import Configuration
import Contract
import Core

/// Collects sightings of configured beacons by this gateway's own radios, for `observations/<partition>`.
package struct ObservationTap: Sendable {
  /// How many sightings are collected at a time. A machine cannot hear more in the longest sensible interval.
  private static let limit = 20_000
  /// A message is closed after this many bytes, so that it fits one packet in most networks.
  private static let size = 900
  /// The same limit if the broker must confirm each message. For RabbitMQ a long message costs as much as a short one.
  private static let confirmedSize = 8000

  let settings: ObservationSettings
  let boot: String
  private var sightings: [Sighting] = []
  /// How many batches were made of each partition.
  private var sequences: [UInt64]
  var lost: UInt64 = 0
  /// The receivers that were in batches since the last empty one, and when the last of these batches was made.
  private var heardBy: [String] = []
  private var lastBatch = MonotonicTime(nanoseconds: .min)
  /// After a silence of this length an empty batch is published. It shows other gateways that we hear
  /// nothing, but have not failed.
  private static let silence = TimeSpan.seconds(2)

  package init(_ settings: ObservationSettings, boot: String) {
    self.settings = settings
    self.boot = boot
    sequences = Array(repeating: 0, count: settings.partitions)
  }

  /// A tap with other settings. The sequence numbers continue.
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

  /// Drops a retired beacon's sightings, because its index will be reused.
  mutating func drop(_ beacon: BeaconIndex) { sightings.removeAll { $0.beacon == beacon } }

  /// Returns the observations due now, as batches of about 1 kB, or 8 kB with a buffer. Each batch is of one partition and has
  /// the sightings of a beacon together.
  package mutating func take(
    at time: MonotonicTime, gateway: String, receivers: ReceiverTable, key: (BeaconIndex) -> String
  ) -> [ObservationsMessage] {
    guard !sightings.isEmpty else { return ending(at: time, gateway) }
    lastBatch = time
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

  /// An empty batch if the radios hear nothing more; once.
  private mutating func ending(at time: MonotonicTime, _ gateway: String) -> [ObservationsMessage] {
    // In a fleet, each gateway would send one to each partition, for each tag that falls asleep.
    guard settings.partitions == 1, !heardBy.isEmpty, time - lastBatch >= Self.silence else { return [] }
    defer { heardBy.removeAll(keepingCapacity: true) }
    return [finish(Batch(receivers: heardBy), 0, at: time, gateway)]
  }

  private mutating func finish(
    _ batch: Batch, _ partition: Int, at time: MonotonicTime, _ gateway: String
  ) -> ObservationsMessage {
    sequences[partition] += 1
    for receiver in batch.receivers where !heardBy.contains(receiver) { heardBy.append(receiver) }
    return ObservationsMessage(
      gateway: gateway, boot: boot, sequence: sequences[partition], sent: time, partition: partition,
      receivers: batch.receivers, beacons: batch.beacons, ends: settings.partitions == 1)
  }

  private struct Batch {
    var receivers: [String] = []
    var beacons: [ObservationsMessage.Beacon] = []
    /// Approximate size of the message.
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
      // The time of a source may be slightly ahead of the clock.
      let age = max(time - sighting.time, .zero)
      beacons[beacons.count - 1].heard.append(.init(receiver: receiver, rssi: sighting.rssi, age: age))
      octets += 14
    }
  }
}

/// Observations for other gateways.
extension Pipeline {
  /// Starts, changes or stops the collection of our radios' sightings, as configured.
  ///
  /// - Parameter boot: identifies this run of the gateway.
  package mutating func publishObservations(boot: String, after earlier: Pipeline? = nil) {
    tap = configuration.publish.observations.map { settings in
      earlier?.tap?.adapted(to: settings) ?? ObservationTap(settings, boot: boot)
    }
  }

  /// Our radios' sightings since the last call.
  ///
  /// - Parameter time: now, on the clock of the advertisements.
  package mutating func takeObservations(at time: MonotonicTime) -> [ObservationsMessage] {
    guard var tap else { return [] }
    self.tap = nil
    let messages = tap.take(at: time, gateway: configuration.gatewayName, receivers: receivers) {
      roster.key(of: $0)
    }
    self.tap = tap
    return messages
  }

  /// Sightings that were dropped because too many came at once; nil: observations are off.
  package var lostObservations: UInt64? { tap?.lost }
}
