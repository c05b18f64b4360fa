import Beacons
import Dashboard
import HTTP
import JSON
import Machine
import Settings

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
      guard !current.configuration.rooms.isEmpty else {
        return .error(
          422, "There are no rooms to calibrate.", remedy: "Name them under rooms: in the configuration.")
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
