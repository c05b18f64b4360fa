import Beacons
import JSON
import Proximity
import Settings
import SettingsFile

/// The result of a walk, and how good it is.
package struct CalibrationResult: Sendable {
  package struct Receiver: Sendable {
    package var name: String
    package var sightings: Int
  }

  package var beacon: String
  package var hasGeometry: Bool
  /// By room, in the configuration's order.
  package var stays: [CalibrationAccount.Stay]
  package var receivers: [Receiver]
  /// The calibration that was learned, even if it is useless.
  package var fit: RoomCalibration
  /// The calibration to save; nil: rooms are right more often without it.
  package var calibration: RoomCalibration?
  /// nil: the walk was too short to be judged.
  package var comparison: RoomCalibrator.Comparison?
  /// Lines of marks whose point lies outside of their room.
  package var strays: [Int]

  /// Enough seconds in a room: more time changes little.
  package static let goal = 40.0

  package var uncovered: [String] { stays.filter { $0.seconds == 0 }.map(\.room) }
  package var unheard: [String] { receivers.filter { $0.sightings == 0 }.map(\.name) }

  package func name(_ room: RoomIndex) -> String { stays[Int(room.rawValue)].room }

  /// The file to write; nil: nothing.
  package func file(version: String, time: WallTime) -> [UInt8]? {
    guard let calibration else { return nil }
    let heldOut = comparison.map { comparison in
      CalibrationAccount.HeldOut(
        right: comparison.kept.right, changes: comparison.kept.changes,
        trueChanges: comparison.kept.trueChanges,
        delay: comparison.kept.delay)
    }
    let account = CalibrationAccount(
      time: time, version: version, beacon: beacon, stays: stays, heldOut: heldOut)
    return CalibrationFile(calibration, account).text
  }
}

/// The result for programs.
package struct CalibrationJSON {
  private let result: CalibrationResult

  package init(_ result: CalibrationResult) { self.result = result }

  package var text: String { String(decoding: bytes, as: UTF8.self) }

  package var bytes: [UInt8] {
    JSONWriter.object { json in
      json.field("beacon", result.beacon)
      json.field("usable", result.calibration != nil)
      json.objects("rooms", result.stays) { json, stay in
        json.field("room", stay.room)
        json.field("seconds", stay.seconds, decimals: 1)
        json.field("enough", stay.seconds >= CalibrationResult.goal)
      }
      json.array("receivers", result.receivers) { json, receiver in
        let fit = result.fit.receivers.first { $0.name == receiver.name }
        json.object { json in
          json.field("receiver", receiver.name)
          json.field("sightings", receiver.sightings)
          json.field("power_dbm", fit?.power, decimals: 2)
          json.field("exponent", fit?.exponent, decimals: 3)
        }
      }
      json.field("wall_loss_db", result.hasGeometry ? result.fit.wallLoss : nil, decimals: 2)
      json.key("held_out")
      if let comparison = result.comparison { write(comparison, &json) } else { json.null() }
      json.array("marks_outside_their_room", result.strays) { $0.value($1) }
    }
  }

  private func write(_ comparison: RoomCalibrator.Comparison, _ json: inout JSONWriter) {
    json.object { json in
      json.key("nothing")
      write(comparison.uncalibrated, &json)
      if let pathLoss = comparison.pathLoss {
        json.key("path_loss")
        write(pathLoss, &json)
      }
      json.key("all")
      write(comparison.calibrated, &json)
      json.key("kept")
      switch comparison.best {
      case .all: json.value("all")
      case .pathLoss: json.value("path_loss")
      case nil: json.value("nothing")
      }
      if let mistake = comparison.kept.mostMistaken {
        json.object("most_mistaken") { json in
          json.field("room", result.name(mistake.room))
          json.field("told", result.name(mistake.told))
          json.field("share", mistake.share, decimals: 3)
        }
      }
      if let need = comparison.kept.neediest { json.field("receiver_wanted_in", result.name(need.room)) }
    }
  }

  private func write(_ assessment: RoomAssessment, _ json: inout JSONWriter) {
    json.object { json in
      json.field("right", assessment.right, decimals: 4)
      json.field("changes", assessment.changes)
      json.field("true_changes", assessment.trueChanges)
      json.field("median_delay_s", assessment.delay, decimals: 2)
      json.field("median_error_m", assessment.distance, decimals: 2)
    }
  }
}
