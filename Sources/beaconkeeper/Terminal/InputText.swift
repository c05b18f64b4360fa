import ArgumentParser
import Captures
import Configuration
import Core
import Glibc
import Phones

/// A text that people wrote, from a file or standard input (`-`), of limited size.
struct InputText {
  let path: String

  /// Longer than any text that people write.
  private static let largest = 64 << 20

  func bytes(limit: Int) throws(SystemError) -> [UInt8] {
    let path = path
    let file = FileDescriptor(
      try systemCall("open") {
        path == "-" ? fcntl(0, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC)
      })
    return try file.readToEnd(limit: limit)
  }

  /// The first line of the file. Editors add a line end, which is not part of a password, and some a byte order mark.
  func password() throws(SystemError) -> String {
    let number = try systemCall("open") { open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) }
    let bytes = try FileDescriptor(number).readToEnd(limit: 1 << 16)
    let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    return String(String(decoding: text, as: UTF8.self).prefix { !$0.isNewline })
  }

  func bytes() throws -> [UInt8] {
    do throws(SystemError) {
      return try bytes(limit: Self.largest)
    } catch  where error.code == ENOBUFS {
      throw failure("\(path): longer than 64 MiB", .dataError)
    } catch {
      throw failure("\(path): cannot be read: \(reason(error))", .inputOutput)
    }
  }

  /// Prints every fault with its place, and throws if there is one.
  func refuse(_ faults: [TimelineFault]) throws {
    for fault in faults {
      say("\(path):\(fault.line):\(fault.column): error: \(fault.message)")
      if let hint = fault.hint { say("  hint: \(hint)") }
    }
    guard faults.isEmpty else {
      throw failure(
        "\(path): \(faults.count == 1 ? "a line" : "\(faults.count) lines") cannot be used", .dataError)
    }
  }

  /// Where a line is, for people.
  func place(_ expectation: ScopedExpectation) -> String {
    "\(path == "-" ? "standard input" : path):\(expectation.line ?? 0):\(expectation.column ?? 0)"
  }
}

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
