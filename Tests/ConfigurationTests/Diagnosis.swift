@testable import Configuration
import Foundation

/// A directory of files for one test.
final class Folder {
  let path: String

  init() throws {
    path = NSTemporaryDirectory() + "beaconkeeper-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  @discardableResult
  func write(_ text: String, to name: String, mode: Int = 0o600) throws -> String {
    let file = "\(path)/\(name)"
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    return file
  }
}

func read(
  _ yaml: String, path: String = "test.yaml", environment: [String: String] = [:], calibrates: Bool = false
) throws(ConfigurationErrors) -> Configuration.Loaded {
  try Configuration.read(
    Array(yaml.utf8), path: path, environment: environment, hostName: "pi.lan", calibrates: calibrates)
}

/// All that is said about a text, whether it can be used or not.
func diagnose(_ yaml: String, path: String = "test.yaml", environment: [String: String] = [:]) -> [Diagnostic]
{
  do {
    return try read(yaml, path: path, environment: environment).warnings
  } catch {
    return error.diagnostics
  }
}

extension Diagnostic {
  /// `line:column severity`, to compare with what a test expects.
  var mark: String { "\(position.map { "\($0.line):\($0.column)" } ?? "-") \(severity.rawValue)" }
}

/// The example that a newcomer edits, and the schema for editors.
let configFolder = URL(fileURLWithPath: #filePath)
  .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  .appendingPathComponent("config")
