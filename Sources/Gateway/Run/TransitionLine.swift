import Beacons
import Contract
import Core
import Phones
import Proximity

/// A transition or a beacon's event as one line for people.
///
///     21:50:03Z  near   pump-3      fleet:1.2     1.4 m ± 0.5     within 1.5 m for 2 s (hci0, 9 heard)
///     21:50:09Z  enter  kitchen     van           87 % sure       room: esp-kitchen -58 dBm, esp-hall -71 dBm
///     21:50:14Z  press  button      doorbell      (hci0)
package struct TransitionLine: CustomStringConvertible {
  private let message: TransitionMessage

  package init(_ message: TransitionMessage) { self.message = message }

  package var description: String { "\(message.wallTime.clock)  \(text)" }

  /// The line with its date, for a recording.
  package var dated: String { "\(message.wallTime.day) \(self)" }

  /// The line without its time.
  package var text: String {
    var columns = [
      message.word.padded(to: 5), subject.padded(to: 10),
      (message.displayName ?? message.beacon).padded(to: 12),
    ]
    switch message.decision {
    case .zone(let transition):
      if let distance = transition.distance {
        let deviation = transition.distanceDeviation.map { " ± \(short($0))" } ?? ""
        columns.append("\(short(distance)) m\(deviation)".padded(to: 14))
      }
    case .room(let transition):
      if let inside = transition.probability {
        let probability = transition.event == .enter ? inside : 1 - inside
        columns.append("\(short((probability * 100).rounded())) % sure".padded(to: 14))
      }
    case .event: break
    }
    columns.append(because)
    return columns.joined(separator: "  ").printable
  }

  /// Why it happened.
  package var because: String {
    if let change { return change }
    switch message.decision {
    case .zone(let transition): return reason(transition.evidence)
    case .room(let transition): return reason(transition)
    case .event(let event):
      return (event.happening.amount.map { "\($0) times " } ?? "") + "(\(message.receiver))"
    }
  }

  /// The zone or room, or the reading of the beacon.
  private var subject: String {
    if case .event(let event) = message.decision { event.reading.name } else { message.place }
  }

  /// The change of the configuration that caused it; nil: none.
  private var change: String? {
    let kind = message.kind?.rawValue ?? ""
    return switch message.reason {
    case .zoneRemoved where message.event == .enter: "the \(kind) has this name now"
    case .zoneRemoved: "the \(kind) is no longer configured"
    case .beaconRemoved: "the beacon is no longer configured, or has another name"
    case .beaconUnwatched: "the \(kind) no longer watches this beacon"
    case .roomRemoved: "its room is no longer configured"
    case .receiversChanged: "none of the \(kind)'s receivers hears it"
    case nil: nil
    }
  }

  /// Each receiver's evidence for a room.
  private func reason(_ transition: RoomTransition) -> String {
    let heard = zip(message.witnesses, transition.evidence).map { "\($0) \(short($1.rssi)) dBm" }
    let words = heard.isEmpty ? "not heard, last by \(message.receiver)" : heard.joined(separator: ", ")
    return "room: " + words
  }

  private func reason(_ evidence: Evidence) -> String {
    let threshold = short(evidence.threshold)
    let dwell = evidence.dwell > .zero ? " for \(short(evidence.dwell.seconds)) s" : ""
    let heard = " (\(message.receiver), \(evidence.samples) heard)"
    switch (evidence.unit, message.event) {
    // Weaker than any radio can hear: the rule requires only presence.
    case (.decibelMilliwatts, .enter) where evidence.threshold <= -127: return "heard" + dwell + heard
    case (.probability, .exit): return "in \(message.room ?? "no room")" + dwell + " (\(message.receiver))"
    case (.probability, _):
      let heard = zip(message.witnesses, evidence.witnesses).map { "\($0) \(short($1.rssi)) dBm" }
      return "in \(message.room ?? "no room")" + dwell + " (\(heard.joined(separator: ", ")))"
    case (.seconds, _): return "not heard for \(threshold) s" + heard
    case (.metres, .exit): return "beyond \(threshold) m" + dwell + heard
    case (.metres, _): return "within \(threshold) m" + dwell + heard
    case (.decibelMilliwatts, .exit): return "weaker than \(threshold) dBm" + dwell + heard
    case (.decibelMilliwatts, _): return "at least \(threshold) dBm" + dwell + heard
    }
  }

  private func short(_ number: Double) -> String { decimal(number, decimals: 1) }
}

/// A verdict as one line for people.
///
///     21:50:04Z  phone  pump-3      anna          delivered 0.4 s after near (ios13, background-task)
///     21:50:21Z  phone  pump-3      ben           missed: the time after the last region event had run out (GRACE_EXPIRED; …)
package struct VerdictLine: CustomStringConvertible {
  private let message: VerdictMessage

  package init(_ message: VerdictMessage) { self.message = message }

  package var description: String { "\(message.time.clock)  \(text)" }

  /// The line with its date, for a recording.
  package var dated: String { "\(message.time.day) \(self)" }

  /// The line without its time.
  package var text: String {
    let columns = ["phone", message.zone.padded(to: 10), message.phone.padded(to: 12), outcome]
    return columns.joined(separator: "  ").printable
  }

  /// The outcome, in words.
  var outcome: String {
    let profile = "\(message.os), \(message.strategy)"
    guard message.delivered != nil, let lateness = message.lateness else {
      return "missed: \(message.outcome.words) (\(message.outcome.rawValue); \(profile))"
    }
    let tenths = (lateness + 50) / 100
    let late = message.outcome == .deliveredLate ? "late, " : ""
    return "delivered \(late)\(tenths / 10).\(tenths % 10) s after near (\(profile))"
  }
}

extension WallTime {
  /// `2026-11-20`, UTC.
  fileprivate var day: Substring { rfc3339.prefix(10) }
  /// `21:50:03Z`.
  fileprivate var clock: String { "\(rfc3339.dropFirst(11).prefix(8))Z" }
}
