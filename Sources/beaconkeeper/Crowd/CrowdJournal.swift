import ArgumentParser
import Contract
import Core
import Fleet
import FoundationEssentials
import Gateway
import Glibc

/// The messages that RabbitMQ would deliver to the workers of a fleet, for `replay --journal`: a journal for each partition,
/// and a tick every 250 ms.
struct CrowdJournal {
  private let files: [JournalFile]
  /// How many messages are in each.
  private var counts: [UInt64]
  private let folder: String
  private let start: WallTime
  private let tick: String
  private var ticked: MonotonicTime?

  /// - Parameters:
  ///   - folder: created if it is missing.
  ///   - start: when the crowd begins to walk.
  init(_ folder: String, site: String, partitions: Int, start: WallTime) throws {
    (self.folder, self.start) = (folder, start)
    tick = FleetNames(site: site).tick
    let epoch = UInt64(clamping: start.nanoseconds / 1_000_000)
    files = try attempt(.cannotCreate, folder) {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      return try (0..<partitions).map { partition in
        try JournalFile(folder, partition: partition, of: partitions, epoch: epoch, lease: 1)
      }
    }
    counts = files.map { _ in 0 }
  }

  /// - Parameters:
  ///   - batches: those that gateways published until then.
  ///   - time: since the crowd's start.
  mutating func note(_ batches: [CrowdBatch], at time: MonotonicTime) throws {
    if ticked.map({ time - $0 >= TickSchedule.interval }) ?? true {
      ticked = time
      let payload = Tick(worker: "crowd", time: start + (time - .zero)).payload
      for partition in files.indices { add(tick, payload, to: partition) }
    }
    for batch in batches {
      let topic = batch.message.topic
      guard let last = topic.split(separator: "/").last, let partition = Int(last),
        files.indices.contains(partition)
      else { continue }
      // Converts the topic to a key, as RabbitMQ does; the conversion is the same in both directions.
      add(FleetNames.topic(ofKey: topic), batch.payload(at: time), to: partition)
    }
    for file in files where file.waiting > 1 << 16 { try write(file) }
  }

  func finish() throws { for file in files { try write(file) } }

  private mutating func add(_ key: String, _ payload: [UInt8], to partition: Int) {
    counts[partition] += 1
    files[partition].add(.message(.init(number: counts[partition], key: key, payload: payload)))
  }

  private func write(_ file: JournalFile) throws(ExitCode) {
    try attempt(.inputOutput, folder) { try file.write() }
  }
}

/// The file with the tags' true rooms: `{"beacon":"tag:0.7","room":"r003","time":"…"}` each time a tag enters a room.
final class CrowdTruth {
  private let path: String
  private let file: FileDescriptor
  /// When the crowd began to walk.
  var start: WallTime

  init(_ path: String, start: WallTime) throws {
    self.path = path
    self.start = start
    file = try attempt(.cannotCreate, path) {
      FileDescriptor(try systemCall("open") { open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) })
    }
  }

  func note(_ moves: [CrowdMove], _ site: CrowdSite) throws {
    guard !moves.isEmpty else { return }
    var lines: [UInt8] = []
    for move in moves {
      lines += JSONWriter.object {
        $0.field("beacon", WalkingCrowd.name(ofTag: move.tag))
        $0.field("room", site.name(ofRoom: move.room))
        $0.field("time", start + (move.time - .zero))
      }
      lines.append(UInt8(ascii: "\n"))
    }
    try attempt(.inputOutput, path) { try file.write(lines.span) }
  }
}
