import ArgumentParser
import Captures
import SettingsFile

/// The file of `--marks`.
struct MarksFile {
  let path: String

  /// - Parameter rooms: the configured rooms.
  func read(rooms: [String]) throws(ExitCode) -> RecordingMarks {
    let bytes = try attempt(.inputOutput, path) {
      try InputText(path: path).bytes(limit: RecordingMarks.sizeLimit)
    }
    do throws(RecordingMarks.Fault) {
      let marks = try RecordingMarks(bytes)
      for mark in marks.marks {
        guard let room = mark.room, !rooms.contains(room) else { continue }
        throw RecordingMarks.Fault(
          line: mark.line, message: "there is no room “\(room.prefix(60))” in the configuration",
          remedy: nearest(to: room, among: rooms).map { "did you mean \($0)?" }
            ?? "rooms: \(rooms.joined(separator: ", "))")
      }
      return marks
    } catch {
      throw failure("\(path): \(error)", .dataError)
    }
  }
}
