import Beacons
import Contract
import Core
import Foundation
import Scenes
import TestSupport
import Testing

@testable import Configuration
@testable import Outbox
@testable import Pipeline

/// A sensor with a bind key, and those who would speak in its name.
@Suite struct SealedReadingsTests {
  private static let rules = """
    gateway: { name: forecourt }
    keys_file: keys.yaml
    beacons:
      - { name: cellar, address: "54:48:E6:8F:80:A5", bind_key: cellar }
      - { name: attic, address: "C1:00:00:00:00:09" }
      - { name: hall, address: "A4:C1:38:00:00:01", bind_key: hall }
    """

  /// MiBeacon: 21.5 °C; and a press of a switch, with a later counter.
  private static let (warm, click) = (
    "1a1695fe58585b055001000038c1a431221792b9260000f5f0d3d7",
    "181695fe585887035201000038c1a4df91322600003cc27bbc"
  )

  private static let sealed = sealedTemperatures.merging(presses) { $1 }

  private static let presses: [UInt32: String] = [
    // The first two without a packet id, the others with the same one.
    4138: "4563382a100000d720bcbc",
    4139: "45b91b2b10000035b50c65",
    4140: "45d16f2c1000006bd28b47",
    4141: "45cabc2fee2d100000ce77a639",
    4142: "45969a855e2e100000d1126917",
  ]

  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sealed-\(UUID())")

  private func configuration(key: String = "231d39c1d7cc1ab1aee224cd096db932") throws -> Configuration {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let keys = folder.appendingPathComponent("keys.yaml")
    try Data("cellar: \(key)\nhall: 000102030405060708090a0b0c0d0e0f\n".utf8).write(to: keys)
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: keys.path)
    let path = folder.appendingPathComponent("beaconkeeper.yaml")
    try Data(Self.rules.utf8).write(to: path)
    return try Configuration.load(path: path.path).configuration
  }

  private func scene(key: String = "231d39c1d7cc1ab1aee224cd096db932") throws -> Scene {
    try Scene(try configuration(key: key))
  }

  private static let address: UInt64 = 0x5448_E68F_80A5

  private static func frame(_ counter: UInt32) throws -> [UInt8] {
    let data = try HexadecimalText.octets(try #require(sealed[counter]))
    return [UInt8(data.count + 3), 0x16, 0xD2, 0xFC] + data
  }

  private func hear(_ counter: UInt32, _ scene: inout Scene) throws {
    try scene.hear(Self.frame(counter), from: Self.address, rssi: -60, for: 0.1)
    scene.pass(70)
    try scene.hear([2, 1, 6], from: Self.address, rssi: -60, for: 0.1)
  }

  private func temperature(_ scene: Scene) -> String? {
    scene.state("beacon/cellar/state")?.split(separator: "\"temperature_c\":").dropFirst().first
      .map { String($0.prefix { "0123456789.".contains($0) }) }
  }

  @Test func aChangeOfBatteryDoesNotFreezeTheReading() throws {
    var scene = try scene()
    try hear(4136, &scene)
    #expect(temperature(scene) == "21.36")
    #expect(scene.pipeline.takeNotices() == [])
    try hear(0, &scene)
    #expect(temperature(scene) == "20")
    try hear(1, &scene)
    #expect(temperature(scene) == "20.01")
    #expect(scene.pipeline.takeNotices().map { $0.contains("cellar") && $0.contains("battery") } == [true])
  }

  @Test func eachCounterIsOneEvent() throws {
    var scene = try scene()
    for counter in [4138, 4139, 4140, 4138, 4141, 4142] as [UInt32] {
      try scene.hear(Self.frame(counter), from: Self.address, rssi: -60, for: 0.8)
    }
    #expect(scene.output.transitions.map(\.word) == ["press", "press", "long_press"])
  }

  @Test func `a sealed sensor of another format is read, and its press is one event`() throws {
    var scene = try scene()
    let hall: UInt64 = 0xA4C1_3800_0001
    try scene.hear(HexadecimalText.octets(Self.warm), from: hall, rssi: -60, for: 1)
    #expect(scene.state("beacon/hall/state")?.contains(#""temperature_c":21.5"#) == true)
    try scene.hear(HexadecimalText.octets(Self.click), from: hall, rssi: -60, for: 1)
    #expect(scene.output.transitions.map(\.word) == ["press"])
    #expect(scene.pipeline.refusedReadings.wrongKey == 0)
    // Recorded, and sent again by somebody else.
    try scene.hear(HexadecimalText.octets(Self.warm), from: hall, rssi: -60, for: 1)
    #expect(scene.pipeline.refusedReadings.replayed > 0)
    // From another address it is not for this key.
    try scene.hear(HexadecimalText.octets(Self.click), from: 0xC100_0000_0009, rssi: -60, for: 1)
    #expect(scene.pipeline.refusedReadings.noKey > 0)
  }

  @Test func aReplayedFrameIsRefusedAndReportedOnce() throws {
    var scene = try scene()
    try hear(4136, &scene)
    try hear(4130, &scene)
    try hear(4130, &scene)
    #expect(temperature(scene) == "21.36")
    #expect(scene.pipeline.refusedReadings.replayed == 2)
    #expect(scene.pipeline.takeNotices().count == 1)
    #expect(scene.pipeline.takeNotices() == [])
  }

  @Test func plainReadingsFromItsAddressAreASightingAndNoMore() throws {
    var scene = try scene()
    try hear(4136, &scene)
    for payload in [Scene.temperature(9999), Self.door, Self.telemetry, Scene.ruuvi] {
      try scene.hear(payload, from: Self.address, rssi: -60, for: 0.2)
      scene.pass(70)
    }
    let state = try #require(scene.state("beacon/cellar/state"))
    #expect(temperature(scene) == "21.36")
    #expect(!state.contains("door") && !state.contains("battery") && !state.contains("humidity"))
    #expect(scene.pipeline.refusedReadings.unencrypted == 8)
    #expect(scene.pipeline.counts.sightings == 10)
    #expect(scene.pipeline.takeNotices().map { $0.contains("unencrypted") } == [true])
  }

  @Test func withoutAKeyPlainReadingsCount() throws {
    var scene = try scene()
    try scene.hear(Scene.temperature(2150), from: 0xC100_0000_0009, rssi: -60, for: 1)
    #expect(scene.state("beacon/attic/state")?.contains(#""temperature_c":21.5"#) == true)
    try scene.hear(Self.frame(0), from: 0xC100_0000_0009, rssi: -60, for: 1)
    #expect(scene.pipeline.refusedReadings.noKey == 10)
    #expect(scene.pipeline.takeNotices().map { $0.contains("attic") && $0.contains("bind_key") } == [true])
  }

  @Test func aWrongKeyIsReportedOnceAndCounted() throws {
    var scene = try scene(key: "00112233445566778899aabbccddeeff")
    try hear(4136, &scene)
    try hear(4137, &scene)
    #expect(temperature(scene) == nil)
    #expect(scene.pipeline.refusedReadings.wrongKey == 2)
    #expect(scene.pipeline.takeNotices().map { $0.contains("cellar") && $0.contains("bind_key") } == [true])
  }

  @Test func aReloadForgetsNoCounter() throws {
    var scene = try scene()
    try hear(4136, &scene)
    scene.pipeline = scene.pipeline.reconfigured(try configuration(), into: &scene.output)
    try hear(4130, &scene)
    #expect(temperature(scene) == "21.36")
    #expect(scene.pipeline.refusedReadings.replayed == 1)
  }

  @Test func theNextRunKnowsTheCounter() throws {
    var scene = try scene()
    try hear(4136, &scene)
    let counters = scene.pipeline.takeCounters()
    #expect(Array(counters.values) == [4136])
    let directory = StateDirectory(configured: folder.path)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try #require(
      try OpenOutbox(gateway: "g", directory: directory, wallTime: scene.wallTime).store)
    var batch = OutboxStore.Batch()
    batch.counters = counters
    try store.commit(batch)
    store.close()
    let again = try OpenOutbox(gateway: "g", directory: directory, wallTime: scene.wallTime)
    let remains = try #require(again.remains)
    again.store?.close()
    var next = try self.scene()
    next.pipeline.restore(counters: remains.counters)
    try hear(4130, &next)
    #expect(temperature(next) == nil)
    try hear(4137, &next)
    #expect(temperature(next) == "21.37")
  }

  @Test func aSensorThatCountsQuicklyIsSeldomWritten() {
    var ledger = CounterLedger()
    var writes = 0
    for second in 0..<86_400 {
      ledger.note(BeaconIndex(rawValue: 0))
      if !ledger.take(at: .zero + .seconds(Double(second)), isLast: false).isEmpty { writes += 1 }
      if second == 7 { #expect(writes == 8, "the first ones at once") }
    }
    #expect(writes == 8 + 86_400 / 300 - 1)
    ledger.note(BeaconIndex(rawValue: 0))
    #expect(ledger.take(at: .zero + .seconds(86_400), isLast: true).count == 1, "and all at the end")
  }

  /// BTHome, not encrypted: the door is open.
  private static let door: [UInt8] = [2, 1, 6, 6, 0x16, 0xD2, 0xFC, 0x40, 0x1A, 0x01]
  private static let telemetry: [UInt8] =
    [0x11, 0x16, 0xAA, 0xFE, 0x20, 0, 11, 184, 21, 128, 0, 0, 0, 1, 0, 0, 0, 1]
}
