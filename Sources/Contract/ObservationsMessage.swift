import Core

/// `observations/<partition>`: signals of configured beacons at this gateway's own radios, for another Beaconkeeper that
/// decides.
///
/// Without a buffer they have QoS 0: the next advertisement is better than this one repeated late, and transitions must not
/// wait behind thousands of them.
package struct ObservationsMessage: Hashable, Sendable {
  package struct Heard: Hashable, Sendable {
    /// Index in `receivers`.
    package var receiver: Int
    /// dBm; nil if the radio did not know.
    package var rssi: Int8?
    /// How long before `sent`.
    package var age: TimeSpan

    package init(receiver: Int, rssi: Int8?, age: TimeSpan) {
      self.receiver = receiver
      self.rssi = rssi
      self.age = age
    }
  }

  package struct Beacon: Hashable, Sendable {
    /// See `BeaconCatalogue.key(of:)`.
    package var key: String
    /// RSSI at 1 m in dBm, if the frame has it.
    package var measuredPower: Int8?
    /// In order of time.
    package var heard: [Heard]

    package init(key: String, measuredPower: Int8?, heard: [Heard]) {
      self.key = key
      self.measuredPower = measuredPower
      self.heard = heard
    }
  }

  package var gateway: String
  /// Identifies the run of the gateway. Each run has another clock, and its sequence begins at 1.
  package var boot: String
  /// Counts the batches of this partition from 1 on.
  package var sequence: UInt64
  /// On the sender's monotonic clock.
  package var sent: MonotonicTime
  package var partition: Int
  package var receivers: [String]
  package var beacons: [Beacon]
  /// Whether an empty batch follows once the receivers hear nothing more.
  package var ends: Bool

  package init(
    gateway: String, boot: String, sequence: UInt64, sent: MonotonicTime, partition: Int,
    receivers: [String], beacons: [Beacon], ends: Bool = false
  ) {
    self.gateway = gateway
    self.boot = boot
    self.sequence = sequence
    self.sent = sent
    self.partition = partition
    self.receivers = receivers
    self.beacons = beacons
    self.ends = ends
  }

  /// The partition of a beacon: the 128-bit FNV-1a hash of its key's UTF-8 octets, modulo the number of partitions. The same in
  /// every gateway and release.
  package static func partition(of key: String, among partitions: Int) -> Int {
    guard partitions > 1 else { return 0 }
    var hash = FNV1a()
    hash.add(key.utf8.span)
    return Int(hash.value % UInt128(partitions))
  }

  /// How many observations the batch has.
  package var count: Int { beacons.reduce(0) { $0 + $1.heard.count } }

  /// - Parameter qos: 1 if it waits for the broker.
  package func message(topics: Topics, qos: QoS = .atMostOnce) -> Message {
    let payload = JSONWriter.object {
      $0.field("v", 1)
      $0.field("gateway", gateway)
      $0.field("boot", boot)
      $0.field("seq", sequence)
      $0.field("sent_ms", Self.milliseconds(sent - .zero))
      if ends { $0.field("ends", true) }
      $0.array("receivers", receivers) { $0.value($1) }
      $0.objects("beacons", beacons) { json, beacon in
        json.field("beacon", beacon.key)
        if let power = beacon.measuredPower { json.field("measured_power", power) }
        json.array("heard", beacon.heard) { json, heard in
          json.array(0..<3) { json, place in
            switch place {
            case 0: json.value(heard.receiver)
            case 1: if let rssi = heard.rssi { json.value(rssi) } else { json.null() }
            default: json.value(Self.milliseconds(heard.age))
            }
          }
        }
      }
    }
    return Message(
      topic: topics.observations(partition: partition), payload: payload, qos: qos, retained: false)
  }

  /// The same batch with the time that it waited, because the receiver treats the time of arrival as the send time. `held`: nil
  /// if the batch was made before the last boot.
  package static func delayed(_ payload: [UInt8], held: TimeSpan?) -> [UInt8] {
    if let held, held < unsaid { return payload }
    let value = held.map { String(milliseconds($0)) } ?? "null"
    return payload.dropLast() + Array(",\"held_ms\":\(value)}".utf8)
  }

  /// A shorter wait is left out, like the delay of a slow network.
  private static let unsaid = TimeSpan.milliseconds(500)

  private static func milliseconds(_ span: TimeSpan) -> Int64 { span.nanoseconds / 1_000_000 }
}
