import Beacons
import Core
import Testing

@Suite struct DeviceAddressTests {
  @Test func readsAndWritesTheUsualForm() {
    let address = DeviceAddress("c1:00:00:00:0a-01", kind: .random)
    #expect(address?.description == "C1:00:00:00:0A:01")
    #expect(address?.bits == 0xC100_0000_0A01)
  }

  @Test(arguments: [
    "", "C1", "C1:00:00:00:00", "C1:00:00:00:00:01:02", "C1:00:00:00:00:0G", "C100:00:00:00:01:0",
  ])
  func rejectsInvalidAddresses(text: String) {
    #expect(DeviceAddress(text, kind: .public) == nil)
  }

  @Test func onlyRandomAddressesOfTheRightClassAreResolvable() {
    #expect(DeviceAddress(bits: 0x4000_0000_0000, kind: .random).isResolvablePrivate)
    #expect(!DeviceAddress(bits: 0x4000_0000_0000, kind: .public).isResolvablePrivate)
    #expect(!DeviceAddress(bits: 0xC000_0000_0000, kind: .random).isResolvablePrivate)
  }
}
