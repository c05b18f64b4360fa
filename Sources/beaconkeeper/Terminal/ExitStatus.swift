import ArgumentParser
import Captures
import Core
import FoundationEssentials
import Glibc
import Mosquitto

/// The exit status of a failed command, from sysexits.h.
enum ExitStatus: Int32 {
  case dataError = 65
  case unavailable = 69
  case software = 70
  case cannotCreate = 73
  case inputOutput = 74
  case noPermission = 77
  case configuration = 78
}

extension ExitStatus {
  /// For a broker that refuses the connection permanently.
  init(_ failure: ConnectionFailure) {
    switch failure.kind {
    case .badCredentials, .notAuthorised, .clientIDRejected, .clientCertificate: self = .noPermission
    case .ownCertificate: self = .configuration
    default: self = .unavailable
    }
  }
}

/// Prints the error to standard error, and returns the exit code to throw.
func failure(_ message: String, _ status: ExitStatus) -> ExitCode {
  say("beaconkeeper: \(message)")
  return ExitCode(status.rawValue)
}

/// Reports wrong usage that depends on the configuration, and returns the exit code to throw.
func refusal(_ message: String, _ command: (some ParsableCommand).Type) -> ExitCode {
  let name = command.configuration.commandName ?? ""
  say(
    "Error: \(message)\nUsage: \(Beaconkeeper.usageString(for: command))\n  See 'beaconkeeper \(name) --help' for more information."
  )
  return ExitCode(64)
}

/// The amount in an option.
func amount(
  _ text: String, _ option: String, _ parse: (String) -> Int64?, _ range: ClosedRange<Int64>,
  _ wanted: String
) throws -> Int64 {
  guard let value = parse(text), range.contains(value) else {
    throw ValidationError("\(option) \(text): it takes \(wanted), with the unit.")
  }
  return value
}

/// Calls `body`. Its error ends the command with a status.
///
/// - Parameter what: what could not be done, before the system's reason; nil: the error says it itself.
func attempt<Value: ~Copyable>(
  _ status: ExitStatus, _ what: String? = nil, _ body: () throws -> Value
) throws(ExitCode) -> Value {
  do { return try body() } catch {
    throw failure(what.map { "\($0): \(reason(error))" } ?? "\(error)", status)
  }
}

/// Calls `read` for a capture; a fault in the capture ends the command.
func reading<Read: ~Copyable>(_ read: () throws(CaptureError) -> Read) throws(ExitCode) -> Read {
  do throws(CaptureError) { return try read() } catch { throw failure(error) }
}

/// Prints why a capture cannot be read, and returns the exit code to throw.
func failure(_ error: CaptureError) -> ExitCode {
  failure("\(error)", error.kind == .unreadable ? .inputOutput : .dataError)
}

/// Why a file cannot be read or written, as the system's error text.
func reason(_ error: any Error) -> String {
  switch error {
  case let error as CocoaError: error.reason(else: "\(error)")
  case let error as SystemError: String(cString: strerror(error.code))
  default: "\(error)"
  }
}
