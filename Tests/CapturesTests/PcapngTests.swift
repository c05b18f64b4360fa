import Captures
import TestSupport
import Testing

struct PcapngTests {
  static let packet: [UInt8] = [0, 0, 0, 1, 4] + CaptureBytes.event()

  static func option(_ code: UInt16, _ value: [UInt8], isBig: Bool = false) -> [UInt8] {
    let length = UInt16(value.count)
    return
      (isBig
      ? CaptureBytes.big(code) + CaptureBytes.big(length)
      : CaptureBytes.little(code) + CaptureBytes.little(length))
      + value + [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
  }

  @Test func readsEnhancedPacketsInBothByteOrders() {
    for isBig in [false, true] {
      let file =
        CaptureBytes.section(isBig: isBig) + CaptureBytes.interface(link: 201, isBig: isBig)
        + CaptureBytes.enhancedPacket(Self.packet, ticks: 1_700_000_000_000_001, isBig: isBig)
      let heard = Heard(file)
      #expect(heard.error == nil)
      #expect(heard.items.map(\.wallNanoseconds) == [1_700_000_000_000_001_000])
      #expect(heard.items.first?.payload == EventBytes.payload)
    }
  }

  @Test(arguments: [
    (UInt8(6), UInt64(1_700_000_000_500_000), Int64(1_700_000_000_500_000_000)),
    (9, 1_700_000_000_000_000_007, 1_700_000_000_000_000_007),
    (3, 1_700_000_000_500, 1_700_000_000_500_000_000),
    (0, 1_700_000_000, 1_700_000_000_000_000_000),
    (12, 1_700_000_000_500_000_000, 1_700_000_000_500_000),
    (0x8A, 1_740_800_000_512, 1_700_000_000_500_000_000),
    (0x80, 1_700_000_000, 1_700_000_000_000_000_000),
  ])
  func timestampsHaveTheResolutionOfTheirInterface(resolution: UInt8, ticks: UInt64, expected: Int64) {
    let file =
      CaptureBytes.section()
      + CaptureBytes.interface(link: 201, options: Self.option(9, [resolution]) + Self.option(0, []))
      + CaptureBytes.enhancedPacket(Self.packet, ticks: ticks)
    #expect(Heard(file).items.map(\.wallNanoseconds) == [expected])
  }

  @Test func theOffsetOfAnInterfaceIsAdded() {
    for isBig in [false, true] {
      let seconds = Int64(1_700_000_000)
      let value = isBig ? CaptureBytes.big(seconds) : CaptureBytes.little(seconds)
      let file =
        CaptureBytes.section(isBig: isBig)
        + CaptureBytes.interface(link: 201, options: Self.option(14, value, isBig: isBig), isBig: isBig)
        + CaptureBytes.enhancedPacket(Self.packet, ticks: 5, isBig: isBig)
      #expect(Heard(file).items.map(\.wallNanoseconds) == [1_700_000_000_000_005_000])
    }
  }

  @Test func anInterfaceNamedAfterAnAdapterIsThatReceiver() {
    let names = ["bluetooth3", "hci1", "bluetooth", "usb0", "hci99999999"]
    var file = CaptureBytes.section()
    for name in names {
      file += CaptureBytes.interface(link: 201, options: Self.option(2, Array(name.utf8)))
    }
    for interface in names.indices {
      file += CaptureBytes.enhancedPacket(Self.packet, ticks: 5, interface: UInt32(interface))
    }
    #expect(Heard(file).items.map(\.receiver) == ["hci3", "hci1", "hci0", "hci0", "hci0"])
  }

  @Test func simpleAndObsoletePacketsAreRead() {
    let simple = CaptureBytes.block(3, CaptureBytes.little(UInt32(Self.packet.count)) + Self.packet)
    let length = UInt32(Self.packet.count)
    let obsolete = CaptureBytes.block(
      2,
      [0, 0, 0xFF, 0xFF] + [UInt32(0), 9, length, length].flatMap { CaptureBytes.little($0) } + Self.packet)
    let heard = Heard(CaptureBytes.section() + CaptureBytes.interface(link: 201) + obsolete + simple)
    #expect(heard.error == nil)
    // A simple packet carries no time: that of the one before it stands.
    #expect(heard.items.map(\.wallNanoseconds) == [9000, 9000])
  }

  @Test func sectionsFollowEachOtherWithTheirOwnByteOrder() {
    let little =
      CaptureBytes.section() + CaptureBytes.interface(link: 201)
      + CaptureBytes.enhancedPacket(Self.packet, ticks: 1)
    let big =
      CaptureBytes.section(isBig: true) + CaptureBytes.interface(link: 254, isBig: true)
      + CaptureBytes.enhancedPacket([0, 1, 0, 3] + CaptureBytes.event(), ticks: 2, isBig: true)
    let heard = Heard(little + big + little)
    #expect(heard.error == nil)
    #expect(heard.items.map(\.receiver) == ["hci0", "hci1", "hci0"])
  }

  @Test func unknownBlocksAreSkippedHoweverLong() {
    let long = CaptureBytes.block(0xBAD, [UInt8](repeating: 7, count: 900_000))
    let file =
      CaptureBytes.section() + long + CaptureBytes.interface(link: 201) + long
      + CaptureBytes.enhancedPacket(Self.packet, ticks: 1)
    let heard = Heard(file)
    #expect(heard.error == nil)
    #expect(heard.items.count == 1)
    #expect(
      Heard(Array(file.dropLast(CaptureBytes.enhancedPacket(Self.packet, ticks: 1).count + 500))).error?.kind
        == .truncated)
  }

  @Test func faultsAreNamedWithTheirPlace() {
    let section = CaptureBytes.section()
    let start = CaptureError.Position.byte(Int64(section.count))
    let undeclared = Heard(section + CaptureBytes.enhancedPacket(Self.packet, ticks: 1))
    #expect(undeclared.error?.place == start)
    var differing = CaptureBytes.interface(link: 201)
    differing[differing.count - 1] = 1
    #expect(Heard(section + differing).error?.kind == .damaged)
    #expect(Heard(section + [1, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0]).error?.place == start)
    let ethernet =
      section + CaptureBytes.interface(link: 1) + CaptureBytes.enhancedPacket(Self.packet, ticks: 1)
    #expect(Heard(ethernet).error?.kind == .unsupported)
    let resolution = CaptureBytes.interface(link: 201, options: Self.option(9, [0x7F]))
    #expect(Heard(section + resolution).error?.kind == .damaged)
    #expect(Heard([0x0A, 0x0D, 0x0D, 0x0A] + [UInt8](repeating: 0, count: 24)).error?.place == .byte(0))
    let interfaces = Heard(
      section + [[UInt8]](repeating: CaptureBytes.interface(link: 1), count: 2000).joined())
    #expect(interfaces.error?.message.contains("1024 interfaces") == true)
  }
}
