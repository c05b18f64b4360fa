import Gateway
import JSON
import Proximity
import Settings

/// The result for people.
struct CalibrationText {
  private let result: CalibrationResult

  init(_ result: CalibrationResult) { self.result = result }

  var text: String {
    var parts = [head, rooms, receivers]
    if let comparison = result.comparison {
      parts += [assessment(comparison)] + remarks(comparison)
    } else {
      parts.append(
        "The walk is too short to tell how right rooms will be: mark a minute at least, in all rooms.")
    }
    return parts.joined(separator: "\n\n")
  }

  private var head: String {
    let seconds = result.stays.reduce(0) { $0 + $1.seconds }
    let covered = result.stays.count - result.uncovered.count
    let heard = result.receivers.count - result.unheard.count
    return
      "beacon \(result.beacon): \(Int(seconds.rounded())) s in \(covered) of \(result.stays.count) rooms, "
      + "heard by \(heard) of \(result.receivers.count) receivers"
  }

  private var rooms: String {
    var table = TextTable(["ROOM", "COVERED", ""])
    for stay in result.stays {
      let verdict =
        stay.seconds == 0
        ? "missing: walk through it"
        : stay.seconds < CalibrationResult.goal
          ? "short of \(Int(CalibrationResult.goal)) s: stay longer" : ""
      table.add([stay.room, "\(Int(stay.seconds.rounded())) s", verdict])
    }
    return table.text
  }

  private var receivers: String {
    let fits = Dictionary(
      result.fit.receivers.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    var titles = ["RECEIVER", "HEARD"]
    if result.hasGeometry { titles += ["AT 1 M", "EXPONENT"] }
    var table = TextTable(titles)
    for receiver in result.receivers {
      var row = [receiver.name, "\(receiver.sightings)×"]
      if receiver.sightings == 0 {
        row = [receiver.name, "missing: is it on, and is this its name?"]
      } else if result.hasGeometry, let fit = fits[receiver.name] {
        row += [decimal(fit.power, decimals: 0) + " dBm", decimal(fit.exponent, decimals: 1)]
      }
      table.add(row)
    }
    return result.hasGeometry
      ? table.text + "\na wall takes \(decimal(result.fit.wallLoss, decimals: 1)) dB" : table.text
  }

  private func assessment(_ comparison: RoomCalibrator.Comparison) -> String {
    let hasPlaces = comparison.kept.distance != nil
    var table = TextTable(
      ["ON STRETCHES LEFT OUT", "RIGHT", "CHANGES", "DELAY"] + (hasPlaces ? ["OFF BY"] : []) + [""])
    func add(_ title: String, _ assessment: RoomAssessment, _ remark: String) {
      var row = [
        title, decimal(100 * assessment.right, decimals: 1) + " %",
        "\(assessment.changes), \(assessment.trueChanges) true",
        assessment.delay.map { decimal($0, decimals: 1) + " s" } ?? "–",
      ]
      if hasPlaces { row.append(assessment.distance.map { decimal($0, decimals: 1) + " m" } ?? "–") }
      table.add(row + [remark])
    }
    let best = comparison.best
    add("nothing measured", comparison.uncalibrated, best == nil ? "best" : "")
    if let pathLoss = comparison.pathLoss {
      add("power, exponent, walls", pathLoss, best == .pathLoss ? "kept" : best == nil ? "left out" : "")
    }
    add(
      result.hasGeometry ? "and maps of the signal" : "levels by room", comparison.calibrated,
      best == .all ? "kept" : "left out")
    return table.text
  }

  private func remarks(_ comparison: RoomCalibrator.Comparison) -> [String] {
    var remarks: [String] = []
    switch comparison.best {
    case .all: break
    case .pathLoss: remarks.append("Maps of the signal made rooms worse on this walk, so they are left out.")
    case nil: remarks.append("Rooms are right more often with nothing measured than with this walk.")
    }
    let kept = comparison.kept
    if let mistake = kept.mostMistaken {
      remarks.append(
        "\(result.name(mistake.room)) is most often mistaken for \(result.name(mistake.told)): "
          + "\(decimal(100 * mistake.share, decimals: 0)) % of its time.")
    }
    if let need = kept.neediest {
      remarks.append(
        "A further receiver would help most in \(result.name(need.room)): it and \(result.name(need.other)) were mistaken "
          + "for each other for \(decimal(need.seconds, decimals: 0)) s.")
    }
    if let first = result.strays.first {
      remarks.append(
        "\(result.strays.count) marked points lie outside of their rooms, first in line \(first): do the coordinates fit the outlines?"
      )
    }
    return remarks.isEmpty ? [] : [remarks.joined(separator: "\n")]
  }
}
