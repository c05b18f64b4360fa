import Settings
import FoundationEssentials
import Glibc

extension Configuration {
  /// A configuration that can be used, and what looks odd in it.
  public struct Loaded: Sendable {
    public var configuration: Configuration
    public var warnings: [Diagnostic]
  }

  /// Where a configuration is looked for when none is named.
  public static let searchPath = ["beaconkeeper.yaml", "/etc/beaconkeeper/beaconkeeper.yaml"]

  /// The first file of `searchPath` that is there; nil: run with `builtIn`.
  public static func find() -> String? { searchPath.first(where: FileManager.default.fileExists(atPath:)) }

  /// Without any file: the embedded broker, every beacon unknown, the gateway named after the host.
  public static func builtIn(hostName: String = machineName()) -> Configuration {
    Configuration(gatewayName: name(fromHost: hostName))
  }

  /// Reads a file with the secret files that it names. All that is wrong is told at once.
  ///
  /// - Parameter connects: whether the broker's password is needed; if not, its absence is only a warning.
  public static func load(
    path: String, environment: [String: String] = ProcessInfo.processInfo.environment,
    hostName: String = machineName(), connects: Bool = true
  ) throws(ConfigurationErrors) -> Loaded {
    let bytes: [UInt8]
    do throws(ConfigurationFile.Unreadable) {
      bytes = try ConfigurationFile(path: path).bytes
    } catch {
      let message = "the configuration cannot be read: \(error.reason)"
      throw ConfigurationErrors([
        Diagnostic(severity: .error, file: path, position: nil, message: message)
      ])
    }
    return try read(bytes, path: path, environment: environment, hostName: hostName, connects: connects)
  }

  /// Reads the bytes of a configuration; files that it names are looked for beside `path`.
  public static func read(
    _ bytes: [UInt8], path: String, environment: [String: String], hostName: String, connects: Bool = true
  ) throws(ConfigurationErrors) -> Loaded {
    let findings = Findings(file: path)
    var reader = ConfigurationReader(
      environment: environment, directory: directory(of: path), defaultName: name(fromHost: hostName),
      connects: connects)
    let configuration = reader.read(bytes, findings: findings)
    let diagnostics = findings.sorted + (reader.keyFindings?.sorted ?? [])
    if diagnostics.contains(where: { $0.severity == .error }) { throw ConfigurationErrors(diagnostics) }
    return Loaded(configuration: configuration, warnings: diagnostics)
  }
}

private func directory(of path: String) -> String {
  guard let slash = path.lastIndex(of: "/") else { return "." }
  return slash == path.startIndex ? "/" : String(path[..<slash])
}

/// The first label of a host name, as far as it can be seen.
private func name(fromHost host: String) -> String {
  let label = host.prefix { $0 != "." }.unicodeScalars.filter {
    $0.isASCII && ($0.properties.isAlphabetic || $0 == "-" || ("0"..."9").contains($0))
  }
  return label.isEmpty ? "gateway" : String(String(String.UnicodeScalarView(label)).prefix(63))
}

/// The name the kernel has; unlike Foundation's, it asks no name server.
public func machineName() -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  guard unsafe gethostname(&buffer, buffer.count - 1) == 0 else { return "" }
  return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
