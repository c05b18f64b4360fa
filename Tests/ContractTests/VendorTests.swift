import Beacons
import Contract
import Foundation
import Testing

@Suite struct VendorTests {
  @Test func `every line is found by its number, and no other number is`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: "Sources/Contract/vendors.txt"), encoding: .utf8)
    let lines = try text.split(separator: "\n").dropFirst().map { line in
      (number: try #require(UInt16(line.prefix(4), radix: 16)), name: String(line.dropFirst(5)))
    }
    #expect(lines.count > 4000)
    #expect(zip(lines, lines.dropFirst()).allSatisfy { $0.number < $1.number })
    let known = Dictionary(uniqueKeysWithValues: lines.map { ($0.number, $0.name) })
    for number in UInt16.min ... .max { #expect(Vendors.name(number) == known[number]) }
  }

  @Test func `a service of the Bluetooth SIG tells no maker`() {
    #expect(Vendors.number(of: .serviceData(0xFEAA)).flatMap(Vendors.name) == "Google")
    #expect(Vendors.number(of: .serviceData(0x180A)) == nil)
    #expect(Vendors.number(of: .manufacturerData(0x0499)).flatMap(Vendors.name) == "Ruuvi Innovations")
    #expect(Vendors.number(of: .manufacturerData(0xFEAA)) == nil)
  }
}
