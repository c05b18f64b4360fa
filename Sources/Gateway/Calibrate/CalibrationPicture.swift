import Beacons
import Dashboard
import JSON
import Pipeline
import Proximity
import Settings
import SettingsFile

/// The progress of a calibration from the page: the rooms that are covered or missing, and the result.
struct CalibrationPicture {
  private let state: CalibrationDesk.State
  private let configuration: Configuration
  private let now: Moment
  private let canSave: Bool
  private let isLive: Bool
  /// The latest marks, which are drawn.
  private static let markLimit = 500

  init(
    _ state: CalibrationDesk.State, _ configuration: Configuration, _ now: Moment, canSave: Bool, isLive: Bool
  ) {
    self.state = state
    self.configuration = configuration
    self.now = now
    self.canSave = canSave
    self.isLive = isLive
  }

  var json: [UInt8] {
    JSONWriter.object {
      $0.field("state", phase)
      $0.field("possible", isLive && !configuration.rooms.isEmpty)
      $0.field("can_save", canSave)
      $0.field("file", configuration.calibrationFile)
      $0.key("walk")
      if let walk = state.walk { write(walk, in: &$0) } else { $0.null() }
      var (part, problem): (Double?, String?)
      $0.key("result")
      switch state.fit {
      case .running(let done)?:
        part = done
        $0.null()
      case .failed(let reason)?:
        problem = reason
        $0.null()
      case .done(let result)?: $0.value(json: result.json)
      case nil: $0.null()
      }
      $0.field("part", part, decimals: 2)
      $0.field("problem", problem)
      $0.object("saved", of: state.kept) { json, kept in
        json.field("file", kept.store.path)
        json.field("earlier", kept.hadEarlier)
        json.field("missing", kept.missing)
      }
    }
  }

  private var phase: String {
    guard state.walk != nil else { return "none" }
    return switch state.fit {
    case nil: "walking"
    case .running?: "fitting"
    case .failed?: "failed"
    case .done?: "fitted"
    }
  }

  private func write(_ walk: CalibrationWalk, in json: inout JSONWriter) {
    json.object {
      $0.field("beacon", walk.beacon)
      $0.field("since", walk.began.wallTime)
      $0.field("sightings", walk.sightings.count)
      $0.field("full", walk.isFull)
      $0.field("heard_s", walk.latest.map { max((now.time - $0).seconds, 0) }, decimals: 1)
      $0.field("room", walk.marks.marks.last?.room)
      $0.field("marks", walk.marks.marks.count)
      let stays = (try? Calibrating(walk.marked, configuration))?.stays ?? []
      $0.array("rooms", configuration.rooms) { json, room in
        let seconds = stays.first { $0.room == room.name }?.seconds ?? 0
        json.object {
          $0.field("room", room.name)
          $0.field("floor", room.floor)
          $0.field("seconds", seconds, decimals: 1)
          $0.field("goal", CalibrationResult.goal, decimals: 0)
        }
      }
      $0.array("receivers", receivers(of: walk)) { json, name in
        let heard = walk.receivers.names.firstIndex(of: name).flatMap {
          walk.levels[ReceiverIndex(rawValue: UInt16($0))]
        }
        json.object {
          $0.field("receiver", name)
          $0.field("rssi_dbm", heard.map { Double($0.level) }, decimals: 0)
          $0.field("heard_s", heard.map { max((now.time - $0.time).seconds, 0) }, decimals: 1)
        }
      }
      $0.objects("points", walk.marks.marks.suffix(Self.markLimit).filter { $0.point != nil }) { json, mark in
        json.field("x", mark.point?.x, decimals: 2)
        json.field("y", mark.point?.y, decimals: 2)
        json.field("floor", mark.floor)
      }
    }
  }

  /// The configured receivers, and any others that heard the beacon.
  private func receivers(of walk: CalibrationWalk) -> [String] {
    let expected = configuration.receivers.map(\.name) + configuration.rooms.flatMap(\.receivers)
    return Set(expected + walk.receivers.names).sorted()
  }
}
