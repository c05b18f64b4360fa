import Beacons
import Captures
import JSON
import Machine

/// A recording of a walk, of the carried beacon alone, and the marks that go with it.
struct WalkTape: ~Copyable {
  private let recording: RecordingFile
  private let marks: RecordingFile
  private var encoder = TextEncoder()
  /// Of the marks, not written yet.
  private var lines: [UInt8] = []
  private(set) var fault: SystemError?

  init(prefix: String) throws(SystemError) {
    let marks = try RecordingFile(path: prefix + ".csv")
    let recording = try RecordingFile(path: prefix + ".jsonl")
    self.marks = marks
    self.recording = recording
    lines = Array("time,room,x,y\n".utf8)
    write()
  }

  mutating func append(_ advertisement: Advertisement, payload: Span<UInt8>, receivers: ReceiverTable) {
    guard fault == nil else { return }
    encoder.append(advertisement, payload: payload, receivers: receivers)
  }

  mutating func append(_ mark: RecordingMarks.Mark, at time: WallTime) {
    let needsQuotes = mark.room.map { $0.contains { ",\" ".contains($0) } } ?? false
    let name = mark.room ?? ""
    let text = needsQuotes ? "\"\(name.replacing("\"", with: "\"\""))\"" : name
    let point = mark.point.map { "\($0.x),\($0.y)" } ?? ","
    lines += Array("\(time.rfc3339),\(text),\(point)\n".utf8)
    write()
  }

  mutating func write() {
    guard fault == nil else { return }
    do throws(SystemError) {
      if !lines.isEmpty { try marks.write(&lines) }
      if !encoder.bytes.isEmpty { try recording.write(&encoder.bytes) }
    } catch {
      fault = error
    }
  }
}
