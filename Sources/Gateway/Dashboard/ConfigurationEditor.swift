import Configuration
import Core
import Glibc
import Web

/// Changes the configuration file for clients that may do so. Every change is checked before it is written, and the checked
/// configuration is then loaded.
package struct ConfigurationEditor: Sendable {
  let writer: ConfigurationWriter
  let environment: [String: String]
  /// Loads a configuration; nil: reads the file again.
  let reload: @Sendable (Configuration.Loaded?) -> Void

  package init(
    _ writer: ConfigurationWriter, environment: [String: String],
    reload: @escaping @Sendable (Configuration.Loaded?) -> Void
  ) {
    self.writer = writer
    self.environment = environment
    self.reload = reload
  }

  /// The file's text and its revision; nil: it cannot be read.
  func current() -> (text: String, revision: String)? {
    guard let (bytes, revision) = try? writer.read() else { return nil }
    return (String(decoding: bytes, as: UTF8.self), revision)
  }

  var canUndo: Bool { writer.canUndo }

  /// Why nothing can be saved, in plain words; nil: it probably can.
  var obstacle: String? { writer.obstacle?.description }

  /// `PUT zones/<zone>` with rules, and calibrations of receivers.
  func change(zone name: String, _ request: Request) -> Response {
    guard let tree = try? JSONTree(request.body) else { return .error(400, "The body is not JSON.") }
    return edit(seen(tree, request)) { text, configuration throws(EditRefusal) in
      guard let place = configuration.zones.firstIndex(where: { $0.name == name }) else {
        return .error(404, "There is no such zone.")
      }
      let trial: TrialRequest
      do throws(TrialRequest.Refusal) {
        trial = try TrialRequest(tree, saving: name, of: configuration)
      } catch {
        return .error(422, "This cannot be saved: \(error).")
      }
      return save(
        try text.changing(trial.configuration.zones[place], receivers: trial.receivers), over: text)
    }
  }

  /// `PUT plan` with a drawn plan. With `preview` it only returns the change of the file.
  func change(plan request: Request) -> Response {
    guard let tree = try? JSONTree(request.body) else { return .error(400, "The body is not JSON.") }
    return edit(seen(tree, request)) { text, _ throws(EditRefusal) in
      let change: PlanChange
      do throws(TrialRequest.Refusal) { change = try PlanChange(tree) } catch {
        return .error(422, "This cannot be saved: \(error).")
      }
      let changed = try text.changing(change.plan)
      return change.isPreview ? told(changed, over: text, revision: text.revision) : save(changed, over: text)
    }
  }

  /// `POST beacons` with a name for a device in range.
  func add(_ request: Request, suggestion: (String) -> BeaconSuggestion?) -> Response {
    guard let tree = try? JSONTree(request.body), case .text(let id)? = tree["id"],
      case .text(let name)? = tree["name"]
    else {
      return .error(400, "The body needs an id and a name.")
    }
    guard let found = suggestion(id) else {
      return .error(404, "The device is not heard any more, or sends nothing that recognises it.")
    }
    return edit(seen(tree, request)) { text, _ throws(EditRefusal) in
      save(try text.adding(beacon: name, found.pattern), over: text)
    }
  }

  /// `PUT beacons/<beacon>` with a readable name, an owner, an icon; null takes one away. With `preview` it
  /// only returns the change of the file.
  func change(beacon: String, _ request: Request) -> Response {
    guard let tree = try? JSONTree(request.body) else { return .error(400, "The body is not JSON.") }
    var wanted: [BeaconWord: String?] = [:]
    for word in BeaconWord.allCases {
      switch tree[word.rawValue] {
      case .text(let text)?: wanted[word] = .some(text)
      case .null?: wanted[word] = .some(nil)
      case nil: break
      default: return .error(400, "\(word) must be a text, or null, which takes it away.")
      }
    }
    guard !wanted.isEmpty else { return .error(400, "The body needs a name, an owner or an icon.") }
    return edit(seen(tree, request)) { text, _ throws(EditRefusal) in
      let changed = try text.saying(wanted, of: beacon)
      return tree["preview"] == .flag(true)
        ? told(changed, over: text, revision: text.revision) : save(changed, over: text)
    }
  }

  /// `POST undo`, with the revision to undo: the latest one may be another client's.
  func undo(_ request: Request) -> Response {
    let seen = seen((try? JSONTree(request.body)) ?? .null, request)
    do throws(ConfigurationWriter.Refusal) {
      if let seen, try seen != .text(writer.read().revision) { return Self.conflict }
      let revision = try writer.undo()
      let bytes = try writer.read().bytes
      reload(try? text(bytes).loaded())
      return Response(
        JSONWriter.object {
          $0.field("revision", revision)
          $0.field("undo", writer.canUndo)
        })
    } catch {
      return Self.response(error)
    }
  }

  private static let conflict = Response.error(
    409, "The file was changed meanwhile.",
    remedy:
      "Look at what it says now. A file that was changed by hand is loaded with systemctl reload beaconkeeper."
  )

  /// The revision that the client saw: in the body, or as If-Match. nil: there is none.
  func seen(_ tree: JSONTree, _ request: Request) -> JSONTree? {
    let header = request.headers["if-match"].flatMap { $0 == "*" ? nil : $0.filter { $0 != "\"" } }
    return tree["revision"] ?? header.map { .text($0) }
  }

  /// Reads the file, which must be the one that the client saw.
  ///
  /// - Parameter connects: whether a missing password of the broker is an error.
  func edit(
    _ seen: JSONTree?, connects: Bool = true,
    _ body: (ConfigurationText, Configuration) throws(EditRefusal) -> Response
  ) -> Response {
    do throws(ConfigurationWriter.Refusal) {
      let (bytes, revision) = try writer.read()
      if let seen, seen != .text(revision) { return Self.conflict }
      let text = text(bytes, connects: connects)
      do throws(ConfigurationErrors) {
        let configuration = try text.loaded().configuration
        do throws(EditRefusal) { return try body(text, configuration) } catch {
          return Self.response(error)
        }
      } catch {
        return .error(422, "The file has errors as it is: \(error)", remedy: "Correct them first.")
      }
    } catch {
      return Self.response(error)
    }
  }

  func text(_ bytes: [UInt8], connects: Bool = true) -> ConfigurationText {
    ConfigurationText(
      bytes, path: writer.path, environment: environment, hostName: machineName(), connects: connects)
  }

  func save(_ changed: ConfigurationText.Changed, over text: ConfigurationText) -> Response {
    do throws(ConfigurationWriter.Refusal) {
      let revision = try writer.replace(revision: text.revision, with: changed.bytes)
      reload(changed.loaded)
      return told(changed, over: text, revision: revision)
    } catch {
      return Self.response(error)
    }
  }

  /// - Parameter writesPassword: whether a password file is written once this is saved, so that nobody is to be warned of its absence.
  func told(
    _ changed: ConfigurationText.Changed, over text: ConfigurationText, revision: String,
    writesPassword: Bool = false
  ) -> Response {
    let former = Set(((try? text.loaded().warnings) ?? []).map(\.message))
    let warnings = changed.loaded.warnings.filter { warning in
      !former.contains(warning.message)
        && !(writesPassword && warning.message.hasPrefix("the password file cannot be read"))
    }
    return Response(
      JSONWriter.object {
        $0.field("revision", revision)
        $0.field("yaml", changed.lines)
        $0.field("undo", writer.canUndo)
        $0.field("changes", lineChanges(from: text.bytes, to: changed.bytes))
        $0.array("warnings", warnings) { json, one in
          json.value(one.message + (one.hint.map { " (\($0))" } ?? ""))
        }
      })
  }

  private static func response(_ refusal: ConfigurationWriter.Refusal) -> Response {
    .error(refusal.isConflict ? 409 : 500, refusal.reason, remedy: refusal.remedy)
  }

  private static func response(_ refusal: EditRefusal) -> Response {
    Response(
      status: 422,
      JSONWriter.object {
        $0.field("error", refusal.reason)
        $0.field("remedy", refusal.remedy)
        $0.field("yaml", refusal.yaml)
        $0.array("diagnostics", refusal.diagnostics) { $0.value("\($1)") }
      })
  }
}

/// Why a calibration is not saved.
struct CalibrationRefusal: Error {
  var response: Response
}

extension ConfigurationEditor {
  /// Writes a calibration beside the configuration, adds the key for it if it is missing, and loads both.
  ///
  /// - Parameter configuration: the one whose rooms were calibrated.
  func keep(calibration contents: [UInt8], of configuration: Configuration) -> Result<
    CalibrationDesk.Kept, CalibrationRefusal
  > {
    let path = configuration.calibrationFile
    let store = CalibrationStore(
      path: path ?? CalibrationStore.usual(beside: writer.path, of: configuration))
    var kept: CalibrationDesk.Kept
    do throws(SystemError) {
      kept = CalibrationDesk.Kept(store: store, hadEarlier: try store.write(contents))
    } catch {
      return .failure(refusal(error, of: store))
    }
    if path == nil {
      let name = store.name(beside: writer.path)
      kept.revision = writeLine(naming: name)
      if kept.revision == nil { kept.missing = "calibration: \(name)" }
    }
    reload(nil)
    return .success(kept)
  }

  /// The configuration's new revision; nil: the user must add the line.
  private func writeLine(naming calibration: String) -> String? {
    guard let (bytes, revision) = try? writer.read(),
      let changed = try? text(bytes).adding(calibration: calibration)
    else { return nil }
    return try? writer.replace(revision: revision, with: changed.bytes)
  }

  /// The configuration first, so that it never names a missing file. Returns a refusal.
  func takeBack(_ kept: CalibrationDesk.Kept) -> CalibrationRefusal? {
    if let revision = kept.revision {
      do throws(ConfigurationWriter.Refusal) {
        guard try writer.read().revision == revision else {
          return CalibrationRefusal(
            response: .error(
              409, "The configuration was changed meanwhile.",
              remedy: "Take the line calibration: out by hand."))
        }
        _ = try writer.undo()
      } catch {
        return CalibrationRefusal(response: .error(409, error.reason, remedy: error.remedy))
      }
    }
    do throws(SystemError) { try kept.store.takeBack(hadEarlier: kept.hadEarlier) } catch {
      return refusal(error, of: kept.store)
    }
    reload(nil)
    return nil
  }

  private func refusal(_ error: SystemError, of store: CalibrationStore) -> CalibrationRefusal {
    let refusal = ConfigurationWriter.Refusal(cannotWrite: store.path, error)
    return CalibrationRefusal(response: .error(500, "\(refusal.reason).", remedy: refusal.remedy))
  }
}
