import TestSupport
import Testing

@testable import Beacons

@Suite struct AddressMemoryTests {
  private var memory = AddressMemory()

  /// A third at random, and for each of them one that differs in nothing but its kind, and one that differs in a bit.
  private static func addresses(_ count: Int) -> [DeviceAddress] {
    var random = SeededGenerator(seed: UInt64(count))
    var known: Set<DeviceAddress> = []
    while known.count < count {
      let bits = UInt64.random(in: 0..<1 << 48, using: &random)
      known.insert(DeviceAddress(bits: bits, kind: .random))
      known.insert(DeviceAddress(bits: bits, kind: .public))
      known.insert(DeviceAddress(bits: bits ^ 1 << UInt64.random(in: 0..<48, using: &random), kind: .random))
    }
    return Array(known.prefix(count))
  }

  @Test(arguments: [1, 4000, 4096, 4097, 70_000]) mutating func nearlyAllAreFoundAndNobodyIsTakenForAnother(
    _ count: Int
  ) {
    let addresses = Self.addresses(count)
    for (number, address) in addresses.enumerated() {
      memory.remember(BeaconIndex(rawValue: Int32(number)), at: address, generation: 0)
    }
    let found = addresses.map { memory.beacon(at: $0)?.rawValue }
    for (number, beacon) in found.enumerated() where beacon != nil { #expect(beacon == Int32(number)) }
    #expect(found.count { $0 != nil } * 100 >= count * 99)
    let known = Set(addresses)
    for stranger in Self.addresses(10_001) where !known.contains(stranger) {
      #expect(memory.beacon(at: stranger) == nil)
    }
  }

  /// Four places for each of 4,096 sets, as for any few beacons.
  @Test mutating func whoComesWithEverNewAddressesTakesNoMoreRoom() {
    let beacon = BeaconIndex(rawValue: 7)
    let addresses = Self.addresses(100_000)
    for address in addresses {
      memory.remember(beacon, at: address, generation: 0)
      #expect(memory.beacon(at: address) == beacon)
    }
    #expect(addresses.count { memory.beacon(at: $0) != nil } <= 4 * 4096)
  }

  @Test mutating func theBeaconSeenLastAtAnAddressIsTheOneThere() {
    let address = DeviceAddress(bits: 0xC100_0000_0001, kind: .random)
    for beacon in [5, 6, 4095, 4096, 60_000, 5] as [Int32] {
      memory.remember(BeaconIndex(rawValue: beacon), at: address, generation: 0)
      #expect(memory.beacon(at: address)?.rawValue == beacon)
    }
  }

  @Test func aRetiredBeaconsAddressIsForgotten() {
    var memory = AddressMemory()
    let address = DeviceAddress(bits: 7, kind: .random)
    let beacon = BeaconIndex(rawValue: 3)
    memory.remember(beacon, at: address, generation: 1)
    #expect(memory.beacon(at: address) { _ in 1 } == beacon)
    #expect(memory.beacon(at: address) { _ in 2 } == nil)
    memory.remember(beacon, at: address, generation: 2)
    #expect(memory.beacon(at: address) { _ in 2 } == beacon)
  }
}
