import Beacons
import Dashboard
import HTTP
import JSON
import Machine
import Pipeline
import Settings
import SettingsFile

/// What a client changes: the configuration's file, and rules on trial, which change nothing.
extension DashboardContent {
  static let mayOnlyLook = Response.error(
    403, "You may look, but not change anything.",
    remedy: "Log in with the password of http.write_password_file.")

  /// Changes the configuration's file.
  func write(_ path: [String], _ request: Request, _ rights: Rights) -> Answer {
    guard rights.write else { return .now(Self.mayOnlyLook) }
    guard let editor = stage.editor else {
      return .now(.error(404, "There is no configuration file to change."))
    }
    let stage = stage
    switch (path[0], request.method) {
    case ("zones", .put): return .later { editor.change(zone: path[1], request) }
    case ("beacons", .post): return .later { editor.add(request) { stage.suggestion(for: $0) } }
    case ("undo", .post): return .later { editor.undo(request) }
    default: return .now(.error(405, "There is nothing to be done with this method."))
    }
  }

  /// What other rules would have decided.
  func attempt(_ body: [UInt8]) -> Response {
    guard let tree = try? JSONTree(body) else { return .error(400, "The body is not JSON.") }
    let name = TrialRequest.beacon(in: tree)
    let revision = stage.details.revision
    // All at one moment: a beacon's index means nothing in an earlier memory.
    let (memory, beacon, recent, now) = stage.look { pipeline, recent, now in
      (pipeline.hindsight, name.flatMap { pipeline.beacon(named: $0) }, recent, now)
    }
    guard let hindsight = memory else { return .error(404, "Nothing is remembered.") }
    if let name, beacon == nil { return Self.unheard(name) }
    do throws(TrialRequest.Refusal) {
      let request = try TrialRequest(tree, of: hindsight.configuration)
      let changed = request.configuration.zones.filter { request.zones.contains($0.name) }
      return Response(
        TrialAnswer(
          request, of: beacon, hindsight, recent, now,
          yaml: zonesYAML(changed) + receiversYAML(request.receivers), revision: revision
        ).json)
    } catch {
      return .error(422, "This cannot be tried: \(error).")
    }
  }
}
