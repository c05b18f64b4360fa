import Beacons
import Proximity

/// A transition with every name resolved: one JSON object, the same on MQTT and from `replay`.
public struct TransitionMessage: Sendable {
  public var transition: Transition
  public var epoch: UInt64
  public var sequence: UInt64
  public var gateway: String
  public var zone: String
  public var beacon: String
  public var receiver: String

  public init(
    transition: Transition, epoch: UInt64, sequence: UInt64, gateway: String, zone: String, beacon: String,
    receiver: String
  ) {
    self.transition = transition
    self.epoch = epoch
    self.sequence = sequence
    self.gateway = gateway
    self.zone = zone
    self.beacon = beacon
    self.receiver = receiver
  }

  /// 32 hexadecimal digits that any worker computes alike: FNV-1a of 128 bits (RFC 9923) over gateway, zone,
  /// beacon, event and time, each ended by a zero octet, which no UTF-8 name of ours can hold.
  public var id: String { hexadecimal(hash, octets: 16) }

  private var hash: UInt128 {
    var hash = FNV1a()
    hash.combine(gateway)
    hash.combine(zone)
    hash.combine(beacon)
    hash.combine(transition.event.rawValue)
    hash.combine(transition.wallTime)
    return hash.value
  }

  /// 2024-01-01: a calendar that is behind this was not set yet.
  private static let trusted = WallTime(nanoseconds: 1_704_067_200_000_000_000)

  /// The payload, version 1.
  public var json: [UInt8] {
    JSONWriter.object {
      $0.field("v", 1)
      $0.key("id")
      $0.value(hexadecimal: hash)
      $0.field("epoch", epoch)
      $0.field("seq", sequence)
      $0.field("event", transition.event.rawValue)
      $0.field("time", transition.wallTime)
      if transition.wallTime < Self.trusted { $0.field("time_unsure", true) }
      $0.field("gateway", gateway)
      $0.field("zone", zone)
      $0.field("beacon", beacon)
      $0.field("distance_m", transition.distance, decimals: 2)
      $0.field("distance_sd_m", transition.distanceDeviation, decimals: 2)
      $0.field("rssi_dbm", transition.rssi, decimals: 1)
      $0.key("because")
      $0.object {
        $0.field("threshold", transition.evidence.threshold, decimals: 3)
        $0.field("value", transition.evidence.value, decimals: 3)
        $0.field("unit", transition.evidence.unit.rawValue)
        $0.field("samples", transition.evidence.samples)
        $0.field("dwell_s", transition.evidence.dwell.seconds, decimals: 3)
        $0.field("receiver", receiver)
      }
    }
  }

  public func message(topics: Topics) -> Message {
    Message(
      topic: topics.transition(zone: zone, event: transition.event.rawValue), payload: json,
      qos: .atLeastOnce, retained: false)
  }
}
