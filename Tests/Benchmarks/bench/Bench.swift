import ArgumentParser
import Configuration
import Core
import Glibc

/// The measurements of `deploy/bench` that call the gateway's own modules. It is no part of the package.
@main
struct Bench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench",
    abstract: "Measures parts of the gateway; called by deploy/bench.",
    subcommands: [
      SocketCommand.self, DecodeCommand.self, ZonesCommand.self, PublishCommand.self, PolicyCommand.self,
    ])
}

/// Says what is wrong, and returns the exit code to throw.
func failure(_ message: String, _ status: Int32) -> ExitCode {
  let line = Array("bench: \(message)\n".utf8)
  write(2, line, line.count)
  return ExitCode(status)
}

/// The figures of a measurement, as one object on a line.
func tell(_ members: (inout JSONWriter) -> Void) {
  print(String(decoding: JSONWriter.object(members), as: UTF8.self))
}

/// The named configuration, or else the built-in one.
func loadConfiguration(_ path: String?) throws -> Configuration {
  guard let path else { return .builtIn() }
  do throws(ConfigurationErrors) {
    return try Configuration.load(path: path, connects: false).configuration
  } catch {
    throw failure("\(error)", EX_CONFIG)
  }
}
