import ArgumentParser
import Captures
import Glibc
import Machine
import SettingsFile

/// The file of `--marks`.
struct MarksFile {
  let path: String

  /// - Parameter rooms: the configured rooms.
  func read(rooms: [String]) throws(ExitCode) -> RecordingMarks {
    let bytes: [UInt8]
    do throws(SystemError) {
      let file = FileDescriptor(
        try systemCall("open") {
          path == "-" ? fcntl(0, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC)
        })
      bytes = try file.readToEnd(limit: RecordingMarks.sizeLimit)
    } catch {
      throw failure("\(path): \(reason(error))", .inputOutput)
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
