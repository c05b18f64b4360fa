import ArgumentParser
import Configuration
import Core

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check",
    abstract: "Validates a configuration and explains what happens in each zone.",
    discussion: """
      All errors are reported together, each with its position and a likely fix. Keys and passwords are never shown. \
      Without --config, check reads the file that `run` would read. Exit status: 0 if it is valid, 78 if not.

      EXAMPLES
        beaconkeeper check --config /etc/beaconkeeper/beaconkeeper.yaml
        beaconkeeper check --elsewhere site.yaml
        beaconkeeper check site.yaml --json | jq .diagnostics
      """)

  @OptionGroup var source: ConfigurationOption
  @Argument(help: ArgumentHelp("The configuration, instead of --config.", valueName: "file"))
  var file: String?
  @Flag(
    help:
      "The configuration is for another machine, as in CI: files that it names and that are not here are warnings."
  )
  var elsewhere = false
  @Flag(help: "Print one JSON object instead of text.")
  var json = false

  func validate() throws {
    if let config = source.config, let file {
      throw ValidationError("Name one file, not both \(config) and \(file).")
    }
  }

  func run() throws {
    let path = file ?? source.path
    let loaded: Configuration.Loaded?
    do throws(ConfigurationErrors) {
      loaded = try path.map { path throws(ConfigurationErrors) in
        try Configuration.load(path: path, connects: false, check: elsewhere ? .elsewhere : .here)
      }
    } catch {
      if json {
        try tell(Report(path: path, diagnostics: error.diagnostics, configuration: nil).text)
      } else {
        say("\(error)")
        say("\n\(path ?? ""): not usable, \(count(error.diagnostics))")
      }
      throw ExitCode(ConfigurationErrors.exitCode)
    }
    let configuration = loaded?.configuration ?? .builtIn()
    let warnings = loaded?.warnings ?? []
    if json {
      try tell(Report(path: path, diagnostics: warnings, configuration: configuration).text)
    } else {
      for warning in warnings { say("\(warning)") }
      try tell(Explanation(configuration).text(configuration, path: path))
      try tell("\n\(path ?? "built-in configuration"): usable, \(count(warnings))")
    }
  }

  private func count(_ diagnostics: [Diagnostic]) -> String {
    let errors = diagnostics.count { $0.severity == .error }
    let warnings = diagnostics.count - errors
    return "\(errors) error\(errors == 1 ? "" : "s"), \(warnings) warning\(warnings == 1 ? "" : "s")"
  }
}

/// The output of `check --json`.
private struct Report {
  var path: String?
  var diagnostics: [Diagnostic]
  var configuration: Configuration?

  var text: String {
    let bytes = JSONWriter.object { json in
      json.field("usable", configuration != nil)
      if let path { json.field("file", path) }
      json.field("errors", diagnostics.count { $0.severity == .error })
      json.field("warnings", diagnostics.count { $0.severity == .warning })
      json.objects("diagnostics", diagnostics) { json, diagnostic in
        json.field("severity", diagnostic.severity.rawValue)
        json.field("file", diagnostic.file)
        if let position = diagnostic.position {
          json.field("line", position.line)
          json.field("column", position.column)
        }
        json.field("message", diagnostic.message)
        if let hint = diagnostic.hint { json.field("hint", hint) }
      }
      if let configuration { Explanation(configuration).write(configuration, into: &json) }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
