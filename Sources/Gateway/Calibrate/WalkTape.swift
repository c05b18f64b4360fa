import Beacons
import Captures
import Glibc
import JSON
import Machine

/// A recording of a walk, of the carried beacon alone, and the marks that go with it.
struct WalkTape: ~Copyable {
  // Nothing changes them; but Swift 6.2 lets no mutating method follow in `init` where one of these is a constant.
  private var recording: RecordingFile
  private var marks: RecordingFile
  private var encoder = TextEncoder()
  /// Lines of the recording, by time. What other gateways heard comes late, and a recording is read in order of time.
  private var held: [(time: MonotonicTime, line: [UInt8])] = []
  /// How late a line may come.
  private var patience: TimeSpan
  /// Of the marks, not written yet.
  private var lines: [UInt8] = []
  private(set) var fault: SystemError?

  init(prefix: String, patience: TimeSpan) throws(SystemError) {
    self.patience = patience
    // Both are looked at before either is made.
    for path in [prefix + ".jsonl", prefix + ".csv"] where Self.hasContent(path) {
      throw SystemError(call: "will not replace \(path)", code: EEXIST)
    }
    let marks = try RecordingFile(path: prefix + ".csv")
    let recording = try RecordingFile(path: prefix + ".jsonl")
    self.marks = marks
    self.recording = recording
    lines = Array("time,room,x,y\n".utf8)
    write()
  }

  private static func hasContent(_ path: String) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_size > 0 && status.st_mode & S_IFMT == S_IFREG
  }

  mutating func append(_ advertisement: Advertisement, payload: Span<UInt8>, receivers: ReceiverTable) {
    guard fault == nil else { return }
    encoder.append(advertisement, payload: payload, receivers: receivers)
    hold(at: advertisement.time)
  }

  mutating func append(_ observation: Observation, receivers: ReceiverTable) {
    guard fault == nil else { return }
    encoder.append(observation, receivers: receivers)
    hold(at: observation.time)
  }

  private mutating func hold(at time: MonotonicTime) {
    let place = held.lastIndex { $0.time <= time }.map { $0 + 1 } ?? 0
    held.insert((time, encoder.bytes), at: place)
    encoder.bytes.removeAll(keepingCapacity: true)
  }

  mutating func append(_ mark: RecordingMarks.Mark, at time: WallTime) {
    let needsQuotes = mark.room.map { $0.contains { ",\" ".contains($0) } } ?? false
    let name = mark.room ?? ""
    let text = needsQuotes ? "\"\(name.replacing("\"", with: "\"\""))\"" : name
    let point = mark.point.map { "\($0.x),\($0.y)" } ?? ","
    lines += Array("\(time.rfc3339),\(text),\(point)\n".utf8)
    write()
  }

  /// - Parameter isEnd: nothing comes any more.
  mutating func write(isEnd: Bool = false) {
    guard fault == nil else { return }
    let ripe = isEnd ? held.count : held.prefix { $0.time + patience < held[held.count - 1].time }.count
    var ready = held.prefix(ripe).flatMap(\.line)
    held.removeFirst(ripe)
    do throws(SystemError) {
      if !lines.isEmpty { try marks.write(&lines) }
      if !ready.isEmpty { try recording.write(&ready) }
    } catch {
      fault = error
    }
  }
}
