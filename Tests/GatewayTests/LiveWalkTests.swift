import Beacons
import Captures
import Configuration
import Contract
import Core
import Foundation
import Glibc
import Pipeline
import Scenes
import Testing

@testable import Gateway

/// What a live walk hears from receivers elsewhere.
@Suite struct LiveWalkTests {
  private static let yaml = """
    broker: { url: mqtt://localhost }
    scanners:
      - { kind: espresense, identities: { "phone:ben": ben } }
      - { kind: beaconkeeper }
    beacons: [{ name: ben, address: C1:00:00:00:00:01 }]
    rooms: [{ name: hall, receivers: [hall/hci0] }, { name: bath, receivers: [bath] }]
    """
  private static let key = "entry address c10000000001 ben"

  private let configuration: Configuration
  private let prefix = FileManager.default.temporaryDirectory.appendingPathComponent("walk-\(UUID())").path

  init() throws { configuration = try Scene.configuration(Self.yaml) }

  private func cleanUp() {
    for ending in [".jsonl", ".csv"] { unlink(prefix + ending) }
  }

  /// As a scanner that knows beacons by names of its own, and another gateway, whose batches come late.
  private func hearing(_ receivers: inout ReceiverTable) throws -> Hearing {
    let (first, second) = (receivers.index(of: "bath"), receivers.index(of: "hall/hci0"))
    let (bath, hall) = (try #require(first), try #require(second))
    var hearing = Hearing()
    for (receiver, milliseconds, level) in [(bath, 1000, -70), (hall, 900, -60), (hall, 1100, -61)] {
      let offset = TimeSpan.milliseconds(Int64(milliseconds))
      hearing.observations.append(
        Observation(
          key: Self.key, receiver: receiver, rssi: Int8(level), measuredPower: receiver == hall ? -59 : nil,
          time: .zero + offset, wallTime: WallTime(nanoseconds: 1_700_000_000_000_000_000) + offset))
    }
    return hearing
  }

  @Test func `a recording has what is known by a beacon's key alone, in order of time`() throws {
    defer { cleanUp() }
    let walk = try LiveWalk(configuration, beacon: "ben", record: prefix)
    var receivers = ReceiverTable()
    let hearing = try hearing(&receivers)
    walk.hear(hearing, receivers)
    #expect(walk.finishRecording() == nil)
    var recording = try Recording(paths: [prefix + ".jsonl"])
    var table = ReceiverTable()
    var batch = AdvertisementBatch()
    var heard: [String] = []
    while case .observation(let told) = try recording.next(into: &batch, receiver: { table.index(of: $0) }) {
      #expect(told.key == Self.key)
      heard.append(
        "\(table.name(of: told.receiver)) \(told.time.nanoseconds / 1_000_000) \(told.measuredPower ?? 0)")
    }
    #expect(heard == ["hall/hci0 0 -59", "bath 100 0", "hall/hci0 200 -59"])
  }

  @Test func `a calibration can be made of the recording again`() throws {
    defer { cleanUp() }
    let walk = try LiveWalk(configuration, beacon: "ben", record: prefix)
    var receivers = ReceiverTable()
    let hearing = try hearing(&receivers)
    walk.mark("hall", nil, at: .zero, wallTime: WallTime(nanoseconds: 1_700_000_000_000_000_000))
    walk.hear(hearing, receivers)
    #expect(walk.finishRecording() == nil)
    let marks = try RecordingMarks(Array(#require(FileManager.default.contents(atPath: prefix + ".csv"))))
    var again = HeardWalk(configuration, beacon: "ben")
    _ = try again.read([prefix + ".jsonl"], marks: marks) { _, _, _ in }
    let ben = try #require(again.heard.first)
    #expect(ben.name == "ben" && ben.count == 3)
    #expect(Set(again.receivers.names) == ["bath", "hall/hci0"])
  }

  @Test(arguments: [".jsonl", ".csv"]) func `an earlier walk is not replaced`(ending: String) throws {
    defer { cleanUp() }
    #expect(FileManager.default.createFile(atPath: prefix + ending, contents: Data("earlier".utf8)))
    let refusal = #expect(throws: SystemError.self) {
      _ = try LiveWalk(configuration, beacon: "ben", record: prefix)
    }
    #expect(refusal?.code == EEXIST)
    #expect(FileManager.default.contents(atPath: prefix + ending) == Data("earlier".utf8))
    let other = prefix + (ending == ".csv" ? ".jsonl" : ".csv")
    #expect(!FileManager.default.fileExists(atPath: other))
  }

  @Test func `a walk that nothing was heard in leaves no files`() throws {
    defer { cleanUp() }
    let walk = try LiveWalk(configuration, beacon: "ben", record: prefix)
    #expect(walk.finishRecording() == nil)
    for ending in [".jsonl", ".csv"] { #expect(!FileManager.default.fileExists(atPath: prefix + ending)) }
  }

  @Test func `a file without content is no earlier walk`() throws {
    defer { cleanUp() }
    #expect(FileManager.default.createFile(atPath: prefix + ".jsonl", contents: nil))
    _ = try LiveWalk(configuration, beacon: "ben", record: prefix)
  }

  /// The same walk, once as advertisements and once by the beacon's key.
  private func replay(byKey: Bool) throws -> [String] {
    let path = prefix + (byKey ? ".key.jsonl" : ".jsonl")
    defer { unlink(path) }
    let sender =
      byKey
      ? #""beacon":"\#(Self.key)""#
      : #""address":"C1:00:00:00:00:01","address_type":"public","payload":"""#
    let lines = (0..<400).map { step in
      let (near, far) = step < 200 ? ("hall/hci0", "bath") : ("bath", "hall/hci0")
      let receiver = step % 2 == 0 ? near : far
      let (time, level) = (1_700_000_000 + Double(step) / 5, step % 2 == 0 ? -55 : -80)
      return #"{"t":\#(time),"receiver":"\#(receiver)","rssi":\#(level),\#(sender)}"#
    }
    try Data(lines.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: path))
    var replay = try Replay(
      configuration, captures: [path], following: RoomFollower(configuration, beacon: "ben"))
    var output = Pipeline.Output()
    var told: [String] = []
    while try replay.next(into: &output) {
      for case .transition(let message) in output.items {
        told.append(String(decoding: message.json, as: UTF8.self))
      }
    }
    #expect(replay.follower?.hasHeard == true)
    return told
  }

  @Test func `replay decides the same whether a beacon is known by its key or by what it sends`() throws {
    let told = try replay(byKey: true)
    #expect(told.count == 3)
    #expect(try told == replay(byKey: false))
  }
}
