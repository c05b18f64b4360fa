import Core
import FoundationEssentials
import Glibc

/// A temporary folder that only this user may enter. What was left by a process that was killed goes when another one makes a folder
/// of that kind.
package struct PrivateFolder: Sendable {
  package let path: String

  /// - Parameter kind: a word in its name.
  package init(_ kind: String) throws(SystemError) {
    let (base, prefix) = (Self.base, "beaconkeeper-\(kind)-")
    Self.removeOrphans(prefix, in: base)
    var template = Array("\(base)/\(prefix)\(getpid())-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw SystemError(call: "cannot create a private folder in \(base)", code: errno)
    }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// Writes a file that only this user may read. Returns its path; nil: it cannot be written.
  package func write(_ text: String, as name: String) -> String? {
    let file = "\(path)/\(name)"
    let isWritten = FileManager.default.createFile(
      atPath: file, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
    return isWritten ? file : nil
  }

  package func remove() { try? FileManager.default.removeItem(atPath: path) }

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

  private static func removeOrphans(_ prefix: String, in base: String) {
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
