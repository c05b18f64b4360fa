import Configuration
import Core
import Glibc

/// The calibration on disk, and the ones before it.
package struct CalibrationStore: Sendable {
  package let path: String

  package init(path: String) { self.path = path }

  /// Earlier ones that are kept.
  private static let versions = 5

  /// `rooms.json`. If that belongs to another configuration in the same folder, the configuration's own name is put before it.
  ///
  /// - Parameter path: the configuration's.
  package static func usual(beside path: String, of configuration: Configuration) -> String {
    let folder = folderPrefix(of: path)
    let usual = folder + "rooms.json"
    guard let other = try? CalibrationFile(path: usual), other.isForeign(to: configuration) else {
      return usual
    }
    let file = path.dropFirst(folder.count)
    return folder + (file.lastIndex(of: ".").map { file[..<$0] } ?? file) + "-rooms.json"
  }

  /// Whether the file belongs to another configuration. A pipe is not read, because reading would consume its content.
  package func isForeign(to configuration: Configuration) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return false }
    return (try? CalibrationFile(path: path))?.isForeign(to: configuration) ?? false
  }

  /// The calibration on disk; nil: there is none for these rooms. A pipe is not read.
  package func present(of configuration: Configuration) -> CalibrationFile? {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      var file = try? CalibrationFile(path: path)
    else { return nil }
    file.rename(for: configuration)
    return file.isForeign(to: configuration) ? nil : file
  }

  /// The name of the file as a configuration has it.
  package func name(beside configuration: String) -> String {
    let folder = folderPrefix(of: configuration)
    return path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
  }

  /// Returns whether there was an earlier file. A path that is not a plain file, such as /dev/stdout, is written to directly.
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

  /// `rooms.json.4` becomes `.5`, and so on. The latest also keeps its own name until the new one replaces it.
  private func keep() throws(SystemError) {
    for number in (1..<Self.versions).reversed() {
      guard access("\(path).\(number)", F_OK) == 0 else { continue }
      try systemCall("rename") { rename("\(path).\(number)", "\(path).\(number + 1)") }
    }
    try systemCall("link") { link(path, path + ".1") }
  }

  /// Undoes the last `write`.
  ///
  /// - Parameter hadEarlier: the result of that call.
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
