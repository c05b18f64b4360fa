import Captures
import TestSupport
import Testing

struct BtsnoopTests {
  let event = CaptureBytes.event()

  @Test func readsTheMonitorFlavourOfBtmon() {
    let file =
      CaptureBytes.btsnoopHeader(2001)
      + CaptureBytes.btsnoopRecord(event, flags: 1 << 16 | 3, microseconds: 1_700_000_000_123_456)
      // A command of the host and an event that is no LE meta event.
      + CaptureBytes.btsnoopRecord([0x0C, 0x20, 0], flags: 2, microseconds: 1_700_000_000_200_000)
      + CaptureBytes.btsnoopRecord([0x0E, 1, 0], flags: 3, microseconds: 1_700_000_000_200_000)
      + CaptureBytes.btsnoopRecord(event, flags: 3, microseconds: 1_700_000_001_123_456)
    let heard = Heard(file)
    #expect(heard.error == nil)
    #expect(heard.items.map(\.receiver) == ["hci1", "hci0"])
    #expect(
      heard.items.first
        == Heard.Item(
          receiver: "hci1", address: "C1:00:00:00:00:01", rssi: -72, payload: EventBytes.payload,
          wallNanoseconds: 1_700_000_000_123_456_000, nanoseconds: 0))
    #expect(heard.items.last?.nanoseconds == 1_000_000_000)
  }

  @Test func readsTheUARTFlavourOfAndroid() {
    let file =
      CaptureBytes.btsnoopHeader(1002)
      + CaptureBytes.btsnoopRecord([1, 0x0C, 0x20, 0], flags: 2, microseconds: 5)
      + CaptureBytes.btsnoopRecord([4] + event, flags: 3, microseconds: 1_700_000_000_000_001)
    let heard = Heard(file)
    #expect(heard.error == nil)
    #expect(heard.items.map(\.receiver) == ["hci0"])
    #expect(heard.items.map(\.wallNanoseconds) == [1_700_000_000_000_001_000])
  }

  @Test func readsPacketsWithoutEncapsulation() {
    let file =
      CaptureBytes.btsnoopHeader(1001)
      + CaptureBytes.btsnoopRecord([0x0C, 0x20, 0], flags: 2, microseconds: 5)
      + CaptureBytes.btsnoopRecord(event, flags: 3, microseconds: 6)
    #expect(Heard(file).items.count == 1)
  }

  @Test func aTruncatedFileYieldsItsCompleteRecordsAndThePosition() {
    let header = CaptureBytes.btsnoopHeader(2001)
    let record = CaptureBytes.btsnoopRecord(event, flags: 3, microseconds: 7)
    let file = header + record + record
    for length in 1..<file.count {
      let heard = Heard(Array(file[..<length]))
      switch length {
      case header.count: #expect(heard.error == nil && heard.items.isEmpty)
      case header.count + record.count: #expect(heard.error == nil && heard.items.count == 1)
      case ..<8: #expect(heard.error?.kind == .unknownFormat)
      default:
        #expect(heard.error?.kind == .truncated)
        let whole = length > header.count + record.count ? 1 : 0
        #expect(heard.items.count == whole)
        let start = length < header.count ? 0 : header.count + whole * record.count
        #expect(heard.error?.place == .byte(Int64(start)))
      }
    }
  }

  @Test func aLyingLengthEndsTheFileThere() {
    let header = CaptureBytes.btsnoopHeader(2001)
    let record = CaptureBytes.btsnoopRecord(event, flags: 3, microseconds: 7)
    var liar = record
    liar[4] = 0x7F
    let heard = Heard(header + record + liar + record)
    #expect(heard.items.count == 1)
    #expect(heard.error?.kind == .damaged)
    #expect(heard.error?.place == .byte(Int64(header.count + record.count)))
  }

  @Test func unknownVersionsAndDatalinksAreNamed() {
    var version = CaptureBytes.btsnoopHeader(2001)
    version[11] = 9
    #expect(Heard(version).error?.message.contains("version 9") == true)
    #expect(Heard(CaptureBytes.btsnoopHeader(1003)).error?.message.contains("1003") == true)
  }

  @Test func timestampsOutsideTheCalendarSaturate() {
    for microseconds in [Int64.min, -1, 0] {
      var record = CaptureBytes.btsnoopRecord(event, flags: 3, microseconds: 0)
      record.replaceSubrange(16..<24, with: CaptureBytes.big(microseconds))
      #expect(Heard(CaptureBytes.btsnoopHeader(2001) + record).items.count == 1)
    }
  }
}
