import Beacons
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
