import Core
import TestSupport
import Testing

@testable import Beacons

@Suite("Keys that others tell") struct KeyWordsTests {
  private static let uuid = "f29dc74adbbd12de318ac8b046dd4425"

  @Test(
    "Each kind of identity is read from its key",
    arguments: [
      (
        "ibeacon \(uuid) 1 65535",
        .iBeacon(uuid: 0xF29D_C74A_DBBD_12DE_318A_C8B0_46DD_4425, major: 1, minor: 65535)
      ),
      ("altbeacon 000000000000000000000000000000ff 4294967295", .altBeacon(high: 255, low: .max)),
      (
        "eddystone-uid 00112233445566778899 17",
        .eddystoneUID(namespace: 0x0011_2233_4455_6677_8899, instance: 17)
      ),
    ] as [(String, BeaconIdentity)])
  func identities(key: String, identity: BeaconIdentity) {
    #expect(BeaconIdentity(key: key) == identity)
  }

  @Test(
    "Anything else is none",
    arguments: [
      "", " ", "ibeacon", "ibeacon ", "ibeacon \(uuid)", "ibeacon \(uuid) 1", "ibeacon \(uuid) 1 ",
      "ibeacon \(uuid) 1 2 ", "ibeacon \(uuid) 1 2 3", "ibeacon  \(uuid) 1 2", "ibeacon \(uuid) 1  2",
      " ibeacon \(uuid) 1 2", "ibeacon \(uuid)0 1 2", "ibeacon \(uuid) 65536 2", "ibeacon \(uuid) -1 2",
      "ibeacon \(uuid) +1 2", "ibeacon \(uuid) a 2", "ibeacon \(uuid) １ 2", "ibeacon g 1 2",
      "ibeacons \(uuid) 1 2",
      "ibeaco \(uuid) 1 2", "altbeacon 00 4294967296", "entry tag",
    ])
  func nothing(key: String) {
    #expect(BeaconIdentity(key: key) == nil)
  }

  @Test("Octets at random are read without harm", arguments: 0..<200 as Range<UInt64>)
  func hostile(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var octets = Array("ibeacon \(Self.uuid) 1 2".utf8)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      octets[Int.random(in: octets.indices, using: &random)] = UInt8.random(in: 0...127, using: &random)
    }
    octets.removeLast(Int.random(in: 0..<octets.count, using: &random))
    _ = BeaconIdentity(key: String(decoding: octets, as: UTF8.self))
  }

  @Test("A beacon known by its address is found whatever another gateway calls it")
  func addresses() {
    var catalogue = BeaconCatalogue(entries: [
      BeaconEntry(name: "van", pattern: .address(0xC100_0000_0001)),
      BeaconEntry(name: "watch", pattern: .resolvingKey),
    ])
    func name(_ key: String) -> String? {
      let observation = Observation(
        key: key, receiver: ReceiverIndex(rawValue: 0), rssi: -60, measuredPower: nil, time: .zero,
        wallTime: WallTime(nanoseconds: 0))
      return catalogue.sighting(of: observation).map { catalogue.name(of: $0.beacon) }
    }
    #expect(name("entry address c10000000001 lorry") == "van")
    #expect(name("entry address c10000000002 van") == nil)
    #expect(name("entry key watch") == "watch")
    #expect(name("entry key clock") == nil)
    #expect(name("entry watch") == nil)
  }
}
