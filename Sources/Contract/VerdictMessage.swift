import Core
import Phones

/// `phone/<phone>/verdict`: the outcome of one near trigger.
package struct VerdictMessage: Sendable {
  package struct Evidence: Hashable, Sendable {
    package var time: WallTime
    package var what: Fact.What

    package init(time: WallTime, what: Fact.What) {
      self.time = time
      self.what = what
    }
  }

  package var phone: String
  package var gateway: String
  /// The id of the near transition.
  package var transition: String
  package var zone: String
  package var beacon: String
  package var os: String
  package var strategy: String
  package var outcome: Reason
  /// When the verdict was reached.
  package var time: WallTime
  /// When the gateway decided near.
  package var near: WallTime
  package var delivered: WallTime?
  /// From near to delivery.
  package var lateness: Milliseconds?
  package var evidence: [Evidence]

  package init(
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
  package var json: [UInt8] {
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

  package func message(topics: Topics) -> Message {
    Message(topic: topics.verdict(phone: phone), payload: json, qos: .atLeastOnce, retained: false)
  }
}
