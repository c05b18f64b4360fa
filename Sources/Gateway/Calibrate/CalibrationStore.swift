import Glibc
import Machine
import Settings
import SettingsFile

/// The calibration on disk, and the ones before it.
package struct CalibrationStore: Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  /// Earlier ones that are kept.
  private static let versions = 5

  /// `rooms.json`. Where that is another site's, because two configurations share a folder, the configuration's own name precedes it.
  ///
  /// - Parameter path: the configuration's.
  package static func usual(beside path: String, of configuration: Configuration) -> String {
    let folder = folder(of: path)
    let usual = folder + "rooms.json"
    guard let other = try? CalibrationFile(path: usual), other.isForeign(to: configuration) else {
      return usual
    }
    let file = path.dropFirst(folder.count)
    return folder + (file.lastIndex(of: ".").map { file[..<$0] } ?? file) + "-rooms.json"
  }

  /// Whether what stands there is another site's. Of a pipe, reading would take what others wait for.
  package func isForeign(to configuration: Configuration) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    return (try? CalibrationFile(path: path))?.isForeign(to: configuration) ?? false
  }

  /// As it is named in a configuration.
  package func name(beside configuration: String) -> String {
    let folder = Self.folder(of: configuration)
    return path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
  }

  /// Up to its last slash; empty: the working directory.
  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
  }

  /// Gives whether there was an earlier one. What stands there and is no plain file, such as /dev/stdout, is written to.
  package func write(_ text: [UInt8]) throws(SystemError) -> Bool {
    var status = stat()
    let exists = stat(path, &status) == 0
    if exists, status.st_mode & S_IFMT != S_IFREG {
      let number = try systemCall("open") { open(path, O_WRONLY | O_CLOEXEC) }
      try FileDescriptor(number).write(text.span)
      return false
    }
    if exists { try keep() }
    try NewFile(path: path, mode: 0o644).write(String(decoding: text, as: UTF8.self), .isDropped)
    return exists
  }

  /// `rooms.json.4` becomes `.5`, and so on. The latest stays under its own name, too, until the new one replaces it.
  private func keep() throws(SystemError) {
    for number in (1..<Self.versions).reversed() {
      guard access("\(path).\(number)", F_OK) == 0 else { continue }
      try systemCall("rename") { rename("\(path).\(number)", "\(path).\(number + 1)") }
    }
    try systemCall("link") { link(path, path + ".1") }
  }

  /// Takes the last `write` back.
  ///
  /// - Parameter hadEarlier: what it gave.
  package func takeBack(hadEarlier: Bool) throws(SystemError) {
    guard hadEarlier else {
      try systemCall("unlink") { unlink(path) }
      return
    }
    try systemCall("rename") { rename(path + ".1", path) }
    for number in 2...Self.versions where access("\(path).\(number)", F_OK) == 0 {
      try systemCall("rename") { rename("\(path).\(number)", "\(path).\(number - 1)") }
    }
  }
}
