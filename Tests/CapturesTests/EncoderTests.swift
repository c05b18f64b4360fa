import Beacons
import Core
import TestSupport
import Testing

@testable import Captures

struct EncoderTests {
  private static let address = DeviceAddress(bits: 0xC100_0000_0001, kind: .public)

  @Test func btsnoopReadsBackAsItWasHeard() throws {
    var encoder = BtsnoopEncoder()
    let event = CaptureBytes.event()
    for (second, adapter) in [(1, 0), (2, 1), (3, 0)] {
      encoder.append(
        event: event.span, adapter: UInt16(adapter), address: Self.address,
        wallTime: WallTime(nanoseconds: Int64(second) * 1_000_000_000 + 123_456_789))
    }
    let heard = Heard(encoder.bytes)
    #expect(heard.error == nil)
    #expect(heard.items.map(\.receiver) == ["hci0", "hci1", "hci0"])
    #expect(heard.items.map(\.wallNanoseconds) == [1_123_456_000, 2_123_456_000, 3_123_456_000])
    #expect(heard.items.first?.payload == EventBytes.payload)
  }

  @Test func `what an app told reads back byte by byte, and a line that lacks it is refused`() {
    let told = AppReport(
      phone: "anna \"é\"", kind: .seen, payload: [0, 0x7B, 0xFF, 0x0A], isRetained: true, time: .zero,
      wallTime: WallTime(nanoseconds: 1_500_000_001))
    var encoder = TextEncoder()
    encoder.append(told)
    #expect(Heard(encoder.bytes).reports == [told])
    for line in [
      #"{"t":1,"phone":"anna","report":"seen"}"#, #"{"t":1,"phone":"","report":"set","payload":""}"#,
      #"{"t":1,"phone":"anna","report":"near","payload":""}"#,
      #"{"t":1,"phone":"anna","report":"set","payload":"zz"}"#,
    ] {
      #expect(Heard(Array(line.utf8)).error != nil, "\(line)")
    }
  }

  @Test func whatIsKnownByItsKeyReadsBackAsItWasTold() {
    var receivers = ReceiverTable()
    let receiver = receivers.index(of: "hall/hci0")!
    let told = [
      Observation(
        key: "entry address c10000000001 \"Küche\"\\", receiver: receiver, rssi: -61, measuredPower: -59,
        time: .zero, wallTime: WallTime(nanoseconds: 1_700_000_000_123_456_789)),
      Observation(
        key: "entry key anna", receiver: receiver, rssi: nil, time: MonotonicTime(nanoseconds: 211),
        wallTime: WallTime(nanoseconds: 1_700_000_000_123_457_000)),
    ]
    var encoder = TextEncoder()
    for observation in told { encoder.append(observation, receivers: receivers) }
    let heard = Heard(encoder.bytes)
    #expect(heard.error == nil && heard.observations == told && heard.receivers == ["hall/hci0"])
  }

  @Test func textReadsBackAsItWasHeardToTheNanosecond() {
    var receivers = ReceiverTable()
    let receiver = receivers.index(of: "front \"door\"\n\u{1}é\\")!
    var batch = AdvertisementBatch()
    let payload = EventBytes.payload
    for nanoseconds: Int64 in [0, 1, 1_700_000_000_123_456_789, 1_700_000_000_500_000_000, -1_500_000_000] {
      batch.append(
        Advertisement(
          receiver: receiver, address: DeviceAddress(bits: 0xC1_0000_0000_01, kind: .random),
          rssi: nanoseconds == 1 ? nil : -72, txPower: -4, phy: .leCoded, isScanResponse: true, time: .zero,
          wallTime: WallTime(nanoseconds: nanoseconds)),
        payload: payload.span)
    }
    var encoder = TextEncoder()
    // swift-format-ignore: ReplaceForEachWithForLoop
    batch.forEach { encoder.append($0, payload: $1, receivers: receivers) }
    encoder.append(
      ReceiverHealthChange(
        receiver: receiver, health: .gone, reason: "the \"adapter\" left", time: .zero,
        wallTime: WallTime(nanoseconds: 9)),
      receivers: receivers)
    let heard = Heard(encoder.bytes)
    #expect(heard.error == nil)
    #expect(
      heard.items.map(\.wallNanoseconds) == [
        0, 1, 1_700_000_000_123_456_789, 1_700_000_000_500_000_000, -1_500_000_000,
      ])
    #expect(heard.items.map(\.rssi) == [-72, nil, -72, -72, -72])
    #expect(heard.receivers == ["front \"door\"\n\u{1}é\\"])
    #expect(heard.health.map(\.reason) == ["the \"adapter\" left"])
    var decoder = CaptureDecoder()
    var again = AdvertisementBatch()
    let bytes = encoder.bytes
    decoder.fill { span, offset in
      for index in bytes.indices { span[offset + index] = bytes[index] }
      return bytes.count
    }
    #expect((try? decoder.next(into: &again)) == .advertisements)
    // swift-format-ignore: ReplaceForEachWithForLoop
    again.forEach { advertisement, _ in
      #expect(advertisement.phy == .leCoded)
      #expect(advertisement.txPower == -4)
      #expect(advertisement.isScanResponse)
    }
  }
}
