import Beacons
import Configuration
import Core
import Scenes
import TestSupport
import Testing

@testable import Pipeline

/// A roster knows most beacons by a payload that it heard before. Nobody may notice.
@Suite struct RosterTests {
  private static let rules = """
    gateway: { name: g }
    beacons:
      - { name: fleet, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425 } }
      - { name: van, ibeacon: { uuid: F29DC74A-DBBD-12DE-318A-C8B046DD4425, major: 1, minor: 2 }, measured_power: -50 dBm }
      - { name: page, eddystone: { namespace: edd1ebeac04e5defa017 } }
      - { name: tag, address: "C1:00:00:00:00:01" }
      - { name: sensor, address: "C1:00:00:00:00:02", measured_power: -61 dBm }
    zones:
      - { name: yard }
    """

  private static func eddystone(_ frame: [UInt8]) -> [UInt8] {
    [2, 1, 6, 3, 3, 0xAA, 0xFE, UInt8(frame.count + 3), 0x16, 0xAA, 0xFE] + frame
  }

  private static func uid(_ instance: UInt8, power: UInt8 = 0xED) -> [UInt8] {
    eddystone(
      [0, power, 0xED, 0xD1, 0xEB, 0xEA, 0xC0, 0x4E, 0x5D, 0xEF, 0xA0, 0x17] + [0, 0, 0, 0, 0, instance])
  }

  private static func telemetry(_ count: UInt8) -> [UInt8] {
    eddystone([0x20, 0, 11, 184, 21, 128, 0, 0, 0, count, 0, 0, 0, count])
  }

  private static func ruuvi(_ motion: UInt8) -> [UInt8] {
    [
      2, 1, 6, 0x1B, 0xFF, 0x99, 4, 5, 18, 252, 83, 148, 195, 124, 0, 4, 255, 252, 4, 12, 172, 54, motion, 0,
      205,
    ]
      + [0xC1, 0, 0, 0, 0, 2]
  }

  /// One that says who it is, and is too long to be known by that.
  private static let long = Scene.iBeacon(minor: 9) + [UInt8](repeating: 0, count: 40)

  /// Beacons that repeat themselves, change their address, their power, their frame, or say two things at once.
  private static func payload(using random: inout some RandomNumberGenerator) -> [UInt8] {
    let number = UInt8.random(in: 0..<4, using: &random)
    switch Int.random(in: 0..<9, using: &random) {
    case 0, 1: return Scene.iBeacon(minor: number)
    case 2: return uid(number)
    case 3: return uid(number, power: 0xE0)
    case 4: return telemetry(number)
    case 5: return ruuvi(number)
    case 6: return [2, 1, 6]
    case 7: return long
    default: return Scene.iBeacon(minor: number) + Scene.iBeacon(minor: number + 4).dropFirst(3)
    }
  }

  /// Those that are configured, and more that share a set of four with the first in the memory of addresses: whoever
  /// takes a place there that he has no need of pushes another out.
  private static let addresses: [UInt64] =
    [0xC100_0000_0002] + Scene.addresses(10, sharingTheSetOf: 0xC100_0000_0001)

  /// What a catalogue makes of it that looks into every frame.
  private struct Reference {
    var catalogue: BeaconCatalogue
    /// Of whom each reading is.
    var readings: [BeaconIndex] = []

    mutating func sighting(of advertisement: Advertisement, payload: Span<UInt8>) -> Sighting? {
      var recognition = catalogue.begin(advertisement)
      FrameDecoder.forEachFrame(in: payload) { result, data in
        guard case .frame(let frame, _) = result else { return }
        catalogue.add(frame, to: &recognition)
        if let owner = catalogue.owner(recognition) {
          frame.forEachReading(in: data) { _ in readings.append(owner) }
        }
      }
      return catalogue.sighting(recognition, of: advertisement)
    }
  }

  @Test(arguments: 0..<20 as Range<UInt64>) func aRepetitionIsTakenAsIfItWereNew(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    let configuration = try Scene.configuration(Self.rules)
    var roster = Roster(configuration)
    var reference = Reference(catalogue: BeaconCatalogue(entries: configuration.beaconEntries))
    var readings: [BeaconIndex] = []
    for step in 0..<3000 as Range<Int64> {
      let (advertisement, payload) = Self.advertisement(at: step, using: &random)
      let told = roster.sighting(of: advertisement, payload: payload.span) { heard in
        readings.append(heard.beacon)
      }
      let expected = reference.sighting(of: advertisement, payload: payload.span)
      #expect(told?.beacon == expected?.beacon, "step \(step)")
      #expect(told?.measuredPower == expected?.measuredPower, "step \(step)")
      #expect(told?.rssi == expected?.rssi)
      #expect(told?.time == expected?.time)
      #expect(told?.wallTime == expected?.wallTime)
      #expect(roster.revision == reference.catalogue.revision, "step \(step)")
    }
    #expect(readings == reference.readings)
  }

  private static func advertisement(
    at step: Int64, using random: inout some RandomNumberGenerator
  ) -> (Advertisement, [UInt8]) {
    let advertisement = Advertisement(
      receiver: ReceiverIndex(rawValue: 0),
      address: DeviceAddress(
        bits: addresses[Int.random(in: addresses.indices, using: &random)], kind: .random),
      rssi: Int8.random(in: -100 ... -30, using: &random), time: MonotonicTime(nanoseconds: step),
      wallTime: WallTime(nanoseconds: -step))
    return (advertisement, payload(using: &random))
  }

  @Test func `a tag is known by the name or the service that it says, and then by its address`() throws {
    let configuration = try Scene.configuration(
      """
      beacons:
        - { name: named, local_name: "Tag 7" }
        - { name: serving, service: "feed" }
        - { name: mine, address: "C1:00:00:00:00:09" }
        - { name: long, service: f29dc74a-dbbd-12de-318a-c8b046dd4425 }
      """)
    var roster = Roster(configuration)
    func hear(_ address: UInt64, _ payload: [UInt8]) -> String? {
      roster.sighting(
        of: Advertisement(
          receiver: ReceiverIndex(rawValue: 0), address: DeviceAddress(bits: address, kind: .random),
          rssi: -60,
          time: .zero, wallTime: WallTime(nanoseconds: 0)), payload: payload.span, { _ in }
      ).map { roster.name(of: $0.beacon) }
    }
    let name = [UInt8](" Tag 7".utf8.dropFirst())
    #expect(hear(1, [2, 1, 6]) == nil)
    #expect(hear(1, [2, 1, 6, 6, 9] + name) == "named")
    #expect(hear(1, [2, 1, 6]) == "named")
    #expect(hear(2, [2, 1, 6, 7, 9] + name + [0x78]) == nil)
    #expect(hear(3, [2, 1, 6, 5, 3, 0xAA, 0xFE, 0xED, 0xFE]) == "serving")
    #expect(hear(4, [2, 1, 6, 4, 0x16, 0xED, 0xFE, 1]) == "serving")
    let uuid: [UInt8] = [
      0x25, 0x44, 0xDD, 0x46, 0xB0, 0xC8, 0x8A, 0x31, 0xDE, 0x12, 0xBD, 0xDB, 0x4A, 0xC7, 0x9D, 0xF2,
    ]
    #expect(hear(5, [17, 7] + uuid) == "long")
    // What anybody can say takes no beacon from the entry of its address.
    #expect(hear(0xC100_0000_0009, [2, 1, 6, 6, 9] + name) == "mine")
    #expect(hear(0xC100_0000_0009, [2, 1, 6]) == "mine")
  }
}
