import Captures
import TestSupport
import Testing

struct PcapTests {
  static let event = CaptureBytes.event()
  static let encapsulations: [(UInt32, [UInt8], String)] = [
    (187, [4] + event, "hci0"),
    (201, [0, 0, 0, 1, 4] + event, "hci0"),
    (254, [0, 2, 0, 3] + event, "hci2"),
  ]

  @Test func readsAllFourVariantsAndThreeLinkTypes() {
    for (link, packet, receiver) in Self.encapsulations {
      for (magic, nanoseconds) in [(UInt32(0xA1B2_C3D4), Int64(7000)), (0xA1B2_3C4D, 7)] {
        for isBig in [false, true] {
          let file = CaptureBytes.pcap(
            [(1_700_000_000, 7, packet), (1_700_000_002, 7, packet)], magic: magic, link: link, isBig: isBig)
          let heard = Heard(file)
          #expect(heard.error == nil)
          #expect(heard.items.map(\.receiver) == [receiver, receiver])
          #expect(heard.items.first?.wallNanoseconds == 1_700_000_000_000_000_000 + nanoseconds)
          #expect(heard.items.last?.nanoseconds == 2_000_000_000)
          #expect(heard.items.first?.payload == EventBytes.payload)
        }
      }
    }
  }

  @Test func anEthernetCaptureIsRefusedWithARemedy() {
    let heard = Heard(CaptureBytes.pcap([], magic: 0xA1B2_C3D4, link: 1, isBig: false))
    #expect(heard.error?.kind == .unsupported)
    #expect(heard.error?.message.contains("btmon") == true)
  }

  @Test func aTruncatedFileYieldsItsCompleteRecords() {
    let packet = Self.encapsulations[1].1
    let file = CaptureBytes.pcap(
      [(1, 2, packet), (3, 4, packet)], magic: 0xA1B2_C3D4, link: 201, isBig: false)
    let record = 16 + packet.count
    for length in 1..<file.count where length > 8 {
      let heard = Heard(Array(file[..<length]))
      #expect(heard.items.count == max(0, length - 24) / record)
      #expect((heard.error == nil) == (length >= 24 && (length - 24) % record == 0))
    }
  }

  @Test func aLyingLengthEndsTheFileThere() {
    var file = CaptureBytes.pcap(
      [(1, 2, Self.encapsulations[0].1)], magic: 0xA1B2_C3D4, link: 187, isBig: false)
    file[24 + 8 + 3] = 0xFF
    #expect(Heard(file).error?.place == .byte(24))
    #expect(Heard(file).error?.kind == .damaged)
  }
}
