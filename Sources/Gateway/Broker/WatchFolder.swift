import FoundationEssentials
import Glibc

/// A private folder, from which mosquitto_sub and mosquitto_pub read how to reach the embedded broker. It exists as long as the
/// broker.
struct WatchFolder: Sendable {
  let path: String

  /// - Throws: `EmbeddedBrokerError`.
  init(_ access: EmbeddedBrokerAccess, port: Int) throws(EmbeddedBrokerError) {
    let base = Self.base
    Self.removeOrphans(in: base)
    var template = Array("\(base)/\(Self.prefix)\(getpid())-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw .failed("cannot create a private folder in \(base): \(String(cString: strerror(errno)))")
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    for program in ["mosquitto_sub", "mosquitto_pub"] {
      let isWritten = FileManager.default.createFile(
        atPath: "\(path)/\(program)", contents: Data(access.clientOptions(port: port).utf8),
        attributes: [.posixPermissions: 0o600])
      guard isWritten else { throw .failed("cannot write \(path)/\(program)") }
    }
  }

  func remove() { try? FileManager.default.removeItem(atPath: path) }

  private static let prefix = "beaconkeeper-watch-"

  /// systemd's runtime directory, else the user's own, else the temporary one.
  private static var base: String {
    let environment = ProcessInfo.processInfo.environment
    let candidates = [
      environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first.map(String.init),
      environment["XDG_RUNTIME_DIR"],
    ]
    return candidates.compactMap { $0 }.first { $0.hasPrefix("/") && access($0, W_OK) == 0 }
      ?? FileManager.default.temporaryDirectory.path
  }

  /// Folders of gateways that were killed with -9. Their brokers ended with them, so the passwords are worthless.
  private static func removeOrphans(in base: String) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: base)) ?? []
    where name.hasPrefix(prefix) {
      guard let owner = pid_t(name.dropFirst(prefix.count).prefix { $0.isNumber }), kill(owner, 0) != 0,
        errno == ESRCH
      else { continue }
      var status = stat()
      guard lstat("\(base)/\(name)", &status) == 0, status.st_uid == geteuid() else { continue }
      try? FileManager.default.removeItem(atPath: "\(base)/\(name)")
    }
  }
}
