import JSON
import Beacons
import Messages
import Proximity

/// A transition as one line for people.
///
///     21:50:03Z  near   pump-3  fleet:1.2   1.4 m ± 0.5   −61 dBm   within 1.5 m for 2 s (hci0, 9 heard)
public struct TransitionLine: CustomStringConvertible {
  private let message: TransitionMessage

  public init(_ message: TransitionMessage) { self.message = message }

  public var description: String {
    "\(message.transition.wallTime.rfc3339.dropFirst(11).prefix(8))Z  \(text)"
  }

  /// The line without its time.
  public var text: String {
    let transition = message.transition
    var columns = [
      padded(transition.event.rawValue, 5), padded(message.zone, 10),
      padded(message.displayName ?? message.beacon, 12),
    ]
    if let distance = transition.distance {
      let deviation = transition.distanceDeviation.map { " ± \(short($0))" } ?? ""
      columns.append(padded("\(short(distance)) m\(deviation)", 14))
    }
    columns.append(reason)
    return columns.joined(separator: "  ").printable
  }

  private var reason: String {
    let evidence = message.transition.evidence
    let threshold = short(evidence.threshold)
    let dwell = evidence.dwell > .zero ? " for \(short(evidence.dwell.seconds)) s" : ""
    let heard = " (\(message.receiver), \(evidence.samples) heard)"
    switch evidence.reason {
    case .zoneRemoved: return "the zone is no longer configured"
    case .beaconRemoved: return "the beacon is no longer configured, or has another name"
    case .beaconUnwatched: return "the zone no longer watches this beacon"
    case .receiversChanged: return "none of the zone's receivers hears it"
    case nil: break
    }
    switch (evidence.unit, message.transition.event) {
    // Weaker than any radio hears: the rule asks for no more than presence.
    case (.decibelMilliwatts, .enter) where evidence.threshold <= -127: return "heard" + dwell + heard
    case (.seconds, _): return "not heard for \(threshold) s" + heard
    case (.metres, .exit): return "beyond \(threshold) m" + dwell + heard
    case (.metres, _): return "within \(threshold) m" + dwell + heard
    case (.decibelMilliwatts, .exit): return "weaker than \(threshold) dBm" + dwell + heard
    case (.decibelMilliwatts, _): return "at least \(threshold) dBm" + dwell + heard
    }
  }

  private func short(_ number: Double) -> String {
    let tenths = (number * 10).rounded() / 10
    return tenths == tenths.rounded() && abs(tenths) < 1e9 ? String(Int64(tenths)) : String(tenths)
  }

  private func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
