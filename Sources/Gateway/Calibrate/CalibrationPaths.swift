import Beacons
import Configuration
import Core
import Proximity
import Web

/// `calibration…` of the API.
extension CalibrationDesk {
  /// Takes a step of a calibration.
  func answer(_ step: String, _ request: Request) -> Answer {
    guard stage.player == nil else {
      return .now(.error(404, "A recording is calibrated with `beaconkeeper calibrate --marks`."))
    }
    guard let tree = try? JSONTree(request.body) else { return .now(.error(400, "The body is not JSON.")) }
    return .later { self.take(step, tree) ?? self.picture }
  }

  /// Returns a refusal.
  private func take(_ step: String, _ tree: JSONTree) -> Response? {
    switch step {
    case "begin":
      guard case .text(let beacon)? = tree["beacon"] else { return .error(400, "The body needs a beacon.") }
      let configuration = current.configuration
      guard !configuration.rooms.isEmpty else {
        return .error(
          422, "There are no rooms to calibrate.", remedy: "Name them under rooms: in the configuration.")
      }
      if let reason = configuration.isTooLargeToCalibrate {
        return .error(422, "The site is too large: \(reason).")
      }
      return begin(beacon).map { .error(409, $0) }
    case "mark":
      do throws(TrialRequest.Refusal) {
        let isKept = try mark { marks, configuration, now throws(TrialRequest.Refusal) in
          try marks.add(tree, configuration, at: now)
        }
        return isKept ? nil : Self.noWalk
      } catch {
        return .error(422, "This mark is not kept: \(error).")
      }
    case "unmark":
      let isKept = mark { marks, _, _ throws(Never) in marks.removeLast() }
      return isKept ? nil : Self.noWalk
    case "fit": return fit().map { .error(409, $0) }
    case "save": return save()
    case "undo": return undo()
    case "end":
      end()
      return nil
    default: return DashboardContent.nothingHere
    }
  }

  private static let noWalk = Response.error(409, "No calibration is running.", remedy: "Begin one.")

  private func save() -> Response? {
    guard let result else { return .error(409, "There is no calibration to save.") }
    guard let editor = stage.editor else {
      return .error(
        404, "There is no configuration file to save beside.", remedy: "Download the calibration.")
    }
    let contents = result.file(version: version, time: LiveClock.wallNow) ?? []
    switch editor.keep(calibration: contents, of: current.configuration) {
    case .success(let kept): self.kept = kept
    case .failure(let refusal): return refusal.response
    }
    return nil
  }

  private func undo() -> Response? {
    guard let kept, let editor = stage.editor else {
      return .error(409, "There is no calibration to take back.")
    }
    if let refusal = editor.takeBack(kept) { return refusal.response }
    self.kept = nil
    return nil
  }

  /// The marks, as `calibrate --marks` reads them.
  var marks: Response {
    Response(
      contentType: "text/csv; charset=utf-8", Array((current.state.walk?.marks ?? MarkBook()).csv.utf8),
      headers: [("Content-Disposition", "attachment; filename=\"marks.csv\"")])
  }

  var file: Response {
    guard let contents = result?.file(version: version, time: LiveClock.wallNow) else {
      return .error(404, "There is no calibration yet.")
    }
    return Response(contents, headers: [("Content-Disposition", "attachment; filename=\"rooms.json\"")])
  }

  var picture: Response {
    let (state, configuration, now) = current
    return Response(
      CalibrationPicture(
        state: state, configuration: configuration, now: now, canSave: stage.editor != nil,
        isLive: stage.player == nil
      )
      .json)
  }
}

/// The progress of a calibration from the page: the rooms that are covered or missing, and the result.
struct CalibrationPicture {
  let state: CalibrationDesk.State
  let configuration: Configuration
  let now: Moment
  let canSave: Bool
  let isLive: Bool
  /// The latest marks, which are drawn.
  private static let markLimit = 500

  var json: [UInt8] {
    JSONWriter.object {
      $0.field("state", phase)
      $0.field("possible", isLive && !configuration.rooms.isEmpty)
      $0.field("can_save", canSave)
      $0.field("file", configuration.calibrationFile)
      $0.object("walk", of: state.walk) { write($1, in: &$0) }
      $0.key("result")
      if case .done(let result)? = state.fit { $0.value(json: result.json) } else { $0.null() }
      $0.field("part", progress.part, decimals: 2)
      $0.field("problem", progress.problem)
      $0.object("saved", of: state.kept) { json, kept in
        json.field("file", kept.store.path)
        json.field("earlier", kept.hadEarlier)
        json.field("missing", kept.missing)
      }
    }
  }

  private var progress: (part: Double?, problem: String?) {
    switch state.fit {
    case .running(let part)?: (part, nil)
    case .failed(let reason)?: (nil, reason)
    case .done?, nil: (nil, nil)
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
    json.field("beacon", walk.beacon)
    json.field("since", walk.began.wallTime)
    json.field("sightings", walk.sightings.count)
    json.field("full", walk.isFull)
    json.field("heard_s", walk.latest.map { max((now.time - $0).seconds, 0) }, decimals: 1)
    json.field("room", walk.marks.marks.last?.room)
    json.field("marks", walk.marks.marks.count)
    let learning = try? Calibrating(walk.marked, configuration)
    let stays = learning?.stays ?? []
    let goal = learning?.goal ?? CalibrationResult.goal(interval: nil)
    json.objects("rooms", configuration.rooms) { json, room in
      json.field("room", room.name)
      json.field("floor", room.floor)
      json.field("seconds", stays.first { $0.room == room.name }?.seconds ?? 0, decimals: 1)
      json.field("goal", goal, decimals: 0)
    }
    json.objects("receivers", receivers(of: walk)) { json, name in
      let heard = walk.receivers.names.firstIndex(of: name).flatMap {
        walk.levels[ReceiverIndex(rawValue: UInt16($0))]
      }
      json.field("receiver", name)
      json.field("rssi_dbm", heard.map { Double($0.level) }, decimals: 0)
      json.field("heard_s", heard.map { max((now.time - $0.time).seconds, 0) }, decimals: 1)
    }
    json.objects("points", walk.marks.marks.suffix(Self.markLimit).filter { $0.point != nil }) { json, mark in
      json.field("x", mark.point?.x, decimals: 2)
      json.field("y", mark.point?.y, decimals: 2)
      json.field("floor", mark.floor)
    }
  }

  /// The configured receivers, and any others that heard the beacon.
  private func receivers(of walk: CalibrationWalk) -> [String] {
    let expected = configuration.receivers.map(\.name) + configuration.rooms.flatMap(\.receivers)
    return Set(expected + walk.receivers.names).sorted()
  }
}
