import Dashboard
import HTTP
import Glibc
import JSON
import Machine
import Settings
import SettingsFile

/// Changes the configuration file for clients with the right to. Every change is checked before it is written, and then
/// loaded like any other reload.
package struct ConfigurationEditor: Sendable {
  let writer: ConfigurationWriter
  private let environment: [String: String]
  /// Asks for the file to be read again.
  let reload: @Sendable () -> Void

  package init(path: String, environment: [String: String], reload: @escaping @Sendable () -> Void) {
    writer = ConfigurationWriter(path: path)
    self.environment = environment
    self.reload = reload
  }

  /// The file's text and its revision; nil: it cannot be read.
  func current() -> (text: String, revision: String)? {
    guard let (bytes, revision) = try? writer.read() else { return nil }
    return (String(decoding: bytes, as: UTF8.self), revision)
  }

  var canUndo: Bool { writer.canUndo }

  /// `PUT zones/<zone>` with rules.
  func change(zone name: String, _ body: [UInt8]) -> Response {
    guard let tree = try? JSONTree(body) else { return .error(400, "The body is not JSON.") }
    return edit(tree) { text, configuration throws(EditRefusal) in
      guard var zone = configuration.zones.first(where: { $0.name == name }) else {
        return .error(404, "There is no such zone.")
      }
      do throws(TrialRequest.Refusal) { try ZoneChange(tree).apply(to: &zone) } catch {
        return .error(422, "This cannot be saved: \(error).")
      }
      return save(try text.changing(zone), over: text)
    }
  }

  /// `POST beacons` with a name for a device in range.
  func add(_ body: [UInt8], suggestion: (String) -> BeaconSuggestion?) -> Response {
    guard let tree = try? JSONTree(body), case .text(let id)? = tree["id"],
      case .text(let name)? = tree["name"]
    else {
      return .error(400, "The body needs an id and a name.")
    }
    guard let found = suggestion(id) else {
      return .error(404, "The device is not heard any more, or sends nothing that recognises it.")
    }
    return edit(tree) { text, _ throws(EditRefusal) in
      save(try text.adding(beacon: name, found.pattern), over: text)
    }
  }

  func undo() -> Response {
    do throws(ConfigurationWriter.Refusal) {
      let revision = try writer.undo()
      reload()
      return Response(
        JSONWriter.object {
          $0.field("revision", revision)
          $0.field("undo", writer.canUndo)
        })
    } catch {
      return Self.response(error)
    }
  }

  /// Reads the file, which must be the one that the page saw.
  private func edit(
    _ request: JSONTree, _ body: (ConfigurationText, Configuration) throws(EditRefusal) -> Response
  ) -> Response {
    do throws(ConfigurationWriter.Refusal) {
      let (bytes, revision) = try writer.read()
      if let seen = request["revision"], seen != .text(revision) {
        return .error(409, "The file was changed meanwhile.", remedy: "Reload the page and try again.")
      }
      let text = text(bytes)
      do throws(ConfigurationErrors) {
        let loaded = try Configuration.read(
          bytes, path: writer.path, environment: environment, hostName: machineName(), connects: false)
        do throws(EditRefusal) { return try body(text, loaded.configuration) } catch {
          return Self.response(error)
        }
      } catch {
        return .error(422, "The file has errors as it is: \(error)", remedy: "Correct them first.")
      }
    } catch {
      return Self.response(error)
    }
  }

  func text(_ bytes: [UInt8]) -> ConfigurationText {
    ConfigurationText(bytes, path: writer.path, environment: environment, hostName: machineName())
  }

  private func save(_ changed: ConfigurationText.Changed, over text: ConfigurationText) -> Response {
    do throws(ConfigurationWriter.Refusal) {
      let revision = try writer.replace(revision: text.revision, with: changed.bytes)
      reload()
      return Response(
        JSONWriter.object {
          $0.field("revision", revision)
          $0.field("yaml", changed.lines)
          $0.field("undo", writer.canUndo)
        })
    } catch {
      return Self.response(error)
    }
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
