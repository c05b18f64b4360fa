import Core
import Proximity

/// How often the rooms of a beacon were right: as a table for people, and as JSON.
struct AssessmentTable {
  let assessment: RoomAssessment
  let errors: PositionErrors
  /// The time that was not judged.
  let unheard: TimeSpan
  /// Names, by index.
  let rooms: [String]

  var text: String {
    var rows = [["ROOMS", ""]]
    rows.append([
      "right", "\(decimal(assessment.right * 100, decimals: 1)) % of \(decimal(seconds, decimals: 0)) s",
    ])
    if unheard > .zero {
      rows.append(["not heard", "\(decimal(unheard.seconds, decimals: 0)) s more, which do not count"])
    }
    rows.append(["changes", "\(assessment.changes) reported, \(assessment.trueChanges) true"])
    rows.append(["missed", "\(assessment.missed)"])
    rows.append([
      "delay", assessment.delay.map { "\(decimal($0, decimals: 1)) s (median)" } ?? "none was reported",
    ])
    if let middle = errors.error(ofShare: 0.5), let most = errors.error(ofShare: 0.9) {
      rows.append([
        "position",
        "\(decimal(middle, decimals: 2)) m off in the median, \(decimal(most, decimals: 2)) m in 90 %",
      ])
      rows.append(
        [
          "stated sd",
          "\(percent(errors.shareWithinOneDeviation)) of coordinates within 1, "
            + "\(percent(errors.shareWithinTwoDeviations)) within 2 (68 % and 95 % are right)",
        ])
    }
    return "\(rows.text)\n\n\(confusion.text)"
  }

  private var seconds: Double { assessment.confusion.reduce(0) { $0 + $1.reduce(0, +) } }

  /// Seconds; true rooms in rows, reported rooms in columns.
  private var confusion: [[String]] {
    let found = assessment.confusion.indices.filter { truth in assessment.confusion[truth].contains { $0 > 0 }
    }
    let told = (0...rooms.count).filter { column in
      found.contains { assessment.confusion[$0][column] > 0 || $0 == column }
    }
    var table = [["TRUE \\ REPORTED, s"] + told.map { name($0) ?? "no room" }]
    for truth in found {
      table.append(
        [name(truth) ?? ""]
          + told.map {
            assessment.confusion[truth][$0] > 0 ? decimal(assessment.confusion[truth][$0], decimals: 1) : "·"
          })
    }
    return table
  }

  /// nil: in no room.
  private func name(_ room: Int) -> String? { rooms.indices.contains(room) ? rooms[room] : nil }

  private func percent(_ share: Double?) -> String {
    share.map { "\(decimal($0 * 100, decimals: 0)) %" } ?? "none"
  }

  /// One object: shares are 0 to 1, times seconds, lengths metres.
  func json(beacon: String) -> [UInt8] {
    JSONWriter.object { json in
      json.field("v", 1)
      json.field("assessment", "rooms")
      json.field("beacon", beacon)
      json.field("seconds", seconds, decimals: 3)
      json.field("unheard_s", unheard.seconds, decimals: 3)
      json.field("right", assessment.right, decimals: 4)
      json.field("changes", assessment.changes)
      json.field("true_changes", assessment.trueChanges)
      json.field("missed", assessment.missed)
      json.field("delay_s", assessment.delay, decimals: 3)
      json.object("position", of: errors.count > 0 ? errors : nil) { json, errors in
        json.field("median_m", errors.error(ofShare: 0.5), decimals: 2)
        json.field("p90_m", errors.error(ofShare: 0.9), decimals: 2)
        json.field("within_1_sd", errors.shareWithinOneDeviation, decimals: 4)
        json.field("within_2_sd", errors.shareWithinTwoDeviations, decimals: 4)
      }
      json.objects("confusion", cells) { json, cell in
        json.field("true", rooms[cell.truth])
        json.field("told", name(cell.told))
        json.field("s", assessment.confusion[cell.truth][cell.told], decimals: 3)
      }
    }
  }

  /// The cells that are not empty, in order.
  private var cells: [(truth: Int, told: Int)] {
    assessment.confusion.indices.flatMap { truth in
      assessment.confusion[truth].indices.filter { assessment.confusion[truth][$0] > 0 }.map { (truth, $0) }
    }
  }
}
