import Core
@testable import Fleet
import Foundation
import Gateway
import Glibc
import Testing

/// The files of a worker's journal.
@Suite struct JournalFileTests {
  private let site: Site
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("journal-file-\(UUID())")

  init() throws {
    site = try Site()
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func add(_ queue: [Site.Entry], to journal: JournalFile) {
    for (place, entry) in queue.enumerated() {
      journal.add(.message(.init(number: UInt64(place + 1), key: entry.key, payload: entry.payload)))
    }
  }

  private func fault(_ body: () throws -> Void) -> String? {
    do { try body() } catch { return "\(error)" }
    return nil
  }

  @Test func `what was written is replayed, also after a crash in the middle of a line`() throws {
    let queue = site.queue(seconds: 5)
    let journal = try JournalFile(folder.path, partition: 0, of: 1, epoch: 7, lease: 3)
    add(queue, to: journal)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
    try journal.write()
    // Nothing is written twice.
    try journal.write()
    let file = folder.appendingPathComponent("partition-0-epoch-7-lease-3.jsonl")
    let permissions = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int
    #expect(permissions == 0o600)
    #expect(try FleetReplay(site.configuration, journals: [folder.path]).total == queue.count)

    let octets = try Data(contentsOf: file)
    try octets.dropLast(10).write(to: file)
    #expect(try FleetReplay(site.configuration, journals: [folder.path]).total == queue.count - 1)
  }

  @Test func `a tenure has its own file`() throws {
    _ = try JournalFile(folder.path, partition: 0, of: 1, epoch: 7, lease: 3)
    _ = try JournalFile(folder.path, partition: 0, of: 1, epoch: 7, lease: 4)
    let words = fault { _ = try JournalFile(folder.path, partition: 0, of: 1, epoch: 7, lease: 4) }
    #expect(words?.hasSuffix("partition-0-epoch-7-lease-4.jsonl: File exists") == true)
  }

  @Test func `a folder that takes no journal is noticed beforehand`() throws {
    try JournalFile.check(folder.path)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    let missing = folder.appendingPathComponent("missing").path
    #expect(
      fault { try JournalFile.check(missing) }
        == "cannot write journals to \(missing): No such file or directory")
    let file = folder.appendingPathComponent("file").path
    try Data().write(to: URL(filePath: file))
    #expect(fault { try JournalFile.check(file) } == "cannot write journals to \(file): Not a directory")
  }

  /// Only root can make a small disk.
  @Test(.enabled(if: geteuid() == 0)) func `a full disk is told, and what was written before stays readable`()
    throws
  {
    guard mount("journal", folder.path, "tmpfs", 0, "size=64k") == 0 else { return }
    // MNT_DETACH: the journal may still be open.
    defer { umount2(folder.path, 2) }
    let journal = try JournalFile(folder.path, partition: 0, of: 1, epoch: 7, lease: 1)
    let queue = site.queue(seconds: 600)
    var told: String?
    for start in stride(from: 0, to: queue.count, by: 20) where told == nil {
      for place in start..<min(start + 20, queue.count) {
        journal.add(
          .message(.init(number: UInt64(place + 1), key: queue[place].key, payload: queue[place].payload)))
      }
      told = fault { try journal.write() }
    }
    #expect(told == "write: No space left on device")
    #expect(
      fault { try JournalFile.check(folder.path) }
        == "cannot write journals to \(folder.path): No space left on device")
    #expect(try FleetReplay(site.configuration, journals: [folder.path]).total > 20)
  }
}
