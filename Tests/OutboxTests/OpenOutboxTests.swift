import Beacons
import Contract
import Core
import Foundation
import Proximity
import Scenes
import TestSupport
import Testing

@testable import Outbox
@testable import Pipeline

@Suite struct OpenOutboxTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
    "outbox-\(UUID().uuidString)")
  private let start = WallTime(nanoseconds: 1_795_211_400_000_000_000)

  private func open(at wallTime: WallTime? = nil, chance: UInt64 = 7) throws -> OpenOutbox {
    try OpenOutbox(
      gateway: "front yard", directory: StateDirectory(configured: folder.path), wallTime: wallTime ?? start,
      chance: chance)
  }

  private let topics = Topics(gateway: "front yard")
  private var file: URL { folder.appendingPathComponent("front%20yard.sqlite") }

  private func batch(_ sequences: ClosedRange<UInt64>, epoch: UInt64) -> OutboxStore.Batch {
    var batch = OutboxStore.Batch()
    for sequence in sequences {
      batch.transitions.append(
        WaitingMessage(
          row: Int64(sequence),
          TransitionMessage(
            .zone(
              Transition(
                event: .near, zone: ZoneIndex(rawValue: 0), beacon: BeaconIndex(rawValue: 3),
                time: MonotonicTime(nanoseconds: 5), wallTime: start + .seconds(Double(sequence)),
                distance: 1.38,
                distanceDeviation: nil, rssi: -62.25,
                evidence: Evidence(
                  threshold: 2, value: 1.376, unit: .metres, samples: 85, dwell: .seconds(2),
                  receiver: ReceiverIndex(rawValue: 0)))),
            epoch: epoch, sequence: sequence, gateway: "front yard", place: "pump 3", beacon: "van",
            receiver: "hci0")))
    }
    return batch
  }

  @Test(.enabled(if: geteuid() == 0))
  func `a file of another user's is named, with what mends it`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try open().store?.close()
    let directory = StateDirectory(configured: folder.path)
    #expect(directory.unwritable(gateway: "front yard") == nil)
    #expect(chown(file.path, 12_345, 12_345) == 0)
    let found = directory.unwritable(gateway: "front yard")
    #expect(found?.path == file.path && found?.remedy == "sudo chown 0 \(folder.path)/front%20yard.*")
    #expect(directory.unwritable(gateway: "attic") == nil)
  }

  @Test func `the next start knows an epoch that began while nothing could be written`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try open(chance: 0)
    let epoch = try #require(first.remains).epoch
    let store = try #require(first.store)
    var later = OutboxStore.Batch()
    later.epoch = epoch + 1_000_000
    try store.commit(later)
    store.close()
    let remains = try open(at: start - .seconds(3600), chance: 0).remains
    #expect(try #require(remains).epoch > later.epoch)
  }

  @Test func waitingTransitionsSurviveARestartUnchanged() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try open()
    let store = try #require(first.store)
    let epoch = try #require(first.remains).epoch
    let written = batch(1...5, epoch: epoch)
    try store.commit(written)
    store.close()

    let second = try open(at: start + .seconds(60))
    let remains = try #require(second.remains)
    #expect(remains.epoch > epoch)
    #expect(remains.waiting == 5)
    let rows = try #require(second.store).waiting(after: 2, limit: 10).rows
    #expect(rows.map(\.row) == [3, 4, 5])
    #expect(
      rows.map { $0.content.message(topics: topics) }
        == written.transitions.suffix(3).map { $0.content.message(topics: topics) })
  }

  /// A message of any kind, as it is sent.
  private struct Other: NumberedMessage {
    var epoch: UInt64 = 3
    var sequence: UInt64 = 8
    let gateway = "front yard"

    func message(topics: Topics) -> Message {
      Message(
        topic: topics.base + "/else", payload: [0, 255, 10], qos: .atLeastOnce, retained: false)
    }
  }

  @Test func otherMessagesOfTheSequenceWaitAmongThemWithTheSameOctets() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try open()
    var written = batch(1...3, epoch: 1)
    written.transitions[1].content = Other()
    try first.store?.commit(written)
    first.store?.close()
    let read = try #require(try open().store).waiting(after: 0, limit: 10)
    #expect(
      read.rows.map { $0.content.message(topics: topics) }
        == written.transitions.map { $0.content.message(topics: topics) })
    #expect(
      read.rows.map(\.content.sequence) == [1, 8, 3] && read.rows.map(\.content.epoch) == [1, 3, 1])
  }

  @Test func aRowIsReplacedByALaterOneOfItsNumber() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try #require(try open().store)
    try store.commit(batch(1...2, epoch: 1))
    var again = batch(2...3, epoch: 7)
    again.handedOver = [again.transitions.removeFirst()]
    again.acknowledged = [1, 2]
    try store.commit(again)
    let rows = try store.waiting(after: 0, limit: 10).rows
    #expect(rows.map(\.row) == [2, 3] && rows.allSatisfy { $0.content.epoch == 7 })
  }

  @Test func acknowledgedTransitionsAreRemoved() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try open()
    let store = try #require(first.store)
    try store.commit(batch(1...3, epoch: 1))
    var acknowledged = OutboxStore.Batch()
    acknowledged.acknowledged = [1, 2, 3]
    try store.commit(acknowledged)
    try store.commit(batch(4...4, epoch: 1))
    store.close()
    let remains = try #require(try open().remains)
    #expect(remains.waiting == 1)
  }

  /// Nobody need be in any room then.
  @Test func whatRoomsLearntOfReceiversSurvivesARestart() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    for (kept, new) in [([:], ["hall": 4.25, "küche": -1.5]), (["hall": 4.25, "küche": -1.5], ["hall": 2])] {
      let opened = try open()
      #expect(opened.remains?.gains == kept)
      var learnt = batch(1...1, epoch: 1)
      learnt.gains = new
      try opened.store?.commit(learnt)
      try opened.store?.commit(batch(2...2, epoch: 1))
      opened.store?.close()
    }
    #expect(try open().remains?.gains == ["hall": 2])
  }

  @Test func `phones' records survive a restart, and go with their phone`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let steps: [(kept: [String: [UInt8]], new: [String: [UInt8]?])] = [
      ([:], ["anna": [1, 2], "küche/%": [3]]),
      (["anna": [1, 2], "küche/%": [3]], ["anna": [7], "küche/%": nil]),
    ]
    for (kept, new) in steps {
      let opened = try open()
      #expect(opened.remains?.records == kept)
      var outbox = Outbox(isDurable: true)
      outbox.save(records: new)
      #expect(!outbox.pending.isEmpty)
      // A disk that fails keeps nothing back.
      outbox.failed(outbox.takePending()) { _ in }
      try opened.store?.commit(outbox.takePending())
      opened.store?.close()
    }
    #expect(try open().remains?.records == ["anna": [7]])
  }

  @Test func eachStartBeginsAnEpochAboveAllBefore() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    var last: UInt64 = 0
    // The calendar of a board without a clock of its own is anywhere.
    for (run, seconds) in [0, 60, 60, -900_000_000, -1_700_000_000, 61].enumerated() {
      let outbox = try open(at: start + .seconds(Double(seconds)), chance: UInt64(run) &* 0x9E37_79B9)
      let epoch = try #require(outbox.remains?.epoch)
      #expect(epoch > last)
      last = epoch
      outbox.store?.close()
    }
  }

  @Test func aStateFolderFromABackupNeverLeadsToAnEpochThatWasUsed() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try open().store?.close()
    let backup = folder.path + "-backup"
    defer { try? FileManager.default.removeItem(atPath: backup) }
    try FileManager.default.copyItem(atPath: folder.path, toPath: backup)
    var epochs: Set<UInt64> = []
    for run in 0..<20 {
      // Without a clock each run believes the same time.
      let outbox = try open(chance: UInt64(run) &* 0x9E37_79B9_7F4A_7C15)
      epochs.insert(try #require(outbox.remains?.epoch))
      outbox.store?.close()
      try FileManager.default.removeItem(at: folder)
      try FileManager.default.copyItem(atPath: backup, toPath: folder.path)
    }
    #expect(epochs.count == 20)
  }

  @Test func anEpochThatBeganWithoutTheDiskIsKnownToTheNextStart() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try open()
    let later = try #require(first.remains?.epoch) + 5_000_000
    first.mark?.set(later)
    first.store?.close()
    #expect(try #require(open().remains?.epoch) > later)
  }

  @Test func `what is kept is read where nothing can be written, and the rest follows`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try open()
    try first.store?.commit(batch(1...5, epoch: 1))
    first.store?.close()
    let store = try OutboxStore(path: file.path)
    try store.database.use { try $0.execute(script: "PRAGMA query_only = ON") }
    let remains = try store.begin(bootID: "here") { ($0 ?? 0) + 1_000 }
    #expect(remains.fault == "the file is read-only")
    #expect(remains.waiting == 5)
    try store.note(configuration: "/etc/home.yaml", instance: "porch")
    #expect(throws: DatabaseError.self) { try store.commit(OutboxStore.Batch()) }
    try store.database.use { try $0.execute(script: "PRAGMA query_only = OFF") }
    try store.commit(OutboxStore.Batch())
    store.close()
    let again = try OutboxStore(path: file.path)
    defer { again.close() }
    let found = try again.begin(bootID: "here") { last in
      #expect(last == remains.epoch)
      return (last ?? 0) + 1_000
    }
    #expect(found.isSameBoot && found.fault == nil && found.waiting == 5)
    let kept = try again.database.use { try $0.value("SELECT value FROM meta WHERE name = 'instance'") }
    #expect(kept.string == "porch")
  }

  @Test func twoGatewaysOfOneNameAreRefused() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try open()
    #expect(throws: OutboxInUse.self) { try open() }
    first.store?.close()
    #expect(try open().store != nil)
  }

  /// After a downgrade: what waits is not lost, and the newer version finds it again.
  @Test func anOutboxOfANewerVersionIsRefusedAndLeftAsItIs() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try open()
    try first.store?.commit(batch(1...20, epoch: 1))
    first.store?.close()
    func set(version: Int) throws {
      let database = try Database(path: file.path)
      try database.use { try $0.execute(script: "PRAGMA user_version = \(version)") }
      try database.close()
    }
    try set(version: 6)
    #expect(throws: NewerOutbox.self) { try open() }
    try set(version: 5)
    #expect(try open().remains?.waiting == 20)
  }

  @Test(arguments: ["garbage", "cut", "overwritten"]) func aDamagedFileIsSetAsideAndANewOneBegins(
    _ damage: String
  ) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try open()
    try first.store?.commit(batch(1...2000, epoch: 1))
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
    let database = try Database(path: file.path)
    try database.write { try $0.execute(script: sql) }
    try database.close()
  }

  @Test func whyAnEditPutSomebodyOutIsKept() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try #require(try open().store)
    var written = batch(1...6, epoch: 1)
    for (place, reason) in Evidence.Reason.allCases.enumerated() {
      var message = try #require(written.transitions[place].content as? TransitionMessage)
      message.transition?.evidence.unit = .seconds
      message.transition?.evidence.reason = reason
      written.transitions[place].content = message
    }
    try store.commit(written)
    let read = try store.waiting(after: 0, limit: 10).rows
      .compactMap { ($0.content as? TransitionMessage)?.transition?.evidence }
    #expect(read.map(\.reason) == Evidence.Reason.allCases + [nil])
    #expect(read.prefix(5).allSatisfy { $0.unit == .seconds })
  }

  @Test(arguments: [
    "body = x''", "body = x'00ff'", "body = 7", "body = 'text'", "body = zeroblob(100)",
    "body = substr(body, 1, 60)", "body = body || x'00'",
    "body = substr(body, 1, 9) || x'55' || substr(body, 11)",
    "epoch = 'abc'", "seq = x'ff'",
  ])
  func aRowThatIsDamagedIsPassedOverAndTheOthersStay(_ damage: String) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try open()
    try first.store?.commit(batch(1...5, epoch: 1))
    first.store?.close()
    try alter("UPDATE waiting SET \(damage) WHERE id = 2")
    let store = try #require(try open().store)
    let page = try store.waiting(after: 0, limit: 5)
    #expect(page.rows.map(\.row) == [1, 3, 4, 5])
    #expect(page.damaged == [2])
    // A page that is full is not the last, whatever is in it.
    #expect(!page.isLast)
  }

  /// With a checksum that fits.
  @Test(arguments: 0..<8 as Range<UInt64>)
  func aForgedTransitionIsPassedOverOrCanBeTold(seed: UInt64) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try #require(try open().store)
    _ = try store.commit(batch(1...1, epoch: 1))
    let row = try #require(try store.database.use { try $0.rows("SELECT * FROM waiting") }.first)
    let body = try #require(row["body"].bytes).dropLast(4)
    var dice = SeededGenerator(seed: seed)
    var (read, refused) = (0, 0)
    for _ in 0..<300 {
      let number = SQLValue.integer([0, 7, -1, .min, .max].randomElement(using: &dice)!)
      let forged = SQLRow(
        names: ["id", "epoch", "seq", "body"],
        values: [.integer(1), number, number, .blob(sealed(dice.forged(Array(body))))])
      guard let message = WaitingMessage(forged) else {
        refused += 1
        continue
      }
      read += 1
      #expect(!message.content.message(topics: Topics(gateway: message.content.gateway)).payload.isEmpty)
    }
    #expect(read > 10 && refused > 10)
  }

  @Test(arguments: [
    "UPDATE meta SET value = 'abc' WHERE name = 'epoch'",
    "UPDATE meta SET value = x'00ff' WHERE name = 'epoch'",
    "UPDATE waiting SET id = 9223372036854775807 WHERE id = 5",
    "UPDATE waiting SET id = -9 WHERE id = 5; DELETE FROM waiting WHERE id > 0",
    "UPDATE meta SET value = -5 WHERE name = 'epoch'", "PRAGMA user_version = 9000",
    "PRAGMA user_version = 0",
    "UPDATE meta SET value = \(1 << 53) WHERE name = 'epoch'", "DROP TABLE beacon",
  ])
  func numbersThatAreDamagedMakeItADamagedFile(_ damage: String) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try open()
    try first.store?.commit(batch(1...5, epoch: 1))
    first.store?.close()
    try alter(damage)
    let second = try open(at: start + .seconds(60))
    #expect(second.notices.first?.contains("set aside") == true, "\(second.notices)")
    #expect(second.remains?.waiting == 0)
    try second.store?.commit(batch(1...1, epoch: 2))
    #expect(try second.store?.waiting(after: 0, limit: 2).rows.count == 1)
  }

  @Test func aFileThatIsRemovedWhileItIsOpenKeepsNothingAndSaysSo() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try #require(try open().store)
    try store.commit(batch(1...2, epoch: 1))
    try FileManager.default.removeItem(at: file)
    #expect(throws: OutboxRemoved.self) { try store.commit(batch(3...3, epoch: 1)) }
    // Nor does one that was put in its place.
    try Data().write(to: file)
    #expect(throws: OutboxRemoved.self) { try store.commit(batch(3...3, epoch: 1)) }
  }

  @Test func theLastThreeDamagedFilesAreKept() throws {
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

  @Test(arguments: [true, false]) func anEmptiedOrRemovedOutboxIsReported(isRemoved: Bool) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = try open()
    #expect(first.notices.isEmpty)
    try first.store?.commit(batch(1...3, epoch: 1))
    first.store?.close()
    if isRemoved { try FileManager.default.removeItem(at: file) } else { try Data().write(to: file) }

    let second = try open(at: start + .seconds(60))
    #expect(second.store != nil)
    #expect(second.notices.first?.contains("gone or was emptied") == true)
    #expect(second.remains?.epoch != first.remains?.epoch)
    second.store?.close()
    #expect(try open().notices.isEmpty)
  }

  @Test func aStateFolderThatCannotBeMadeIsReported() throws {
    try Data().write(to: folder)
    defer { try? FileManager.default.removeItem(at: folder) }
    let outbox = try open()
    #expect(outbox.store == nil)
    #expect(outbox.fault == "a file is in the way" || outbox.fault == "File exists", "\(outbox.fault ?? "")")
    #expect(outbox.notices.first?.contains("state_directory") == true)
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func otherUsersCannotReadTheOutbox() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let outbox = try open()
    try outbox.store?.commit(batch(1...3, epoch: 1))
    #expect(try mode(folder.path) == 0o700)
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
      #expect(try mode("\(folder.path)/\(name)") == 0o600, "\(name)")
    }
    outbox.store?.close()
  }

  @Test func filesThatOthersCouldReadAreClosedToThem() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try open().store?.close()
    for path in [file.path, file.path + ".mark"] {
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path)
    }
    let outbox = try open()
    #expect(try mode(file.path) == 0o600)
    #expect(try mode(file.path + ".mark") == 0o600)
    outbox.store?.close()
  }

  @Test(arguments: ["", ".mark", "-wal"]) func aFileOfAnotherNameIsNotWrittenTo(ending: String) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let victim = folder.path + "-victim"
    try Data("of somebody else".utf8).write(to: URL(fileURLWithPath: victim))
    defer { try? FileManager.default.removeItem(atPath: victim) }
    try FileManager.default.linkItem(atPath: victim, toPath: file.path + ending)
    let outbox = try open()
    #expect(outbox.store == nil)
    #expect(outbox.fault?.contains("hard link") == true)
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "of somebody else")
  }

  @Test(arguments: ["", ".mark", "-wal"]) func aSymbolicLinkIsNotFollowed(ending: String) throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let victim = folder.path + "-victim"
    try Data("of somebody else".utf8).write(to: URL(fileURLWithPath: victim))
    defer { try? FileManager.default.removeItem(atPath: victim) }
    try FileManager.default.createSymbolicLink(atPath: file.path + ending, withDestinationPath: victim)
    let outbox = try open()
    #expect(outbox.store == nil)
    #expect(outbox.fault?.contains("symbolic link") == true)
    #expect(outbox.notices.last?.contains(file.path + ending) == true)
    #expect(try String(contentsOfFile: victim, encoding: .utf8) == "of somebody else")
  }

  @Test func aStateFolderOpenToOthersIsClosedOrReported() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let open: [FileAttributeKey: Any] = [.posixPermissions: 0o755]
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: open)
    let named = try self.open()
    #expect(named.notices.first?.contains("chmod 700 \(folder.path)") == true)
    named.store?.close()
    // The one that systemd made for us is ours alone.
    let own = StateDirectory(configured: nil, environment: ["STATE_DIRECTORY": folder.path])
    #expect(try own.make() == nil)
    #expect(try mode(folder.path) == 0o700)
  }

  /// A beacon that goes and comes all the time keeps its row; one that has gone is not there at the next start.
  @Test func departedBeaconsAreForgottenAndReturnedOnesAreNot() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    var scene = try Scene()
    try scene.hear(rssi: -50, for: 20)
    let beacon = try #require(scene.pipeline.savedBeacons(at: scene.time, wallTime: scene.wallTime).first)
    let store = try #require(try open().store)
    for step in 0..<7 {
      var batch = OutboxStore.Batch()
      for number in 0..<1500 {
        var named = beacon
        named.key = "member \(number)"
        batch.beacons[named.key] = .some(step % 2 == number % 2 ? named : nil)
      }
      try store.commit(batch)
    }
    store.close()
    let keys = try #require(try open().remains).beacons.map(\.key)
    #expect(Set(keys) == Set((0..<1500).filter { $0 % 2 == 0 }.map { "member \($0)" }))
    #expect(keys.count == 750)
  }

  @Test func roomThatIsFreeGoesBackToTheDisk() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try #require(try open().store)
    for part in 0..<10 {
      try store.commit(batch(UInt64(part) * 2000 + 1...UInt64(part) * 2000 + 2000, epoch: 1))
    }
    func size() throws -> Int {
      let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
      return attributes[.size] as? Int ?? 0
    }
    var acknowledged = OutboxStore.Batch()
    acknowledged.acknowledged = (1...20_000).map { $0 }
    let before = try size()
    try store.commit(acknowledged)
    try store.giveRoomBack()
    #expect(before > 2_000_000)
    let after = try size()
    #expect(after < 400_000, "\(before), then \(after)")
    store.close()
  }

  /// It is set aside and told, and the others stay.
  @Test func aRowThatCannotBeReadIsForgottenAndTold() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    var scene = try Scene(Scene.rules + "\nrooms: [{ name: yard, receivers: [hci0] }]")
    try scene.hear(rssi: -50, for: 10)
    try scene.hear(Scene.ruuvi, from: 0xC100_0000_0005, rssi: -50, for: 10)
    let saved = scene.pipeline.savedBeacons(at: scene.time, wallTime: scene.wallTime)
    #expect(saved.count == 2)
    let first = try open()
    let store = try #require(first.store)
    for beacon in saved { _ = try store.commit(OutboxStore.Batch(beacons: [beacon.key: beacon])) }
    try store.database.use {
      try $0.execute(
        "UPDATE beacon SET state = substr(state, 1, 40) || x'77' || substr(state, 42) WHERE id = 1")
    }
    store.close()

    let second = try open()
    #expect(second.remains?.beacons.map(\.key) == [saved[1].key])
    #expect(second.notices.contains { $0.hasPrefix("1 rows of ") && $0.contains("cannot be read") })
    second.store?.close()
    let third = try open()
    #expect(third.remains?.beacons.count == 1 && third.notices.isEmpty)
  }

  @Test func `nothing of a beacon that is forgotten stays in the file`() throws {
    defer { try? FileManager.default.removeItem(at: folder) }
    var scene = try Scene(Scene.rules)
    try scene.hear(rssi: -50, for: 10)
    let saved = try #require(scene.pipeline.savedBeacons(at: scene.time, wallTime: scene.wallTime).first)
    let first = try open()
    let store = try #require(first.store)
    _ = try store.commit(OutboxStore.Batch(beacons: [saved.key: saved]))
    let kept = {
      try store.database.use { try $0.rows("SELECT state FROM beacon").map { $0["state"].bytes } }
    }
    let before = try #require(try kept().first ?? nil)
    #expect(before.contains { $0 != 0 })
    _ = try store.commit(OutboxStore.Batch(beacons: [saved.key: nil]))
    #expect(try kept() == [[UInt8](repeating: 0, count: before.count)])
    store.close()
    #expect(try open().remains?.beacons.isEmpty == true)
  }
}
