import Core
import FoundationEssentials
import Glibc

/// The bytes of a file, with its permissions.
struct ConfigurationFile {
  /// The largest size in bytes. A configuration of a thousand zones is far smaller.
  static let limit = 1 << 20

  /// How long to wait for the writer of a pipe, in milliseconds.
  private static let patience: Int32 = 2000

  var bytes: [UInt8]
  private var path: String
  /// Permission bits, such as 0o600.
  var mode: UInt32

  /// Whether only its owner may read it. systemd makes a unit's credentials readable for the unit's user by an access
  /// control list, which shows as the group's permission.
  func isPrivate(in environment: [String: String]) -> Bool {
    if isContainerSecret(in: environment) { return true }
    let isCredential = environment["CREDENTIALS_DIRECTORY"].map { path.hasPrefix($0 + "/") } ?? false
    return mode & (isCredential ? 0o007 : 0o077) == 0
  }

  /// Whether only this container has it. Docker and Podman mount secrets in `/run/secrets`, Kubernetes wherever the pod says, readable
  /// for all in the container, as a mount that nobody can write to.
  func isContainerSecret(in environment: [String: String]) -> Bool {
    path.hasPrefix("/run/secrets/")
      || environment["KUBERNETES_SERVICE_HOST"] != nil && mode & 0o022 == 0
  }

  /// Why a file cannot be read, as text.
  struct Unreadable: Error {
    var reason: String
    /// There is no such file.
    var isAbsent = false
  }

  /// Reads at most `limit` bytes. Mode and content are from the same open file.
  init(path: String, limit: Int = Self.limit) throws(Unreadable) {
    // A pipe that nobody writes to must not block.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
    guard descriptor >= 0 else {
      let code = errno
      throw Unreadable(reason: words(code), isAbsent: code == ENOENT || code == ENOTDIR)
    }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw Unreadable(reason: words(errno)) }
    guard status.st_mode & S_IFMT != S_IFDIR else { throw Unreadable(reason: words(EISDIR)) }
    mode = status.st_mode & 0o777
    self.path = path
    bytes = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe chunk.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN {
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&waiting, 1, Self.patience) > 0 else {
          throw Unreadable(reason: "nothing writes into it")
        }
        continue
      }
      guard count >= 0 else { throw Unreadable(reason: words(errno)) }
      if count == 0 { return }
      bytes += chunk.prefix(count)
      guard bytes.count <= limit else {
        throw Unreadable(reason: "it is larger than \(limit >> 20) MiB")
      }
    }
  }
}

private func words(_ code: Int32) -> String {
  switch code {
  case ENOENT: "there is no such file"
  case EACCES: "permission denied"
  case EISDIR: "it is a directory"
  default: unsafe String(cString: strerror(code))
  }
}

extension Configuration {
  /// A usable configuration, and its warnings.
  package struct Loaded: Hashable, Sendable {
    package var configuration: Configuration
    package var warnings: [Diagnostic]
    /// The revision of the file's text; nil: it was not read from a file.
    package var revision: String?
    /// The files that it names: passwords, keys, certificates, the calibration. Those of a unit's credentials begin with
    /// `$CREDENTIALS_DIRECTORY/`.
    package var files: Set<String> = []
  }

  /// Where to look for a configuration if none is named.
  package static let searchPath = ["beaconkeeper.yaml", "/etc/beaconkeeper/beaconkeeper.yaml"]

  /// The first file of `searchPath` that exists; nil: run with `builtIn`.
  package static func find() -> String? { searchPath.first(where: FileManager.default.fileExists(atPath:)) }

  /// A check of a configuration that is not used here and now.
  package enum Check: Sendable {
    /// On the machine where it will be used.
    case here
    /// On another machine, as in CI. Files that it names may be missing.
    case elsewhere
  }

  /// The configuration without any file: the embedded broker, all beacons unknown, and the host name as the gateway's name.
  package static func builtIn(hostName: String = machineName()) -> Configuration {
    Configuration(gatewayName: name(fromHost: hostName))
  }

  /// Reads a file and the secret files that it names. Reports all errors at once.
  ///
  /// ```swift
  /// do {
  ///   let loaded = try Configuration.load(path: "beaconkeeper.yaml")
  ///   for warning in loaded.warnings { print(warning) }
  ///   var pipeline = Pipeline(loaded.configuration)
  /// } catch {
  ///   print(error)  // file:line:column of each error, with a remedy
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - connects: whether the broker's password is needed; if not, its absence is only a warning.
  ///   - calibrates: whether the calibration is about to be written, and therefore not read.
  ///   - check: whether certificates are checked, too; nil: the configuration is used.
  package static func load(
    path: String, environment: [String: String] = ProcessInfo.processInfo.environment,
    hostName: String = machineName(), connects: Bool = true, calibrates: Bool = false, check: Check? = nil
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
    // Otherwise the built-in configuration would be used. Its name and broker differ, so the gateway would
    // take the state on disk for another gateway's. Some file systems keep the length of a file whose content
    // was not written, and fill it with zeros.
    let isZero = bytes.count >= 4 && bytes.suffix(4).allSatisfy { $0 == 0 }
    guard !bytes.isEmpty && !isZero || path == "/dev/null" else {
      throw ConfigurationErrors([
        Diagnostic(
          severity: .error, file: path, position: nil,
          message:
            "the file \(isZero ? "ends with zeros" : "is empty"); was the power cut while it was written?",
          hint: "put it back from a backup (`beaconkeeper restore`), or write another (`beaconkeeper init`)")
      ])
    }
    return try read(
      bytes, path: path, environment: environment, hostName: hostName, connects: connects,
      calibrates: calibrates, check: check)
  }

  /// Reads the bytes of a configuration; relative paths in it start at the directory of `path`.
  ///
  /// - Parameter substitutes: see `NamedFileReader`.
  package static func read(
    _ bytes: [UInt8], path: String, environment: [String: String], hostName: String, connects: Bool = true,
    calibrates: Bool = false, check: Check? = nil, substitutes: [String: String] = [:]
  ) throws(ConfigurationErrors) -> Loaded {
    let files = NamedFileReader(
      environment: environment, directory: folder(of: path), connects: connects, check: check,
      substitutes: substitutes)
    return try readTree(bytes, path: path, files, hostName: hostName, calibrates: calibrates).loaded
  }

  /// The same for an editor, which needs the file's tree. nil: the file is empty.
  static func readTree(
    _ bytes: [UInt8], path: String, _ files: NamedFileReader, hostName: String, calibrates: Bool
  ) throws(ConfigurationErrors) -> (loaded: Loaded, tree: Node?) {
    let collected = Diagnostics(file: path)
    var reader = ConfigurationReader(files, defaultName: name(fromHost: hostName), calibrates: calibrates)
    let configuration = reader.read(bytes, diagnostics: collected)
    let diagnostics = collected.sorted + (reader.keyDiagnostics?.sorted ?? [])
    if diagnostics.contains(where: { $0.severity == .error }) { throw ConfigurationErrors(diagnostics) }
    let loaded = Loaded(
      configuration: configuration, warnings: diagnostics, revision: ConfigurationText.revision(of: bytes),
      files: files.named.paths.union([configuration.calibrationFile].compactMap(\.self)))
    return (loaded, reader.tree)
  }
}

/// The first label of a host name, without invisible characters.
private func name(fromHost host: String) -> String {
  let label = host.prefix { $0 != "." }.unicodeScalars.filter {
    $0.isASCII && ($0.properties.isAlphabetic || $0 == "-" || ("0"..."9").contains($0))
  }
  return label.isEmpty ? "gateway" : String(String(String.UnicodeScalarView(label)).prefix(63))
}

/// The kernel's host name. Unlike Foundation's, it queries no name server.
package func machineName() -> String {
  var buffer = [CChar](repeating: 0, count: 256)
  guard unsafe gethostname(&buffer, buffer.count - 1) == 0 else { return "" }
  return String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
}
