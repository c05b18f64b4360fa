import Configuration
import Core
import Proximity

/// The result of a walk, and how good it is.
package struct CalibrationResult: Sendable {
  package struct Receiver: Sendable {
    package var name: String
    package var sightings: Int
    /// Whether the configuration names it.
    package var isConfigured: Bool
    /// nil: the configuration has none.
    package var position: Position? = nil
  }

  package var beacon: String
  package var hasGeometry: Bool
  /// By room, in the configuration's order.
  package var stays: [CalibrationAccount.Stay]
  package var receivers: [Receiver]
  /// Rooms that the walk left out, of which the earlier calibration is kept.
  package var kept: [CalibrationAccount.Stay]
  /// The calibration that was learned, even if it is useless.
  package var fit: RoomCalibration
  /// nil: the walk cannot be judged.
  package var comparison: RoomCalibrator.Comparison?
  /// Whether the calibration in use was learned from this walk, so that the walk does not judge it.
  package var presentIsOfThisWalk = false
  /// Lines of marks whose point lies outside of their room.
  package var strays: [Int]

  /// Enough seconds in a room.
  package var goal: Double

  /// More seconds in a room change little: 40, or 30 advertisements of a slow beacon.
  ///
  /// - Parameter interval: how often the beacon is heard, seconds; nil: it was not.
  package static func goal(interval: Double?) -> Double { max(40, 30 * (interval ?? 0)) }

  /// The calibration to save; nil: see `refusal`.
  package var calibration: RoomCalibration? { refusal == nil ? fit : nil }

  /// Why the calibration is not to be saved, and what helps; nil: it is better than what it replaces.
  package var refusal: String? {
    let missing =
      uncovered.isEmpty ? "" : ". Nothing was marked in \(listed(uncovered)): walk there, too"
    guard let comparison else {
      return
        "the walk cannot show how good it is: mark \(decimal(goal, decimals: 0)) s in each room, a minute or more in all, and come "
        + "back to rooms you have left" + missing
    }
    if comparison.isTooIncomplete {
      return "it would make rooms worse that the walk left out" + missing
    }
    let isOfPlaces = comparison.judgesPositions
    if comparison.best == nil {
      return (isOfPlaces ? "positions are nearer" : "rooms are right more often") + " without this one"
        + missing
    }
    if comparison.isPresentBetter {
      return "the present one is \(isOfPlaces ? "nearer" : "right more often") on this walk" + missing
    }
    return nil
  }

  private func listed(_ names: [String]) -> String {
    let told = names.prefix(5).joined(separator: ", ")
    return names.count > 5 ? "\(told) and \(names.count - 5) more rooms" : told
  }

  package var uncovered: [String] {
    stays.filter { stay in stay.seconds == 0 && !kept.contains { $0.room == stay.room } }.map(\.room)
  }
  package var unheard: [String] { receivers.filter { $0.sightings == 0 }.map(\.name) }

  package func name(_ room: RoomIndex) -> String { stays[Int(room.rawValue)].room }

  /// The file to write; nil: nothing.
  package func file(version: String, time: WallTime) -> [UInt8]? {
    guard let calibration else { return nil }
    let heldOut = comparison.flatMap { comparison in
      comparison.judgesPositions
        ? nil
        : CalibrationAccount.HeldOut(
          right: comparison.kept.right, changes: comparison.kept.changes,
          trueChanges: comparison.kept.trueChanges,
          delay: comparison.kept.delay)
    }
    var account = CalibrationAccount(
      time: time, version: version, beacon: beacon,
      stays: stays.map { stay in kept.first { $0.room == stay.room } ?? stay }, heldOut: heldOut)
    account.positions = Dictionary(
      receivers.compactMap { receiver in receiver.position.map { (receiver.name, $0) } },
      uniquingKeysWith: { first, _ in first })
    return CalibrationFile(calibration, account).text
  }
}

extension CalibrationResult {
  /// The result for programs.
  package var json: [UInt8] {
    JSONWriter.object { json in
      json.field("beacon", beacon)
      json.field("usable", calibration != nil)
      json.field("refusal", refusal)
      json.objects("rooms", stays) { json, stay in
        json.field("room", stay.room)
        json.field("seconds", stay.seconds, decimals: 1)
        json.field("enough", stay.seconds >= goal)
        json.field("kept", kept.contains { $0.room == stay.room })
      }
      json.objects("receivers", receivers) { json, receiver in
        let fit = self.fit.receivers.first { $0.name == receiver.name }
        json.field("receiver", receiver.name)
        json.field("sightings", receiver.sightings)
        json.field("power_dbm", fit?.power, decimals: 2)
        json.field("exponent", fit?.exponent, decimals: 3)
      }
      json.field("wall_loss_db", hasGeometry ? fit.wallLoss : nil, decimals: 2)
      json.object("held_out", of: comparison) { write($1, &$0) }
      json.array("marks_outside_their_room", strays) { $0.value($1) }
    }
  }

  private func write(_ comparison: RoomCalibrator.Comparison, _ json: inout JSONWriter) {
    json.object("nothing") { write(comparison.uncalibrated, &$0) }
    if let pathLoss = comparison.pathLoss { json.object("path_loss") { write(pathLoss, &$0) } }
    json.object("all") { write(comparison.calibrated, &$0) }
    if let less = comparison.lessComplete { json.object("less_complete") { write(less, &$0) } }
    if let present = comparison.present { json.object("present") { write(present, &$0) } }
    switch comparison.best {
    case _ where comparison.isPresentBetter: json.field("kept", "present")
    case .all: json.field("kept", "all")
    case .pathLoss: json.field("kept", "path_loss")
    case nil: json.field("kept", "nothing")
    }
    if let mistake = comparison.kept.mostMistaken {
      json.object("most_mistaken") { json in
        json.field("room", name(mistake.room))
        json.field("told", name(mistake.told))
        json.field("share", mistake.share, decimals: 3)
      }
    }
    if let need = comparison.kept.neediest { json.field("receiver_wanted_in", name(need.room)) }
  }

  private func write(_ assessment: RoomAssessment, _ json: inout JSONWriter) {
    json.field("right", assessment.right, decimals: 4)
    json.field("changes", assessment.changes)
    json.field("true_changes", assessment.trueChanges)
    json.field("median_delay_s", assessment.delay, decimals: 2)
    json.field("median_error_m", assessment.distance, decimals: 2)
  }
}

extension CalibrationResult {
  /// The result for people.
  package var text: String {
    var parts = [head, roomText, receiverText]
    if let comparison {
      parts += [assessment(comparison)] + remarks(comparison)
    }
    return parts.joined(separator: "\n\n")
  }

  private var head: String {
    let seconds = stays.reduce(0) { $0 + $1.seconds }
    let covered = stays.count { $0.seconds > 0 }
    let heard = receivers.count - unheard.count
    return
      "beacon \(beacon): \(Int(seconds.rounded())) s in \(covered) of \(stays.count) rooms, "
      + "heard by \(heard) of \(receivers.count) receivers"
  }

  private var roomText: String {
    var table = [["ROOM", "COVERED", ""]]
    for stay in stays {
      let verdict =
        kept.contains { $0.room == stay.room }
        ? "kept as it was measured before"
        : stay.seconds == 0
          ? "missing: walk through it"
          : stay.seconds < goal
            ? "short of \(Int(goal)) s: stay longer" : ""
      table.append([stay.room, "\(Int(stay.seconds.rounded())) s", verdict])
    }
    return table.text
  }

  private var receiverText: String {
    let fits = Dictionary(
      fit.receivers.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    var titles = ["RECEIVER", "HEARD"]
    if hasGeometry { titles += ["AT 1 M", "EXPONENT"] }
    var table = [titles]
    for receiver in receivers {
      var row = [receiver.name, "\(receiver.sightings)×"]
      if receiver.sightings == 0 {
        row = [receiver.name, "missing: is it on, and is this its name?"]
      } else if hasGeometry, let fit = fits[receiver.name] {
        row += [decimal(fit.power, decimals: 0) + " dBm", decimal(fit.exponent, decimals: 1)]
      }
      table.append(row)
    }
    let walls = hasGeometry ? ["a wall takes \(decimal(fit.wallLoss, decimals: 1)) dB"] : []
    return (table.aligned + walls).joined(separator: "\n")
  }

  private func assessment(_ comparison: RoomCalibrator.Comparison) -> String {
    let hasPlaces = comparison.kept.distance != nil
    var table = [
      ["ON STRETCHES LEFT OUT", "RIGHT", "CHANGES", "DELAY"] + (hasPlaces ? ["OFF BY"] : []) + [""]
    ]
    func add(_ title: String, _ assessment: RoomAssessment, _ remark: String) {
      var row = [
        title, comparison.judgesPositions ? "–" : decimal(100 * assessment.right, decimals: 1) + " %",
        "\(assessment.changes), \(assessment.trueChanges) true",
        assessment.delay.map { decimal($0, decimals: 1) + " s" } ?? "–",
      ]
      if hasPlaces { row.append(assessment.distance.map { decimal($0, decimals: 1) + " m" } ?? "–") }
      table.append(row + [remark])
    }
    let best = comparison.best
    let isTooIncomplete = comparison.isTooIncomplete
    add("nothing measured", comparison.uncalibrated, isTooIncomplete ? "stays" : best == nil ? "best" : "")
    if let pathLoss = comparison.pathLoss {
      add("power, exponent, walls", pathLoss, best == .pathLoss ? "kept" : best == nil ? "left out" : "")
    }
    add(
      hasGeometry ? "and maps of the signal" : "levels by room", comparison.calibrated,
      best == .all && !comparison.isPresentBetter ? "kept" : "left out")
    if let less = comparison.lessComplete {
      add("without one more room", less, isTooIncomplete ? "decides" : "")
    }
    if let present = comparison.present {
      add("the present calibration", present, comparison.isPresentBetter ? "stays" : "")
    }
    return table.text
  }

  private func remarks(_ comparison: RoomCalibrator.Comparison) -> [String] {
    var remarks: [String] = []
    switch comparison.best {
    case .all: break
    case .pathLoss: remarks.append("Maps of the signal made rooms worse on this walk, so they are left out.")
    case nil where comparison.isTooIncomplete:
      remarks.append(
        "Rooms that the walk left out would be worse than with nothing measured: so they are if the walk leaves out one more."
      )
    case nil where comparison.judgesPositions:
      remarks.append("Positions are nearer with nothing measured than with this walk.")
    case nil: remarks.append("Rooms are right more often with nothing measured than with this walk.")
    }
    if presentIsOfThisWalk {
      remarks.append("The present calibration was learned from this walk, which therefore does not judge it.")
    }
    let strangers = receivers.filter { !$0.isConfigured && $0.sightings > 0 }.map(\.name)
    if let first = unheard.first, let stranger = strangers.first {
      remarks.append(
        "\(stranger) heard the beacon, but the configuration does not name it, and \(first) heard nothing: was one renamed?"
      )
    }
    let kept = comparison.kept
    if let mistake = kept.mostMistaken {
      remarks.append(
        "\(name(mistake.room)) is most often mistaken for \(name(mistake.told)): "
          + "\(decimal(100 * mistake.share, decimals: 0)) % of its time.")
    }
    if let need = kept.neediest {
      remarks.append(
        "A further receiver would help most in \(name(need.room)): it and \(name(need.other)) were mistaken "
          + "for each other for \(decimal(need.seconds, decimals: 0)) s.")
    }
    if let first = strays.first {
      remarks.append(
        "\(strays.count) marked points lie outside of their rooms, first in line \(first), and are left out: do the coordinates fit the outlines?"
      )
    }
    return remarks.isEmpty ? [] : [remarks.joined(separator: "\n")]
  }
}
