import Testing

@testable import Beacons

/// Bytes by hand, from each specification.
@Suite struct BeaconFormatTests {
  private let uuid = "f29dc74adbbd12de318ac8b046dd4425"

  @Test func iBeacon() {
    let expected = Frame.iBeacon(
      IBeacon(uuid: 0xF29D_C74A_DBBD_12DE_318A_C8B0_46DD_4425, major: 1, minor: 515, measuredPower: -59))
    #expect(frames("02011a" + manufacturer("004c", "0215\(uuid)00010203c5")) == [expected])
    #expect(frames(manufacturer("004c", "0215\(uuid)00010203c5ee")) == [expected], "trailing bytes")
  }

  @Test func iBeaconDeclines() {
    #expect(declines(manufacturer("004c", "0215\(uuid)00010203")) == [.wrongLength(expected: 23, got: 22)])
    #expect(declines(manufacturer("004c", "0216\(uuid)00010203c5")) == [.wrongLength(expected: 21, got: 22)])
    #expect(declines(manufacturer("0016", "0215\(uuid)00010203c5")) == [.noDecoder])
    #expect(declines(manufacturer("004c", "02")) == [.wrongLength(expected: 23, got: 1)])
  }

  @Test func anUncalibratedTagTellsNoMeasuredPower() {
    let payload = manufacturer("004c", "0215\(uuid)0001020300")
    #expect(frames(payload).map(\.measuredPower) == [nil])
  }

  @Test func altBeacon() {
    let expected = Frame.altBeacon(
      AltBeacon(
        idHigh: 0xF29D_C74A_DBBD_12DE_318A_C8B0_46DD_4425, idLow: 0x0001_0203, measuredPower: -60,
        reserved: 7, manufacturer: 0x0118))
    #expect(frames(manufacturer("0118", "beac\(uuid)00010203c407")) == [expected])
  }

  @Test func altBeaconWithoutItsLastOctet() {
    let expected = Frame.altBeacon(
      AltBeacon(
        idHigh: 0xF29D_C74A_DBBD_12DE_318A_C8B0_46DD_4425, idLow: 0x0001_0203, measuredPower: -60,
        reserved: nil, manufacturer: 0x0118))
    #expect(frames(manufacturer("0118", "beac\(uuid)00010203c4")) == [expected])
    #expect(declines(manufacturer("0118", "beac\(uuid)00010203")) == [.wrongLength(expected: 23, got: 22)])
  }

  @Test(arguments: ["", "0000", "00", "000000"]) func eddystoneUID(reserved: String) {
    let payload = service("feaa", "00ed00010203040506070809aabbccddeeff" + reserved)
    let expected = Frame.eddystoneUID(
      EddystoneUID(namespace: 0x0001_0203_0405_0607_0809, instance: 0xAABB_CCDD_EEFF, txPower: -19))
    #expect(frames(payload) == [expected])
    #expect(frames(payload).map(\.measuredPower) == [-60])
  }

  @Test func eddystoneUIDDeclines() {
    #expect(
      declines(service("feaa", "00ed00010203040506070809aabbccddee"))
        == [.wrongLength(expected: 18, got: 17)])
    #expect(declines(service("feaa", "50ed")) == [.unknownFrameType(0x50)])
    #expect(declines(service("feaa", "")) == [.wrongLength(expected: 18, got: 0)])
  }

  @Test(arguments: [
    ("10ee00676f6f676c6507", "http://www.google.com"),
    ("10ee03676f6f2e676c2f", "https://goo.gl/"),
    ("10ee0161000a6162", "https://www.a.com/.netab"),
    ("10ee02", "http://"),
    ("10ee034142434445464748494a4b4c4d4e4f5051", "https://ABCDEFGHIJKLMNOPQ"),
  ]) func eddystoneURL(data: String, url: String) {
    guard case .eddystoneURL(let frame)? = frames(service("feaa", data)).first else {
      Issue.record("no URL in \(decode(service("feaa", data)))")
      return
    }
    #expect(frame.url == url)
    #expect(frame.txPower == -18)
  }

  @Test func eddystoneURLDeclines() {
    #expect(declines(service("feaa", "10ee04")) == [.invalidByte(4, at: 2)])
    #expect(declines(service("feaa", "10ee00610e")) == [.invalidByte(0x0E, at: 4)])
    #expect(declines(service("feaa", "10ee0061ff")) == [.invalidByte(0xFF, at: 4)])
    #expect(declines(service("feaa", "10ee")) == [.wrongLength(expected: 3, got: 2)])
    let long = "10ee03" + String(repeating: "41", count: 18)
    #expect(declines(service("feaa", long)) == [.wrongLength(expected: 20, got: 21)])
  }

  @Test func eddystoneTelemetry() {
    #expect(
      readings(service("feaa", "20000bb8fe800000004500000259"))
        == [
          "battery_v": .number(3), "temperature_c": .number(-1.5), "advertisement_count": .number(69),
          "uptime_s": .number(60.1),
        ])
  }

  @Test func telemetryOmitsUnavailableValues() {
    #expect(
      readings(service("feaa", "2000000080000000000000000000"))
        == ["advertisement_count": .number(0), "uptime_s": .number(0)])
  }

  @Test func eddystoneTelemetryDeclines() {
    #expect(declines(service("feaa", "2002")) == [.wrongLength(expected: 14, got: 2)])
    #expect(declines(service("feaa", "20020bb8fe800000004500000259")) == [.unsupportedVersion(2)])
    #expect(
      declines(service("feaa", "20010bb8fe800000004500000259")) == [.wrongLength(expected: 18, got: 14)])
  }

  @Test func encryptedTelemetryIsRecognised() {
    let expected = Frame.eddystoneEncryptedTLM(
      EddystoneEncryptedTLM(ciphertext: 0x1122_3344_5566_7788_99AA_BBCC, salt: 0x5A17, check: 0xC4EC))
    #expect(frames(service("feaa", "2001112233445566778899aabbcc5a17c4ec")) == [expected])
  }

  @Test func eddystoneEID() {
    #expect(
      frames(service("feaa", "30fc0011223344556677"))
        == [.eddystoneEID(EddystoneEID(identifier: 0x0011_2233_4455_6677, txPower: -4))])
    #expect(declines(service("feaa", "30fc00112233445566")) == [.wrongLength(expected: 10, got: 9)])
  }

  @Test func exposureNotification() {
    #expect(
      frames("02011a 03036ffd" + service("fd6f", "00112233445566778899aabbccddeeff40fc0102"))
        == [
          .exposureNotification(
            ExposureNotification(
              identifier: 0x0011_2233_4455_6677_8899_AABB_CCDD_EEFF, encryptedMetadata: 0x40FC_0102))
        ])
    #expect(declines(service("fd6f", "ff")) == [.wrongLength(expected: 20, got: 1)])
  }

  @Test(arguments: [
    (manufacturer("004c", "10050718e29b18"), Noise.appleNearbyInfo),
    (manufacturer("004c", "12020001"), .appleFindMy),
    (manufacturer("004c", "0703aabbcc"), .appleProximityPairing),
    (manufacturer("004c", "0c0e00112233445566778899aabbccdd1003aabbcc"), .appleHandoff),
    (manufacturer("004c", "01000000000000000000000000000000ff"), .appleOverflowArea),
    (manufacturer("004c", "1600"), .appleOther),
    (manufacturer("0006", "0109200293ff2e3be471340f05c6b2d858e83e8733bea3b5b3c343"), .microsoftCDP),
    (manufacturer("0006", "030080"), .microsoftSwiftPair),
    (service("fe2c", "aabbcc"), .googleFastPair),
    (service("fef3", "4a17"), .googleNearby),
    (service("feaa", "401b0d83"), .googleFindHub), (service("feaa", "411b0d83"), .googleFindHubAway),
    (manufacturer("004c", "1219" + String(repeating: "00", count: 25)), .appleFindMyAway),
    (service("fd5a", "15aabbcc"), .smartTag), (service("fd5a", "12aabbcc"), .smartTagAway),
    (service("fd5a", "13"), .smartTagAway), (service("feed", "0200a1b2"), .tile),
  ]) func noiseIsSetAside(payload: String, noise: Noise) { #expect(frames(payload) == [.noise(noise)]) }

  @Test func malformedNoiseIsDeclined() {
    #expect(declines(manufacturer("004c", "ff")) == [.wrongLength(expected: 2, got: 1)])
    #expect(declines(manufacturer("004c", "1009aa")) == [.truncated(needs: 9, has: 1)])
    #expect(declines(manufacturer("0006", "")) == [.wrongLength(expected: 1, got: 0)])
  }

  @Test func aBadStructureDoesNotAffectTheOthers() {
    let good = service("feaa", "30fc0011223344556677")
    let results = decode(manufacturer("004c", "0215") + good + "03ff4c" + "1e16")
    #expect(results.count == 4)
    #expect(
      results[1]
        == .frame(
          .eddystoneEID(EddystoneEID(identifier: 0x0011_2233_4455_6677, txPower: -4)), .serviceData(0xFEAA)))
  }

  @Test func structuresTooShortForTheirNumberAreDeclined() {
    #expect(decode("02ff4c") == [.declined(.wrongLength(expected: 2, got: 1), .structure(0xFF))])
    #expect(decode("0116") == [.declined(.wrongLength(expected: 2, got: 0), .structure(0x16))])
  }

  @Test func otherStructuresAreNoFrames() { #expect(decode("020106 0303aafe 0409414243").isEmpty) }
}

/// Why the structures of a payload were declined.
func declines(_ payload: String) -> [Decline] {
  decode(payload).compactMap { if case .declined(let reason, _) = $0 { reason } else { nil } }
}
