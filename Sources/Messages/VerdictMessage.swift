import MQTT
import JSON
import Beacons
import RangingPolicy

/// `phone/<phone>/verdict`: the outcome of one near trigger.
public struct VerdictMessage: Sendable {
  public struct Evidence: Hashable, Sendable {
    public var time: WallTime
    public var what: Fact.What

    public init(time: WallTime, what: Fact.What) {
      self.time = time
      self.what = what
    }
  }

  public var phone: String
  public var gateway: String
  /// The id of the near transition.
  public var transition: String
  public var zone: String
  public var beacon: String
  public var os: String
  public var strategy: String
  public var outcome: Reason
  /// When the verdict was reached.
  public var time: WallTime
  /// When the gateway decided near.
  public var near: WallTime
  public var delivered: WallTime?
  /// From near to delivery.
  public var lateness: Milliseconds?
  public var evidence: [Evidence]

  public init(
    phone: String, gateway: String, transition: String, zone: String, beacon: String, os: String,
    strategy: String, outcome: Reason, time: WallTime, near: WallTime, delivered: WallTime?,
    lateness: Milliseconds?, evidence: [Evidence]
  ) {
    self.phone = phone
    self.gateway = gateway
    self.transition = transition
    self.zone = zone
    self.beacon = beacon
    self.os = os
    self.strategy = strategy
    self.outcome = outcome
    self.time = time
    self.near = near
    self.delivered = delivered
    self.lateness = lateness
    self.evidence = evidence
  }

  /// The payload, version 1; identical on MQTT and from `replay`.
  public var json: [UInt8] {
    JSONWriter.object {
      $0.field("v", 1)
      $0.field("transition", transition)
      $0.field("outcome", outcome.rawValue)
      $0.field("time", time)
      $0.field("gateway", gateway)
      $0.field("phone", phone)
      $0.field("zone", zone)
      $0.field("beacon", beacon)
      $0.field("os", os)
      $0.field("strategy", strategy)
      $0.field("near_at", near)
      $0.field("delivered_at", delivered)
      $0.field("late_s", lateness.map { Double($0) / 1000 }, decimals: 3)
      $0.objects("evidence", evidence) { writer, fact in
        writer.field("time", fact.time)
        writer.field("what", fact.what.rawValue)
      }
    }
  }

  public func message(topics: Topics) -> Message {
    Message(topic: topics.verdict(phone: phone), payload: json, qos: .atLeastOnce, retained: false)
  }
}
