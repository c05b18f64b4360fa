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
  public var id: String { id(at: transition.wallTime.rfc3339) }

  private func id(at time: String) -> String {
    var hash = FNV1a()
    for part in [gateway, zone, beacon, transition.event.rawValue, time] { hash.combine(part) }
    return hash.hexadecimal
  }

  /// 2024-01-01: a calendar that is behind this was not set yet.
  private static let trusted = WallTime(nanoseconds: 1_704_067_200_000_000_000)

  /// The payload, version 1.
  public var json: [UInt8] {
    let time = transition.wallTime.rfc3339
    return JSONWriter.object {
      $0.field("v", 1)
      $0.field("id", id(at: time))
      $0.field("epoch", epoch)
      $0.field("seq", sequence)
      $0.field("event", transition.event.rawValue)
      $0.field("time", time)
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

/// The 128-bit FNV-1a hash (RFC 9923, section 6).
private struct FNV1a {
  private var state: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D

  mutating func combine(_ text: String) {
    for unit in text.utf8 { combine(unit) }
    combine(0)
  }

  private mutating func combine(_ unit: UInt8) {
    state = (state ^ UInt128(unit)) &* 0x0000_0000_0100_0000_0000_0000_0000_013B
  }

  var hexadecimal: String { Beacons.hexadecimal(state, octets: 16) }
}
