import Core
import FoundationEssentials
import Glibc
import Logging
import Mosquitto
import ServiceLifecycle

/// A private mosquitto on loopback for users without a broker, started and stopped with the gateway.
///
/// It ends with us, even after `kill -9`. Its configuration is in a private directory that is removed as soon as mosquitto has
/// read it. Every client needs a password: see `EmbeddedBrokerAccess`.
package final class EmbeddedBroker: Sendable {
  /// MQTT's own port: with it `mosquitto_sub` needs no `-p`.
  package static let usualPort = 1883

  /// Where it listens, on 127.0.0.1 only.
  package let port: Int
  /// The gateway's credentials; no other account may publish its topics.
  package let credentials: Credentials
  /// The value of `XDG_CONFIG_HOME` with which `mosquitto_sub` and `mosquitto_pub` can log in.
  package var watchFolder: String { folder.path }
  private let folder: WatchFolder
  let process: ChildProcess

  private init(port: Int, access: EmbeddedBrokerAccess, folder: WatchFolder, process: ChildProcess) {
    self.port = port
    self.folder = folder
    self.process = process
    credentials = Credentials(username: EmbeddedBrokerAccess.gateway, password: access.gatewayPassword)
  }

  deinit {
    process.signal(SIGKILL)
    folder.remove()
  }

  /// Starts mosquitto and returns once it accepts connections.
  ///
  /// - Parameter port: where to listen; `nil`: the usual port if it is free, else any free one.
  /// - Throws: `EmbeddedBrokerError`.
  package static func start(
    port wanted: Int? = nil, log: Logger
  ) async throws(EmbeddedBrokerError) -> EmbeddedBroker {
    let mosquitto = try mosquitto(in: searchPath)
    if let wanted {
      guard LoopbackPort.isFree(wanted) else { throw .portInUse(wanted) }
      return try await launch(mosquitto, port: wanted, log: log)
    }
    // A free port may be taken by another program before mosquitto opens it.
    var failure = EmbeddedBrokerError.failed("no free port on 127.0.0.1")
    for attempt in 0..<5 {
      let port = attempt == 0 && LoopbackPort.isFree(usualPort) ? usualPort : LoopbackPort.anyFree()
      guard let port else { break }
      do throws(EmbeddedBrokerError) { return try await launch(mosquitto, port: port, log: log) } catch {
        guard case .portInUse = error else { throw error }
        failure = error
      }
    }
    throw failure
  }

  /// Ends mosquitto, within a second.
  package func stop() async {
    defer { folder.remove() }
    process.signal(SIGTERM)
    if await process.ended(within: .milliseconds(600)) != nil { return }
    process.signal(SIGKILL)
    _ = await process.ended(within: .milliseconds(300))
  }

  /// Waits for mosquitto to end by itself. Returns its last output, or nil if the task is cancelled.
  package func ended() async -> String? {
    await process.ended() == nil ? nil : process.lastWords
  }

  // MARK: Starting

  static func mosquitto(in path: [String]) throws(EmbeddedBrokerError) -> String {
    guard let mosquitto = find("mosquitto", in: path) else { throw .notInstalled(searched: path) }
    return mosquitto
  }

  static func launch(
    _ mosquitto: String, port: Int, log: Logger
  ) async throws(EmbeddedBrokerError) -> EmbeddedBroker {
    let account = unprivilegedAccount()
    let directory = try privateDirectory(for: account)
    defer { try? FileManager.default.removeItem(atPath: directory) }
    let file = directory + "/mosquitto.conf"
    let access = EmbeddedBrokerAccess()
    let passwords = try access.passwordFile()
    for (path, text) in [
      (file, configuration(port: port, directory: directory)), (directory + "/passwords", passwords),
      (directory + "/access", EmbeddedBrokerAccess.accessList),
    ] {
      let isWritten = FileManager.default.createFile(
        atPath: path, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
      guard isWritten else { throw .failed("cannot write \(path)") }
      if let account, chown(path, account.user, account.group) != 0 {
        throw .failed("cannot give \(path) away")
      }
    }

    // mosquitto logs that it is ready, or why it cannot start.
    let word = Alarm()
    let process: ChildProcess
    do {
      process = try await ChildProcess.start(command(mosquitto, file, account)) { line in
        log.debug("\(line)", metadata: ["source": "mosquitto"])
        word.ring()
      }
    } catch {
      throw .failed("cannot start \(mosquitto): \(error)")
    }
    let watch = Task {
      _ = await process.ended()
      word.ring()
    }
    defer { watch.cancel() }
    // A small machine is slow while it boots.
    let deadline: MonotonicTime = LiveClock.now + TimeSpan.seconds(30)
    while LiveClock.now < deadline, !Task.isCancelled {
      if process.hasEnded {
        let words = process.lastWords
        throw words.contains("Address already in use") ? .portInUse(port) : .failed(words)
      }
      if LoopbackPort.isAnswering(port), await isOurs(port, access) {
        let folder = try WatchFolder(access, port: port)
        return EmbeddedBroker(port: port, access: access, folder: folder, process: process)
      }
      await word.wait(until: deadline)
    }
    process.signal(SIGKILL)
    let cause = LoopbackPort.isAnswering(port) ? "" : "nothing answers at 127.0.0.1: is lo down? It says: "
    throw .failed("mosquitto does not accept connections: \(cause)\(process.lastWords)")
  }

  /// Whether the broker at a port is the one that we have started. If several gateways start at once, another one's broker may have
  /// taken the port; then ours is about to end.
  private static func isOurs(_ port: Int, _ access: EmbeddedBrokerAccess) async -> Bool {
    var options = Options(host: "127.0.0.1", port: port)
    options.credentials = Credentials(
      username: EmbeddedBrokerAccess.gateway, password: access.gatewayPassword)
    options.protocolVersion = .safest
    if case .accepted = await BrokerTrial(options).run() { return true }
    return false
  }

  /// mosquitto under `setpriv`, so that the kernel ends it when we end.
  ///
  /// `setpriv` also gives up root: if mosquitto did so itself, the kernel would clear the parent-death signal (prctl(2),
  /// PR_SET_PDEATHSIG).
  private static func command(_ mosquitto: String, _ file: String, _ account: Account?) -> [String] {
    guard let setpriv = find("setpriv", in: searchPath) else { return [mosquitto, "-c", file] }
    let drop = account.map { ["--reuid=\($0.user)", "--regid=\($0.group)", "--clear-groups"] } ?? []
    return [setpriv] + drop + ["--pdeathsig=KILL", mosquitto, "-c", file]
  }

  /// By default mosquitto drops messages of a slow subscriber after 1,000, and allows 20 in flight: both are raised. Each
  /// subscriber is still limited to 64 MiB.
  private static func configuration(port: Int, directory: String) -> String {
    """
    listener \(port) 127.0.0.1
    allow_anonymous false
    password_file \(directory)/passwords
    acl_file \(directory)/access
    persistence false
    max_inflight_messages 100
    max_queued_messages 100000
    max_queued_bytes 67108864
    set_tcp_nodelay true
    connection_messages false
    log_dest stderr
    log_timestamp false
    log_type error
    log_type warning
    log_type information

    """
  }

  private static func privateDirectory(for account: Account?) throws(EmbeddedBrokerError) -> String {
    let folder = FileManager.default.temporaryDirectory.path
    var template = Array("\(folder)/beaconkeeper-\(getpid())-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw .failed(
        "cannot create a folder in \(folder): \(String(cString: strerror(errno))); TMPDIR names another place"
      )
    }
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    if let account, chown(path, account.user, account.group) != 0 {
      try? FileManager.default.removeItem(atPath: path)
      throw .failed("cannot give \(path) away")
    }
    return path
  }

  private struct Account {
    var user: uid_t
    var group: gid_t
  }

  /// The user for mosquitto when we are root: its own, if the package created one.
  private static func unprivilegedAccount() -> Account? {
    guard geteuid() == 0 else { return nil }
    for name in ["mosquitto", "nobody"] {
      if let entry = getpwnam(name)?.pointee { return Account(user: entry.pw_uid, group: entry.pw_gid) }
    }
    return nil
  }

  /// `PATH`, and where Debian keeps daemons, which is in few users' `PATH`.
  package static var searchPath: [String] {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    return path.split(separator: ":").map(String.init) + [
      "/usr/sbin", "/usr/local/sbin", "/usr/bin", "/usr/local/bin",
    ]
  }

  static func find(_ program: String, in path: [String]) -> String? {
    path.map { $0 + "/" + program }.first { access($0, X_OK) == 0 }
  }
}

/// Why there is no embedded broker.
package enum EmbeddedBrokerError: Error, Equatable, CustomStringConvertible {
  case notInstalled(searched: [String])
  case portInUse(Int)
  /// mosquitto did not start; with its error text.
  case failed(String)
  /// mosquitto was running, and has ended.
  case ended(String)

  package var description: String {
    switch self {
    case .notInstalled:
      "mosquitto is not installed: install it (Debian: apt install mosquitto), or set broker.url in the configuration"
    case .portInUse(let port): "port \(port) of 127.0.0.1 is in use: is another broker running?"
    case .failed(let words): "the embedded broker did not start: \(words)"
    case .ended(let words): "the embedded broker ended\(words.isEmpty ? "" : ": \(words)")"
    }
  }
}

/// Ends the gateway if its own broker ends, because nothing else would restart it.
struct EmbeddedBrokerService: Service {
  let broker: EmbeddedBroker

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      if let words = await broker.ended() { throw EmbeddedBrokerError.ended(words) }
    }
  }
}

/// A private folder, from which mosquitto_sub and mosquitto_pub read how to reach the embedded broker. It exists as long as the
/// broker; the passwords in one that is left are worthless, because its broker ended with its gateway.
struct WatchFolder: Sendable {
  private let folder: PrivateFolder

  var path: String { folder.path }

  /// - Throws: `EmbeddedBrokerError`.
  init(_ access: EmbeddedBrokerAccess, port: Int) throws(EmbeddedBrokerError) {
    do throws(SystemError) { folder = try PrivateFolder("watch") } catch { throw .failed("\(error)") }
    for program in ["mosquitto_sub", "mosquitto_pub"] {
      guard folder.write(access.clientOptions(port: port), as: program) != nil else {
        throw .failed("cannot write \(path)/\(program)")
      }
    }
  }

  func remove() { folder.remove() }
}
