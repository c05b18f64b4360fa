import ArgumentParser
import Core
import FoundationEssentials
import Glibc

/// A page that is written completely or not at all: under another name first, then renamed. If the path is not a plain file,
/// such as /dev/null, a pipe or a link, it is written to directly, because renaming would replace it.
struct ReportFile {
  let path: String

  func write(_ text: String) throws {
    if path == "-" { return try put(text.utf8) }
    var isFolder = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder {
      throw failure("\(path): cannot write the report: this is a folder", .cannotCreate)
    }
    try attempt(.cannotCreate, "\(path): cannot write the report") {
      if isPlain {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
      } else {
        let number = try systemCall("open") { open(path, O_WRONLY | O_TRUNC | O_CLOEXEC) }
        try FileDescriptor(number).write(Array(text.utf8).span)
      }
    }
    say("beaconkeeper: wrote \(path)")
  }

  /// Whether the path is free or a plain file.
  private var isPlain: Bool {
    var found = stat()
    return lstat(path, &found) != 0 || found.st_mode & S_IFMT == S_IFREG
  }
}
