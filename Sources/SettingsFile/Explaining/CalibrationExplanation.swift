import Beacons
import JSON
import Proximity
import Settings

/// A calibration in plain words: when, where and with which beacon it was made, how good it is, and what is missing.
struct CalibrationExplanation {
  var configuration: Configuration

  init(_ configuration: Configuration) { self.configuration = configuration }

  /// nil: there is none.
  var text: String? {
    guard let file = configuration.calibrationFile else { return nil }
    guard let account = configuration.calibrationAccount else { return "calibrated by \(file)" }
    let seconds = account.stays.reduce(0) { $0 + $1.seconds }
    let carried = account.beacon.isEmpty ? "" : " with \(quoted(account.beacon))"
    var parts = [
      "calibrated by \(file) of \(account.time.rfc3339.prefix(10))\(carried): \(Int(seconds)) s in \(rooms(account))"
    ]
    if let heldOut = account.heldOut { parts.append(words(heldOut)) }
    let missing = configuration.rooms.map(\.name).filter { name in
      !account.stays.contains { $0.room == name && $0.seconds > 0 }
    }
    if !missing.isEmpty { parts.append("not covered: \(listed(missing, joining: "and"))") }
    let heard = Set(configuration.roomCalibration?.receiverNames ?? [])
    let unheard = configuration.rooms.flatMap(\.receivers).filter { !heard.contains($0) }
    if !unheard.isEmpty { parts.append("did not hear the beacon: \(listed(unheard, joining: "and"))") }
    return parts.joined(separator: "; ")
  }

  private func rooms(_ account: CalibrationAccount) -> String {
    let covered = account.stays.filter { $0.seconds > 0 }
    return listed(covered.map { "\($0.room) (\(Int($0.seconds)) s)" }, joining: "and")
  }

  private func words(_ heldOut: CalibrationAccount.HeldOut) -> String {
    let share = decimal(100 * heldOut.right, decimals: 1)
    let delay = heldOut.delay.map { ", \(decimal($0, decimals: 1)) s late" } ?? ""
    return
      "right \(share) % of the time on stretches left out, \(heldOut.changes) changes reported, \(heldOut.trueChanges) true\(delay)"
  }
}
