import Beacons
import Core
import Testing

@Suite struct AdvertisingReportsTests {
  private struct Heard: Equatable {
    var address: String
    var rssi: Int8?
    var payload: String
    var isScanResponse = false
    var isPublic = false
    var txPower: Int8?
    var phy = PHY.le1M
  }

  private var reports = AdvertisingReports()

  private mutating func read(_ event: String) -> (heard: [Heard], declined: HCIDecline?) {
    var heard: [Heard] = []
    let event = bytes(event)
    do {
      try reports.read(
        event.span, receiver: ReceiverIndex(rawValue: 3), time: MonotonicTime(nanoseconds: 5),
        wallTime: WallTime(nanoseconds: 6)
      ) { advertisement, payload in
        #expect(advertisement.receiver.rawValue == 3)
        #expect(advertisement.time.nanoseconds == 5)
        #expect(advertisement.wallTime.nanoseconds == 6)
        heard.append(
          Heard(
            address: advertisement.address.description, rssi: advertisement.rssi,
            payload: payload.indices.map { hexadecimal(UInt128(payload[$0]), octets: 1) }.joined(),
            isScanResponse: advertisement.isScanResponse, isPublic: advertisement.address.kind == .public,
            txPower: advertisement.txPower, phy: advertisement.phy))
      }
      return (heard, nil)
    } catch {
      return (heard, error)
    }
  }

  private let first = "0001 0100000000c1 03 020106 b8"
  private let second = "0400 0200000000c2 00 05"

  @Test mutating func legacyReport() {
    let (heard, declined) = read("3e0f 02 01" + first)
    #expect(heard == [Heard(address: "C1:00:00:00:00:01", rssi: -72, payload: "020106")])
    #expect(declined == nil)
  }

  @Test mutating func severalReportsComeOneAfterTheOther() {
    let (heard, declined) = read("3e19 02 02" + first + second)
    #expect(
      heard == [
        Heard(address: "C1:00:00:00:00:01", rssi: -72, payload: "020106"),
        Heard(address: "C2:00:00:00:00:02", rssi: 5, payload: "", isScanResponse: true, isPublic: true),
      ])
    #expect(declined == nil)
  }

  @Test mutating func aCutReportCostsNoneBefore() {
    let (heard, declined) = read("3e19 02 02" + first + "0400 0200000000c2")
    #expect(heard.count == 1)
    #expect(declined == .truncated(report: 1, needs: 10, has: 8))
  }

  @Test mutating func aLyingDataLengthIsDeclined() {
    let (heard, declined) = read("3e0f 02 01" + "0001 0100000000c1 1f 020106 b8")
    #expect(heard.isEmpty)
    #expect(declined == .truncated(report: 0, needs: 41, has: 13))
  }

  @Test mutating func moreReportsThanThereAreIsDeclinedAfterThose() {
    let (heard, declined) = read("3e0f 02 19" + first)
    #expect(heard.count == 1)
    #expect(declined == .truncated(report: 1, needs: 10, has: 0))
  }

  @Test mutating func theEventsLengthEndsItEvenIfMoreFollows() {
    let (heard, declined) = read("3e0f 02 02" + first + second)
    #expect(heard.count == 1)
    #expect(declined == .truncated(report: 1, needs: 10, has: 0))
  }

  @Test mutating func overlongLegacyDataIsRead() {
    let data = String(repeating: "01", count: 33)
    let (heard, declined) = read("3e2d 02 01 0001 0100000000c1 21 \(data) b8")
    #expect(heard.map(\.payload) == [data])
    #expect(declined == nil)
  }

  @Test mutating func unknownSignalIsNoSignal() {
    #expect(read("3e0c 02 01 0001 0100000000c1 00 7f").heard.map(\.rssi) == [nil])
    #expect(read("3e0c 02 01 0001 0100000000c1 00 14").heard.map(\.rssi) == [20])
  }

  @Test(arguments: [("00", true), ("01", false), ("02", true), ("03", false)])
  mutating func addressTypes(type: String, isPublic: Bool) {
    #expect(read("3e0c 02 01 00\(type) 0100000000c1 00 b8").heard.map(\.isPublic) == [isPublic])
  }

  @Test mutating func directedReport() {
    let (heard, declined) = read("3e12 0b 01 01 01 0100000000c1 01 aabbccddeeff c4")
    #expect(heard == [Heard(address: "C1:00:00:00:00:01", rssi: -60, payload: "")])
    #expect(declined == nil)
  }

  private func extended(_ type: String, _ data: String, address: String = "0100000000c1", set: String = "00")
    -> String
  {
    let length = hexadecimal(UInt128(bytes(data).count), octets: 1)
    return "\(type) 01 \(address) 03 02 \(set) f4 b8 0000 00 000000000000 \(length) \(data)"
  }

  private mutating func readExtended(_ reports: String...) -> (heard: [Heard], declined: HCIDecline?) {
    let body = "0d" + hexadecimal(UInt128(reports.count), octets: 1) + reports.joined()
    return read("3e" + hexadecimal(UInt128(bytes(body).count), octets: 1) + body)
  }

  @Test mutating func extendedReport() {
    let (heard, declined) = readExtended(extended("0000", "020106"), extended("0800", ""))
    #expect(
      heard == [
        Heard(address: "C1:00:00:00:00:01", rssi: -72, payload: "020106", txPower: -12, phy: .leCoded),
        Heard(
          address: "C1:00:00:00:00:01", rssi: -72, payload: "", isScanResponse: true, txPower: -12,
          phy: .leCoded),
      ])
    #expect(declined == nil)
  }

  @Test mutating func aCutExtendedReportIsDeclined() {
    let (heard, declined) = read("3e08 0d 01 0000 01 0100")
    #expect(heard.isEmpty)
    #expect(declined == .truncated(report: 0, needs: 24, has: 5))
  }

  @Test mutating func fragmentsAreJoined() {
    #expect(readExtended(extended("2000", "0201")).heard.isEmpty)
    #expect(readExtended(extended("2000", "0609", set: "01")).heard.isEmpty, "another advertising set")
    #expect(readExtended(extended("2000", "0602")).heard.isEmpty)
    #expect(readExtended(extended("0000", "0af4")).heard.map(\.payload) == ["020106020af4"])
    #expect(reports.fragments.pending == 1)
  }

  @Test mutating func whatCameBeforeALossIsKept() {
    _ = readExtended(extended("2000", "020106"))
    #expect(readExtended(extended("4000", "ff")).heard.map(\.payload) == ["020106ff"])
  }

  @Test mutating func fragmentsAreBounded() {
    let data = String(repeating: "01", count: 229)
    for _ in 0..<10 { _ = readExtended(extended("2000", data)) }
    #expect(readExtended(extended("0000", "")).heard.isEmpty)
    #expect(reports.fragments.dropped == 1)
    for sender in 0..<40 {
      _ = readExtended(extended("2000", data, address: hexadecimal(UInt128(sender), octets: 6)))
    }
    #expect(reports.fragments.pending == FragmentedAdvertisements.limit)
    #expect(reports.fragments.dropped == 25)
  }

  @Test mutating func otherEventsAreNotReports() {
    #expect(read("0e04 01 0320 00").declined == .notAnAdvertisingReport(event: 0x0E, subevent: nil))
    #expect(read("3e01 01").declined == .notAnAdvertisingReport(event: 0x3E, subevent: 0x01))
    #expect(read("").declined == .truncated(report: 0, needs: 4, has: 0))
    #expect(read("3e").declined == .truncated(report: 0, needs: 4, has: 1))
    #expect(read("3e01 02").declined == .truncated(report: 0, needs: 4, has: 3))
    #expect(read("3e02 02 00").declined == .noReports)
  }
}
