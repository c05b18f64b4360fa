import MQTT
import JSON
import Beacons
import Proximity

/// A transition with all names resolved: one JSON object, identical on MQTT and from `replay`.
public struct TransitionMessage: Sendable {
  public var transition: Transition
  /// The pair of epoch and `sequence` numbers it; 0 until it is numbered.
  public var epoch: UInt64
  public var sequence: UInt64
  public var gateway: String
  public var zone: String
  public var beacon: String
  /// A readable name; it is not in the payload.
  public var displayName: String?
  public var receiver: String

  public init(
    transition: Transition, epoch: UInt64 = 0, sequence: UInt64 = 0, gateway: String, zone: String,
    beacon: String,
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

  /// 32 hexadecimal digits that any worker computes alike: 128-bit FNV-1a (RFC 9923) over gateway, zone,
  /// beacon, event and time, each followed by a zero octet, which names cannot contain.
  public var id: String { hexadecimal(hash(time: timeText), octets: 16) }

  private func hash(time: InlineArray<24, UInt8>) -> UInt128 {
    var hash = FNV1a()
    hash.combine(gateway.utf8.span)
    hash.combine(zone.utf8.span)
    hash.combine(beacon.utf8.span)
    hash.combine(transition.event.rawValue.utf8.span)
    hash.combine(time.span)
    return hash.value
  }

  private var timeText: InlineArray<24, UInt8> { InlineArray { $0.append(transition.wallTime) } }

  /// 2024-01-01: an earlier calendar has not been set yet.
  private static let trusted = WallTime(nanoseconds: 1_704_067_200_000_000_000)

  /// The payload, version 1.
  public var json: [UInt8] {
    let isPlain =
      gateway.utf8.span.isPlainInJSON && zone.utf8.span.isPlainInJSON && beacon.utf8.span.isPlainInJSON
      && receiver.utf8.span.isPlainInJSON
    let names = gateway.utf8.count + zone.utf8.count + beacon.utf8.count + receiver.utf8.count
    let octets = Self.roomBesideNames + escapeLimit(isPlain: isPlain) * names
    // Not `[UInt8](capacity:)`, which at present looks up its type at every call.
    var bytes: [UInt8] = []
    bytes.reserveCapacity(octets)
    bytes.append(addingCapacity: octets) { write(into: &$0, namesArePlain: isPlain) }
    return bytes
  }

  private func write(into json: inout OutputSpan<UInt8>, namesArePlain isPlain: Bool) {
    // Computed once, for both the hash and the text.
    let time = timeText
    json.append(#"{"v":1,"id":""#)
    json.append(hexadecimal: hash(time: time))
    json.append(#"","epoch":"#)
    json.append(digits: epoch)
    json.append(#","seq":"#)
    json.append(digits: sequence)
    json.append(#","event":""#)
    json.append(contentsOf: transition.event.rawValue.utf8.span)
    json.append(#"","time":""#)
    json.append(contentsOf: time.span)
    json.append(transition.wallTime < Self.trusted ? #"","time_unsure":true"# : #"""#)
    json.append(#","gateway":"#)
    json.append(quoted: gateway.utf8.span, isPlain: isPlain)
    json.append(#","zone":"#)
    json.append(quoted: zone.utf8.span, isPlain: isPlain)
    json.append(#","beacon":"#)
    json.append(quoted: beacon.utf8.span, isPlain: isPlain)
    json.append(#","distance_m":"#)
    json.append(transition.distance, decimals: 2)
    json.append(#","distance_sd_m":"#)
    json.append(transition.distanceDeviation, decimals: 2)
    json.append(#","rssi_dbm":"#)
    json.append(transition.rssi, decimals: 1)
    json.append(#","because":{"threshold":"#)
    json.append(transition.evidence.threshold, decimals: 3)
    json.append(#","value":"#)
    json.append(transition.evidence.value, decimals: 3)
    json.append(#","unit":""#)
    json.append(contentsOf: transition.evidence.unit.rawValue.utf8.span)
    json.append(#"","samples":"#)
    json.append(integer: transition.evidence.samples)
    json.append(#","dwell_s":"#)
    json.append(transition.evidence.dwell.seconds, decimals: 3)
    json.append(#","receiver":"#)
    json.append(quoted: receiver.utf8.span, isPlain: isPlain)
    if let reason = transition.evidence.reason {
      json.append(#","reason":""#)
      json.append(contentsOf: reason.rawValue.utf8.span)
      json.append(#"""#)
    }
    json.append("}}")
  }

  /// The largest size of the payload without names: text and quotes of 229 octets; an id, an event, a time and a unit of 64;
  /// a reason of 29; and nine numbers.
  static let roomBesideNames = 229 + 64 + 29 + 9 * decimalTextLimit

  public func message(topics: Topics) -> Message {
    Message(
      topic: topics.transition(zone: zone, event: transition.event.rawValue), payload: json,
      qos: .atLeastOnce, retained: false)
  }
}
