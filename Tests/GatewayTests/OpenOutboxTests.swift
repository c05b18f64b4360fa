import Beacons
import Foundation
import GRDB
import Messages
import Proximity
import Testing

@testable import Gateway

@Suite struct OpenOutboxTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "outbox-\(UUID().uuidString)")
  private let start = WallTime(nanoseconds: 1_795_211_400_000_000_000)

  private func open(at wallTime: WallTime? = nil) throws -> OpenOutbox {
    try OpenOutbox(
      gateway: "front yard", directory: StateDirectory(configured: folder.path), wallTime: wallTime ?? start)
  }

  private var file: URL { folder.appendingPathComponent("front%20yard.sqlite") }

  private func batch(_ sequences: ClosedRange<UInt64>, epoch: UInt64) -> OutboxStore.Batch {
    var batch = OutboxStore.Batch()
    for sequence in sequences {
      batch.transitions.append(
        TransitionMessage(
          transition: Transition(
            event: .near, zone: ZoneIndex(rawValue: 0), beacon: BeaconIndex(rawValue: 3),
            time: MonotonicTime(nanoseconds: 5), wallTime: start + .seconds(Double(sequence)), distance: 1.38,
            distanceDeviation: nil, rssi: -62.25,
            evidence: Evidence(
              threshold: 2, value: 1.376, unit: .metres, samples: 85, dwell: .seconds(2),
              receiver: ReceiverIndex(rawValue: 0))),
          epoch: epoch, sequence: sequence, gateway: "front yard", zone: "pump 3", beacon: "van",
          receiver: "hci0"))
    }
    return batch
  }

  @Test func whatWaitsIsThereAtTheNextStartInTheSameWords() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try open()
    let store = try #require(first.store)
    let epoch = try #require(first.remains).epoch
    let written = batch(1...5, epoch: epoch)
    #expect(try store.commit(written) == 1)
    store.close()

    let second = try open(at: start + .seconds(60))
    let remains = try #require(second.remains)
    #expect(remains.epoch == epoch)
    #expect(remains.lastSequence == 5)
    #expect(remains.waiting == 5)
    let rows = try #require(second.store).waiting(after: 2, limit: 10).rows
    #expect(rows.map(\.row) == [3, 4, 5])
    #expect(
      rows.map { String(decoding: $0.transition.json, as: UTF8.self) }
        == written.transitions.suffix(3).map { String(decoding: $0.json, as: UTF8.self) })
  }

  @Test func whatTheBrokerHasIsGoneAndItsNumbersStayUsed() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try open()
    let store = try #require(first.store)
    _ = try store.commit(batch(1...3, epoch: 1))
    var acknowledged = OutboxStore.Batch()
    acknowledged.acknowledged = [1, 2, 3]
    _ = try store.commit(acknowledged)
    #expect(try store.commit(batch(4...4, epoch: 1)) == 4)
    store.close()
    let remains = try #require(try open().remains)
    #expect(remains.waiting == 1)
    #expect(remains.lastSequence == 4)
  }

  @Test func afterARunThatCouldNotKeepAllANewEpochBegins() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try open()
    _ = try first.store?.commit(batch(1...3, epoch: 1))
    first.store?.mark.set(isLost: true)
    first.store?.close()
    let second = try open(at: start + .seconds(60))
    #expect(second.remains?.epoch != first.remains?.epoch)
    #expect(second.remains?.lastSequence == 0)
    #expect(second.remains?.waiting == 3)
    second.store?.mark.set(isLost: false)
    second.store?.close()
    #expect(try open(at: start + .seconds(120)).notices.isEmpty)
  }

  @Test func twoGatewaysOfOneNameAreRefused() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try open()
    #expect(throws: OutboxInUse.self) { try open() }
    first.store?.close()
    #expect(try open().store != nil)
  }

  @Test(arguments: ["garbage", "cut", "overwritten"]) func aDamagedFileIsSetAsideAndANewOneBegins(
    _ damage: String
  ) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try open()
    _ = try first.store?.commit(batch(1...2000, epoch: 1))
    first.store?.close()
    var bytes = try Data(contentsOf: file)
    switch damage {
    case "garbage": bytes = Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 37) })
    case "cut": bytes = bytes.prefix(bytes.count / 2)
    default: for index in 4096..<(bytes.count - 4096) { bytes[index] = 0xA5 }
    }
    try bytes.write(to: file)

    let second = try open(at: start + .seconds(60))
    #expect(second.store != nil)
    #expect(second.remains?.waiting == 0)
    #expect(second.remains?.epoch != first.remains?.epoch)
    #expect(second.notices.count == 1)
    #expect(second.notices.first?.contains("set aside") == true)
    let aside = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
      $0.contains("damaged")
    }
    #expect(aside.count == 1)
  }

  private func alter(_ sql: String) throws {
    let database = try DatabaseQueue(path: file.path)
    try database.write { try $0.execute(sql: sql) }
    try database.close()
  }

  @Test(arguments: [
    "event = 'enteR'", "unit = 7", "samples = 'x'", "value = x'00ff'", "zone = x'ff00ff'", "epoch = 'abc'",
    "rssi_dbm = 'loud'", "dwell_ns = x''",
  ])
  func aRowThatIsDamagedIsPassedOverAndTheOthersStay(_ damage: String) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try open()
    _ = try first.store?.commit(batch(1...5, epoch: 1))
    first.store?.close()
    try alter("UPDATE waiting SET \(damage) WHERE id = 2")
    let store = try #require(try open().store)
    let page = try store.waiting(after: 0, limit: 5)
    #expect(page.rows.map(\.row) == [1, 3, 4, 5])
    #expect(page.damaged == [2])
    // A page that is full is not the last, whatever is in it.
    #expect(!page.isLast)
  }

  @Test(arguments: [
    "UPDATE meta SET value = 'abc' WHERE name = 'seq'",
    "UPDATE meta SET value = x'00ff' WHERE name = 'epoch'",
    "UPDATE sqlite_sequence SET seq = 9223372036854775807", "UPDATE sqlite_sequence SET seq = 'x'",
    "UPDATE meta SET value = -5 WHERE name = 'seq'", "UPDATE grdb_migrations SET identifier = x'ff'",
  ])
  func numbersThatAreDamagedMakeItADamagedFile(_ damage: String) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try open()
    _ = try first.store?.commit(batch(1...5, epoch: 1))
    first.store?.close()
    try alter(damage)
    let second = try open(at: start + .seconds(60))
    #expect(second.notices.first?.contains("set aside") == true, "\(second.notices)")
    #expect(second.remains?.waiting == 0)
    #expect(try second.store?.commit(batch(1...1, epoch: 2)) == 1)
  }

  @Test func aFileThatIsRemovedWhileItIsOpenKeepsNothingAndSaysSo() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try #require(try open().store)
    _ = try store.commit(batch(1...2, epoch: 1))
    try FileManager.default.removeItem(at: file)
    #expect(throws: OutboxRemoved.self) { try store.commit(batch(3...3, epoch: 1)) }
    // Nor does one that was put in its place.
    try Data().write(to: file)
    #expect(throws: OutboxRemoved.self) { try store.commit(batch(3...3, epoch: 1)) }
  }

  @Test func ofDamagedFilesTheLastThreeAreKept() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    for run in 0..<6 {
      let outbox = try open(at: start + .seconds(Double(run)))
      outbox.store?.close()
      try Data("garbage that is no database, run \(run)".utf8).write(to: file)
    }
    let aside = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
      $0.contains("damaged")
    }
    #expect(aside.count == 3)
    let newest = try #require(aside.sorted().last)
    let text = try String(contentsOf: folder.appendingPathComponent(newest), encoding: .utf8)
    #expect(text.hasSuffix("run 4"))
  }

  @Test(arguments: [true, false]) func anOutboxThatWasEmptiedOrRemovedIsTold(isRemoved: Bool) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try open()
    #expect(first.notices.isEmpty)
    _ = try first.store?.commit(batch(1...3, epoch: 1))
    first.store?.close()
    if isRemoved { try FileManager.default.removeItem(at: file) } else { try Data().write(to: file) }

    let second = try open(at: start + .seconds(60))
    #expect(second.store != nil)
    #expect(second.notices.first?.contains("gone or was emptied") == true)
    #expect(second.remains?.epoch != first.remains?.epoch)
    second.store?.close()
    #expect(try open().notices.isEmpty)
  }

  @Test func aFolderThatCannotBeMadeIsToldAndDoneWithout() throws {
    try Data().write(to: folder)
    defer { try? FileManager.default.removeItem(at: folder) }
    let outbox = try open()
    #expect(outbox.store == nil)
    #expect(outbox.fault == "a file is in the way" || outbox.fault == "File exists", "\(outbox.fault ?? "")")
    #expect(outbox.notices.first?.contains("state_directory") == true)
  }

  @Test func nobodyElseMayLookIntoIt() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let outbox = try open()
    let mode = try FileManager.default.attributesOfItem(atPath: folder.path)[.posixPermissions] as? Int
    #expect(mode == 0o700)
    outbox.store?.close()
  }
}
