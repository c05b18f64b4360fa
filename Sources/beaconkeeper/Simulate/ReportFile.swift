import ArgumentParser
import FoundationEssentials

/// A page that is there whole or not at all: written beside its place, then put there.
struct ReportFile {
  let path: String

  func write(_ text: String) throws {
    if path == "-" { return try put(text.utf8) }
    var isFolder = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder {
      throw failure("\(path): cannot write the report: this is a folder", .cannotCreate)
    }
    do {
      try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
      say("beaconkeeper: wrote \(path)")
    } catch {
      throw failure("\(path): cannot write the report: \(reason(error))", .cannotCreate)
    }
  }
}
