import BeaconKeys
import Beacons
import Testing

@Suite struct BeaconKeysTests {
  private func key(_ text: String) throws -> SecretKey { try #require(SecretKey(bytes(text))) }

  /// Core Specification, Vol 3, Part H, D.7: ah() sample data.
  private let sample = "ec0234a357c8ad05341010a60a397d9b"
  private let address = DeviceAddress(bits: 0x7081_940D_FBAA, kind: .random)

  @Test func resolvesTheSpecificationsSample() throws {
    var resolver = AddressResolver(keys: [
      (entry: BeaconEntryIndex(rawValue: 3), key: try key("00000000000000000000000000000000")),
      (entry: BeaconEntryIndex(rawValue: 5), key: try key(sample)),
    ])
    for _ in 0..<3 { #expect(resolver.entry(for: address)?.rawValue == 5) }
  }

  @Test func resolvesNobodyElse() throws {
    var resolver = AddressResolver(
      keys: [(entry: BeaconEntryIndex(rawValue: 0), key: try key(sample))], memory: 4)
    #expect(resolver.entry(for: DeviceAddress(bits: address.bits ^ 1, kind: .random)) == nil)
    #expect(resolver.entry(for: DeviceAddress(bits: address.bits, kind: .public)) == nil)
    #expect(resolver.entry(for: DeviceAddress(bits: address.bits | 0x8000_0000_0000, kind: .random)) == nil)
    for bits in 0x4000_0000_0000..<0x4000_0000_0064 as Range<UInt64> {
      #expect(resolver.entry(for: DeviceAddress(bits: bits, kind: .random)) == nil)
    }
    #expect(resolver.entry(for: address)?.rawValue == 0)
  }

  @Test func aKeyNeverPrintsItself() throws {
    let key = try key(sample)
    #expect("\(key) \(String(reflecting: key))" == "(secret) (secret)")
    var dumped = ""
    dump(key, to: &dumped)
    #expect(!dumped.lowercased().contains("ec02"))
    #expect(SecretKey(bytes("0011")) == nil)
  }

  private let bindKey = "231d39c1d7cc1ab1aee224cd096db932"
  private let sender = DeviceAddress(bits: 0x5448_E68F_80A5, kind: .public)

  private func readings(
    _ decryptor: inout BTHomeDecryptor, _ data: String, from address: DeviceAddress
  ) throws -> [String: Reading.Value] {
    let data = bytes(data)
    var readings: [String: Reading.Value] = [:]
    try decryptor.open(try BTHome.decode(data.span), in: data.span, from: address) { frame, opened in
      frame.forEachReading(in: opened) { readings[$0.name] = $0.value }
    }
    return readings
  }

  /// The example of https://bthome.io/encryption
  private let example = "41a47266c95f730011223378237214"

  @Test func opensTheSpecificationsExample() throws {
    var decryptor = BTHomeDecryptor(key: try key(bindKey))
    #expect(
      try readings(&decryptor, example, from: sender)
        == ["temperature_c": .number(25.06), "humidity_pct": .number(50.55)])
  }

  @Test func usesTheIncludedAddress() throws {
    var decryptor = BTHomeDecryptor(key: try key(bindKey))
    #expect(
      try readings(&decryptor, "43a5808fe64854f196c06ffb4900112233f08ecbde", from: address)
        == ["temperature_c": .number(25.06), "humidity_pct": .number(50.55)])
  }

  @Test(arguments: [
    ("41a47266c95f730011223378237215", "tag"), ("41a47266c95f720011223378237214", "text"),
    ("45a47266c95f730011223378237214", "information"), ("41a47266c95f730111223378237214", "counter"),
  ]) func alteredFramesAreDeclined(data: String, what: String) throws {
    var decryptor = BTHomeDecryptor(key: try key(bindKey))
    #expect(throws: Decline.authenticationFailed) { try readings(&decryptor, data, from: sender) }
    #expect(try readings(&decryptor, example, from: sender).count == 2, "and cost the good ones nothing")
  }

  @Test func theWrongKeyOrSenderIsDeclined() throws {
    var decryptor = BTHomeDecryptor(key: try key(sample))
    #expect(throws: Decline.authenticationFailed) { try readings(&decryptor, example, from: sender) }
    decryptor = BTHomeDecryptor(key: try key(bindKey))
    #expect(throws: Decline.authenticationFailed) { try readings(&decryptor, example, from: address) }
  }

  /// Counter 0x33221100 of the example, then 0x33221100 again with its address included: 0x49 … is another text.
  @Test func aCounterThatWentBackIsAReplay() throws {
    var decryptor = BTHomeDecryptor(key: try key(bindKey))
    #expect(try readings(&decryptor, example, from: sender).count == 2)
    #expect(try readings(&decryptor, example, from: sender).count == 2, "the same advertisement again")
    let earlier = "41a47266c95f73ff10223378237214"
    #expect(throws: Decline.replayed) { try readings(&decryptor, earlier, from: sender) }
    decryptor.restart()
    #expect(throws: Decline.authenticationFailed) { try readings(&decryptor, earlier, from: sender) }
  }

  @Test func plainFramesPassThrough() throws {
    var decryptor = BTHomeDecryptor(key: try key(bindKey))
    #expect(try readings(&decryptor, "4001 5d", from: sender) == ["battery_pct": .number(93)])
  }
}
