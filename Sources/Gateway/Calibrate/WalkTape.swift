import Beacons
import Captures
import Glibc
import JSON
import Machine

/// A recording of a walk, with the carried beacon alone, and its marks.
struct WalkTape: ~Copyable {
  private let recording: RecordingFile
  private let marks: RecordingFile
  private let paths: [String]
  /// Whether the files are still empty.
  private var isEmpty = true
  private var encoder = TextEncoder()
  /// Lines of the recording that wait to be sorted by time: observations of other gateways come late.
  private var held: [(time: MonotonicTime, line: [UInt8])] = []
  /// How late a line may come.
  private let patience: TimeSpan
  /// Lines of marks that are not written yet.
  private var lines: [UInt8] = []
  private(set) var fault: SystemError?

  init(prefix: String, patience: TimeSpan) throws(SystemError) {
    self.patience = patience
    paths = [prefix + ".jsonl", prefix + ".csv"]
    // Check both files before creating one.
    for path in paths where Self.isFile(path, empty: false) {
      throw SystemError(call: "will not replace \(path)", code: EEXIST)
    }
    let marks = try RecordingFile(path: prefix + ".csv")
    let recording = try RecordingFile(path: prefix + ".jsonl")
    self.marks = marks
    self.recording = recording
    lines = Array("time,room,x,y\n".utf8)
  }

  private static func isFile(_ path: String, empty: Bool) -> Bool {
    var status = stat()
    return unsafe stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && (status.st_size == 0) == empty
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
    isEmpty = false
    write()
  }

  /// - Parameter isEnd: the recording ends. An empty walk leaves no files.
  mutating func write(isEnd: Bool = false) {
    guard fault == nil else { return }
    let ripe = isEnd ? held.count : held.prefix { $0.time + patience < held[held.count - 1].time }.count
    var ready = held.prefix(ripe).flatMap(\.line)
    held.removeFirst(ripe)
    if !ready.isEmpty { isEmpty = false }
    guard !isEmpty else {
      if isEnd { for path in paths where Self.isFile(path, empty: true) { unlink(path) } }
      return
    }
    do throws(SystemError) {
      if !lines.isEmpty { try marks.write(&lines) }
      if !ready.isEmpty { try recording.write(&ready) }
    } catch {
      fault = error
    }
  }
}
