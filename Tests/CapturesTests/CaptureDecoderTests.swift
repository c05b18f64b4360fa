import Beacons
import Captures
import Core
import Testing

struct CaptureDecoderTests {
  static let captures: [[UInt8]] = [
    CaptureBytes.btsnoopHeader(2001)
      + (0..<40).flatMap {
        CaptureBytes.btsnoopRecord(CaptureBytes.event(rssi: -Int8($0)), flags: 3, microseconds: $0)
      },
    CaptureBytes.pcap(
      (0..<40).map { ($0, 0, [4] + CaptureBytes.event()) }, magic: 0xA1B2_C3D4, link: 187, isBig: true),
    CaptureBytes.section() + CaptureBytes.interface(link: 187)
      + (0..<40).flatMap { CaptureBytes.enhancedPacket([4] + CaptureBytes.event(), ticks: $0) },
    Array([String](repeating: TextFormTests.line, count: 40).joined(separator: "\n").utf8),
  ]

  @Test func nothingDependsOnHowTheBytesArrive() {
    for capture in Self.captures {
      let whole = Heard(capture)
      #expect(whole.items.count == 40)
      for piece in [1, 2, 3, 7, 24, 100] { #expect(Heard(capture, piece: piece) == whole) }
    }
  }

  @Test func aLongCaptureComesInBoundedBatches() throws {
    let record = CaptureBytes.btsnoopRecord(CaptureBytes.event(), flags: 3, microseconds: 1)
    let file = CaptureBytes.btsnoopHeader(2001) + [[UInt8]](repeating: record, count: 20_000).joined()
    #expect(Heard(file).items.count == 20_000)
    #expect(Heard(file, piece: 4096).items.count == 20_000)
  }

  @Test func anUnknownFileTypeIsNamed() {
    #expect(Heard([]).error?.kind == .empty)
    #expect(Heard([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0]).error?.kind == .compressed)
    #expect(Heard(text: "hello\n").error?.kind == .unknownFormat)
    #expect(Heard([UInt8](repeating: 0xFF, count: 4000)).error?.kind == .unknownFormat)
    #expect(Heard(text: "\n\n  \n").error == nil)
  }

  @Test func damagedBytesNeverTrap() {
    var random = SystemRandomNumberGenerator()
    for capture in Self.captures {
      for _ in 0..<400 {
        var bytes = capture
        for _ in 0..<Int.random(in: 1...8, using: &random) {
          let place = Int.random(in: 0..<bytes.count, using: &random)
          switch Int.random(in: 0..<4, using: &random) {
          case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
          case 1: bytes[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
          case 2: bytes.remove(at: place)
          default: bytes.insert(0xFF, at: place)
          }
        }
        let heard = Heard(bytes)
        #expect(heard.items.count <= 60)
        #expect(zip(heard.items, heard.items.dropFirst()).allSatisfy { $0.nanoseconds <= $1.nanoseconds })
      }
    }
  }

  @Test func afterAFaultTheFaultStays() throws {
    var decoder = CaptureDecoder()
    var batch = AdvertisementBatch()
    decoder.fill { span, offset in
      span[offset] = 0xFF
      return 1
    }
    decoder.fill { _, _ in 0 }
    for _ in 0..<3 { #expect(throws: CaptureError.self) { try decoder.next(into: &batch) } }
  }
}
