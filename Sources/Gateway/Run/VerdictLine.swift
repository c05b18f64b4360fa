import JSON
import Beacons
import Messages
import RangingPolicy

/// A verdict as one line for people.
///
///     21:50:04Z  phone  pump-3      anna          delivered 0.4 s after near (ios13, background-task)
///     21:50:21Z  phone  pump-3      ben           missed: the time after the last region event had run out (GRACE_EXPIRED; …)
public struct VerdictLine: CustomStringConvertible {
  private let message: VerdictMessage

  public init(_ message: VerdictMessage) { self.message = message }

  public var description: String { "\(message.time.rfc3339.dropFirst(11).prefix(8))Z  \(text)" }

  /// The line without its time.
  public var text: String {
    let columns = ["phone", message.zone.padded(to: 10), message.phone.padded(to: 12), outcome]
    return columns.joined(separator: "  ").printable
  }

  private var outcome: String {
    let profile = "\(message.os), \(message.strategy)"
    guard message.delivered != nil, let lateness = message.lateness else {
      return "missed: \(message.outcome.words) (\(message.outcome.rawValue); \(profile))"
    }
    let tenths = (lateness + 50) / 100
    let late = message.outcome == .deliveredLate ? "late, " : ""
    return "delivered \(late)\(tenths / 10).\(tenths % 10) s after near (\(profile))"
  }
}
