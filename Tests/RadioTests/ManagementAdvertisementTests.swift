import EventBytes
import Beacons
import Testing

@testable import Radio

struct ManagementAdvertisementTests {
  static func found(_ code: UInt16, type: UInt8 = 2, rssi: UInt8 = 0xB8, claims: UInt16? = nil)
    -> [UInt8]
  {
    let payload = EventBytes.payload
    let body =
      (code == 0x2F ? [7, 0] : []) + EventBytes.address + [type, rssi, 0, 0, 0, 0]
      + EventBytes.little(claims ?? UInt16(payload.count)) + payload
    return ManagementPackets.packet(code, 0, body)
  }

  private static func read(_ packet: [UInt8]) -> (advertisement: Advertisement, payload: Range<Int>)? {
    managementAdvertisement(
      packet.span, receiver: ReceiverIndex(rawValue: 3), time: .zero, wallTime: WallTime(nanoseconds: 5))
  }

  @Test func bothEventsAreRead() throws {
    for code: UInt16 in [0x12, 0x2F] {
      let packet = Self.found(code)
      let (advertisement, payload) = try #require(Self.read(packet))
      #expect(advertisement.address.description == "C1:00:00:00:00:01")
      #expect(advertisement.address.kind == .random)
      #expect(advertisement.rssi == -72)
      #expect(advertisement.receiver.rawValue == 3)
      #expect(Array(packet[payload]) == EventBytes.payload)
    }
  }

  @Test func unknownSignalIsNil() throws {
    #expect(try #require(Self.read(Self.found(0x12, rssi: 127))).advertisement.rssi == nil)
  }

  @Test func otherPacketsGiveNil() {
    #expect(Self.read(Self.found(0x12, type: 0)) == nil)
    #expect(Self.read(Self.found(0x13)) == nil)
    #expect(Self.read(Self.found(0x12, claims: 8)) == nil)
    #expect(Self.read(Self.found(0x12, claims: 65535)) == nil)
    for code: UInt16 in [0x12, 0x2F] {
      let packet = Self.found(code)
      for length in 0..<packet.count { #expect(Self.read(Array(packet[..<length])) == nil) }
    }
  }
}
