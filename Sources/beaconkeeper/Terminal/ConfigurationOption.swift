import ArgumentParser
import Configuration
import Outbox

/// The option `--config`, and the configuration that it names.
struct ConfigurationOption: ParsableArguments {
  @Option(name: .shortAndLong, help: ArgumentHelp("The configuration.", valueName: "file"))
  var config: String?

  /// The named file, otherwise the first one found; nil: there is none.
  var path: String? { config ?? Configuration.find() }

  /// The named configuration, otherwise the first one found, otherwise the built-in one. Prints its warnings.
  func load(connects: Bool = false, check: Configuration.Check? = nil) throws -> Configuration {
    try Self.load(config, connects: connects, check: check).configuration
  }

  /// The same for a path, with the revision of the file.
  ///
  /// - Parameters:
  ///   - connects: whether the broker's password is needed.
  ///   - calibrates: whether the calibration is about to be written.
  ///   - check: see `Configuration.load`.
  static func load(
    _ path: String?, connects: Bool = false, calibrates: Bool = false, check: Configuration.Check? = nil
  ) throws -> (configuration: Configuration, revision: String?) {
    let found = Configuration.find()
    guard let path = path ?? found else {
      say("beaconkeeper: \(none); using the built-in one")
      return (.builtIn(), nil)
    }
    do {
      let loaded = try Configuration.load(
        path: path, connects: connects, calibrates: calibrates, check: check)
      for warning in loaded.warnings { say("\(warning)") }
      if path == found { say("beaconkeeper: configuration \(path)") }
      return (loaded.configuration, loaded.revision)
    } catch {
      say("\(error)")
      tellCutRestore()
      let errors = error.diagnostics.count { $0.severity == .error }
      throw failure(
        "\(path): \(errors) \(errors == 1 ? "error" : "errors"); nothing was done", .configuration)
    }
  }

  /// An interrupted restore may be the reason why the configuration is incomplete.
  static func tellCutRestore() {
    guard let cut = UnfinishedRestore.any(in: StateDirectory(configured: nil)) else { return }
    say("beaconkeeper: \(cut)")
  }

  /// The message if no configuration is found.
  static var none: String { "no configuration (\(Configuration.searchPath.joined(separator: ", ")))" }
}
