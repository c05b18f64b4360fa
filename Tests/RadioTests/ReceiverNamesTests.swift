import Beacons
import Testing

@testable import Radio

@Suite struct ReceiverNamesTests {
  private func adapter(_ index: UInt16, _ address: UInt8) throws -> AdapterInfo {
    let reply = [address, 0, 0, 0, 0xAA, 0] + [UInt8](repeating: 0, count: 14)
    let info = AdapterInfo(index: index, reply: reply.span)
    return try #require(info)
  }

  @Test func `an adapter that is plugged in again is the same receiver`() throws {
    var names = ReceiverNames(aliases: [:])
    let first = names.receiver(of: try adapter(0, 1), beside: [])
    let again = names.receiver(of: try adapter(1, 1), beside: [])
    #expect(first != nil && again == first)
    #expect(names.table.names == ["hci0"])
  }

  /// One that is unplugged leaves the other one as it is.
  @Test func `adapters with one address are different receivers`() throws {
    var names = ReceiverNames(aliases: [0xAA_0000_0001: "door"])
    let first = try #require(try named(&names, 0, 1, beside: []))
    let second = try #require(try named(&names, 1, 1, beside: [first]))
    #expect(names.table.names == ["door", "hci1"])
    // The first one comes back as hci2.
    let again = try named(&names, 2, 1, beside: [second])
    #expect(again == first)
    let third = try named(&names, 3, 2, beside: [first, second])
    #expect(third.map { names.table.name(of: $0) } == "hci3")
  }

  private func named(
    _ names: inout ReceiverNames, _ index: UInt16, _ address: UInt8, beside others: Set<ReceiverIndex>
  ) throws -> ReceiverIndex? {
    names.receiver(of: try adapter(index, address), beside: others)
  }
}
