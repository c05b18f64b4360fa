import Beacons
import Crowd
import Fleet
import FoundationEssentials
import Glibc
import Machine
import Messages

/// The messages that RabbitMQ would deliver to the workers of a fleet, for `replay --journal`: a journal for each partition,
/// and a tick every 250 ms.
struct CrowdJournal {
  private static let lease = 1
  private let files: [File]
  private let start: WallTime
  private let tick: String
  private var ticked: MonotonicTime?

  private final class File {
    let path: String
    let descriptor: FileDescriptor
    var count: UInt64 = 0
    var lines: [UInt8]

    init(_ path: String, _ first: JournalLine) throws(SystemError) {
      self.path = path
      descriptor = FileDescriptor(
        try systemCall("open") { open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600) })
      lines = first.bytes
    }

    func add(_ key: String, _ payload: [UInt8]) {
      count += 1
      lines += JournalLine.message(.init(number: count, key: key, payload: payload)).bytes
    }
  }

  /// - Parameters:
  ///   - folder: created if it is missing.
  ///   - start: when the crowd begins to walk.
  init(_ folder: String, site: String, partitions: Int, start: WallTime) throws {
    self.start = start
    tick = FleetNames(site: site).tick
    let epoch = UInt64(clamping: start.nanoseconds / 1_000_000)
    do {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      files = try (0..<partitions).map { partition in
        try File(
          "\(folder)/partition-\(partition)-epoch-\(epoch)-lease-\(Self.lease).jsonl",
          .takeover(partition: partition, of: partitions, epoch: epoch, seen: 0))
      }
    } catch {
      throw failure("\(folder): \(reason(error))", .cannotCreate)
    }
  }

  /// - Parameters:
  ///   - batches: those that gateways published until then.
  ///   - time: since the crowd's start.
  mutating func note(_ batches: [CrowdBatch], at time: MonotonicTime) throws {
    if ticked.map({ time - $0 >= TickSchedule.interval }) ?? true {
      ticked = time
      let payload = Tick(worker: "crowd", time: start + (time - .zero)).payload
      for file in files { file.add(tick, payload) }
    }
    for batch in batches {
      let topic = batch.message.topic
      guard let last = topic.split(separator: "/").last, let partition = Int(last),
        files.indices.contains(partition)
      else { continue }
      // Converts the topic to a key, as RabbitMQ does; the conversion is the same in both directions.
      files[partition].add(FleetNames.topic(ofKey: topic), batch.payload(at: time))
    }
    for file in files where file.lines.count > 1 << 16 { try write(file) }
  }

  func finish() throws { for file in files { try write(file) } }

  private func write(_ file: File) throws {
    do throws(SystemError) { try file.descriptor.write(file.lines.span) } catch {
      throw failure("\(file.path): \(reason(error))", .inputOutput)
    }
    file.lines.removeAll(keepingCapacity: true)
  }
}
