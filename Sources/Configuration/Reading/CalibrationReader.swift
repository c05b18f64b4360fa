import Core
import Proximity

/// Reads the file that `calibration:` names.
struct CalibrationReader {
  let check: Configuration.Check?

  private static let remedy = "run beaconkeeper calibrate, or remove the line"

  /// - Parameter path: the absolute path of `value`.
  func read(_ value: Value, path: String, into configuration: inout Configuration) {
    var file: CalibrationFile
    var renamed: [String: String] = [:]
    do throws(CalibrationFile.Fault) {
      file = try CalibrationFile(path: path)
      renamed = file.rename(for: configuration)
      configuration.roomCalibration = file.calibration
      configuration.calibrationAccount = file.account
    } catch {
      let what = "the calibration \(quoted(path)) cannot be used: \(error)"
      if check == .elsewhere, error.isAbsent { return value.warning(what) }
      value.error(what, hint: Self.remedy)
      return
    }
    for (old, new) in renamed.sorted(by: { $0.key < $1.key }) {
      value.warning(
        "the calibration knows \(quoted(new)) as \(quoted(old)): it has the same receivers, so it counts as renamed",
        hint: "write the new name in the calibration file, or calibrate again if it is another room")
    }
    if file.isForeign(to: configuration) { return warnOfAnotherSite(value, file) }
    warnIfOfNoUse(value, configuration)
    warn(value, configuration)
  }

  private func warnOfAnotherSite(_ value: Value, _ file: CalibrationFile) {
    let rooms = listed(file.account.stays.map { quoted($0.room) }, joining: "and")
    let receivers = listed(file.calibration.receiverNames.map(quoted), joining: "and")
    let parts = [(rooms, "rooms"), (receivers, "receivers")].filter { !$0.0.isEmpty }
    value.warning(
      "the calibration fits other rooms or receivers: it knows "
        + parts.map { "the \($0.1) \($0.0)" }.joined(separator: " and "),
      hint: "if it is of another configuration in this folder, name another file here, and calibrate")
  }

  /// With outlines a calibration has levels for places, without them for rooms. Neither can be derived from the other.
  private func warnIfOfNoUse(_ value: Value, _ configuration: Configuration) {
    guard let calibration = configuration.roomCalibration else { return }
    let hasOutlines = configuration.rooms.allSatisfy { $0.outline.count > 2 }
    let ofPlaces = !calibration.receivers.isEmpty || !calibration.samples.isEmpty
    let ofRooms = !calibration.histograms.isEmpty
    guard hasOutlines ? ofRooms && !ofPlaces : ofPlaces && !ofRooms else { return }
    value.warning(
      hasOutlines
        ? "the calibration was made without outlines, and is of no use now that the rooms have some"
        : "the calibration was made with outlines, and is of no use while a room has none",
      hint: "calibrate again; a recording of that walk will do: beaconkeeper calibrate --marks")
  }

  /// Warns of rooms and receivers that were renamed or removed.
  private func warn(_ value: Value, _ configuration: Configuration) {
    let rooms = Set(configuration.rooms.map(\.name))
    let covered = (configuration.calibrationAccount?.stays ?? []).filter { $0.seconds > 0 }.map(\.room)
    let lost = covered.filter { !rooms.contains($0) }
    if !lost.isEmpty {
      value.warning(
        "the calibration knows \(lost.count == 1 ? "a room" : "rooms") that the configuration does not: "
          + listed(lost.map(quoted), joining: "and"),
        hint: "calibrate again if rooms were divided, or renamed with other receivers")
    }
    // A receiver in no room may have heard the walk, too. A renamed receiver is also reported under its new name.
    let mounted = configuration.rooms.flatMap(\.receivers) + configuration.receivers.map(\.name)
    let heard = configuration.roomCalibration?.receiverNames ?? []
    let strangers = heard.filter { !mounted.contains($0) }
    let missed = mounted.contains { !heard.contains($0) }
    if missed, !strangers.isEmpty {
      value.warning(
        "the calibration knows \(strangers.count == 1 ? "a receiver" : "receivers") that the configuration does not: "
          + listed(strangers.map(quoted), joining: "and"),
        hint: "calibrate again if receivers were renamed or moved")
    }
    warnOfMoved(value, configuration)
  }

  /// Smaller corrections of a position change little, metres.
  private static let tolerance = 0.5

  /// Warns of rooms whose receiver at the time of the walk is another room's now, and of receivers that were elsewhere: names were
  /// swapped, or receivers moved.
  private func warnOfMoved(_ value: Value, _ configuration: Configuration) {
    for receiver in configuration.receivers {
      guard let place = receiver.calibration.position,
        let old = configuration.calibrationAccount?.positions[receiver.name],
        case let way =
          ((place.x - old.x) * (place.x - old.x) + (place.y - old.y) * (place.y - old.y)
          + (place.z - old.z) * (place.z - old.z)).squareRoot(), way > Self.tolerance
      else { continue }
      value.warning(
        "the calibration was made with \(quoted(receiver.name)) \(decimal(way, decimals: 1)) m from where it is now",
        hint: "calibrate again, or put its position back")
    }
    for stay in configuration.calibrationAccount?.stays ?? [] where stay.seconds > 0 {
      guard let room = configuration.rooms.first(where: { $0.name == stay.room }),
        let moved = stay.receivers.first(where: { !room.receivers.contains($0) }),
        let other = configuration.rooms.first(where: { $0.receivers.contains(moved) })
      else { continue }
      value.warning(
        "the calibration was made with \(quoted(moved)) in \(quoted(room.name)), and it is in \(quoted(other.name)) now",
        hint: "calibrate again, or put the names back")
    }
  }
}

/// Rooms of which only the name is known. A walk can show how receivers hear a beacon there.
struct UnmeasuredRooms {
  var rooms: [RoomReader.Entry]

  /// How many names are listed.
  private static let toldLimit = 5

  /// - Parameter calibrates: whether a calibration is about to be made.
  func warn(_ configuration: Configuration, calibrates: Bool) {
    guard !calibrates, rooms.contains(where: { $0.settings.outline.isEmpty }),
      rooms.first?.value.diagnostics.hasErrors == false
    else { return }
    let measured = Set(
      configuration.roomCalibration?.histograms.lazy.filter { $0.counts.contains { $0 > 0 } }.map(\.room)
        ?? [])
    let unknown = rooms.filter { $0.settings.receivers.isEmpty && !measured.contains($0.settings.name) }
    guard let first = unknown.first else { return }
    let told = unknown.prefix(Self.toldLimit).map { quoted($0.settings.name) }
    let more = unknown.count > told.count ? " and \(unknown.count - told.count) more" : ""
    first.value.warning(
      "nothing shows when a beacon is in \(listed(Array(told), joining: "or"))\(more): no beacon will be there, and its occupancy is unknown",
      hint:
        "calibrate: a walk shows how receivers of other rooms hear it; or add its receivers, or give all rooms an outline"
    )
  }
}

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
