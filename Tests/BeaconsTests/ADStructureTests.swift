import Beacons
import Core
import Testing

@Suite struct ADStructureTests {
  private func elements(_ payload: String) -> [ADStructures.Element] {
    let payload = bytes(payload)
    var structures = ADStructures()
    var elements: [ADStructures.Element] = []
    while let element = structures.next(in: payload.span) { elements.append(element) }
    return elements
  }

  private func name(_ payload: String) -> String? {
    let payload = bytes(payload)
    return AdvertisedFields.localName(in: payload.span)
  }

  @Test func yieldsTypeAndDataOfEach() {
    #expect(
      elements("020106 03ff4c00")
        == [.structure(type: 0x01, data: 2..<3), .structure(type: 0xFF, data: 5..<7)])
  }

  @Test func anEmptyPayloadHasNone() { #expect(elements("").isEmpty) }

  @Test func aStructureMayHoldNoData() {
    #expect(elements("0109") == [.structure(type: 0x09, data: 2..<2)])
  }

  @Test func aLengthOfZeroEndsThePayload() {
    #expect(elements("020106 00 ffff") == [.structure(type: 0x01, data: 2..<3)])
  }

  @Test func aWrongLengthKeepsTheStructuresBeforeIt() {
    #expect(
      elements("020106 0516aafe")
        == [.structure(type: 0x01, data: 2..<3), .declined(type: 0x16, .truncated(needs: 5, has: 3))])
  }

  @Test func aLengthWithNothingBehindItHasNoType() {
    #expect(elements("1e") == [.declined(type: nil, .truncated(needs: 30, has: 0))])
  }

  @Test func aStructureMayBeLongerThanALegacyPayload() {
    #expect(elements("ff16" + String(repeating: "00", count: 254)) == [.structure(type: 0x16, data: 2..<256)])
  }

  @Test func fieldsTellFlagsPowerAndName() {
    let payload = bytes("020106 020af4 04084142" + "43 0509e282ac21")
    let fields = AdvertisedFields(payload.span)
    #expect(fields.flags == 0x06)
    #expect(fields.txPower == -12)
    #expect(AdvertisedFields.localName(in: payload.span) == "€!")
  }

  @Test func aCompleteNameWinsWhicheverComesFirst() {
    #expect(name("0309 4142 020841") == "AB")
    #expect(name("020841 0309 4142") == "AB")
  }

  @Test func aNameCannotSteerATerminal() {
    #expect(name("06091b5b324a41") == "[2JA")
  }

  @Test func emptyFieldsAreNoFields() {
    let payload = bytes("0101 010a")
    #expect(AdvertisedFields(payload.span).flags == nil)
    #expect(AdvertisedFields(payload.span).txPower == nil)
  }
}
