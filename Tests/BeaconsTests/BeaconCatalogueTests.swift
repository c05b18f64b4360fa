import Beacons
import Core
import Testing

@Suite struct BeaconCatalogueTests {
  private let uuid: UInt128 = 0xF29D_C74A_DBBD_12DE_318A_C8B0_46DD_4425

  private func advertisement(_ address: UInt64 = 0xC100_0000_0001, rssi: Int8? = -70) -> Advertisement {
    Advertisement(
      receiver: ReceiverIndex(rawValue: 1), address: DeviceAddress(bits: address, kind: .random), rssi: rssi,
      time: MonotonicTime(nanoseconds: 1), wallTime: WallTime(nanoseconds: 2))
  }

  private func iBeacon(_ major: UInt16, _ minor: UInt16, power: String = "c5") -> [UInt8] {
    let numbers = hexadecimal(UInt128(major), octets: 2) + hexadecimal(UInt128(minor), octets: 2)
    return bytes(manufacturer("004c", "0215" + hexadecimal(uuid, octets: 16) + numbers + power))
  }

  @Test func theMostSpecificEntryNamesIt() {
    var catalogue = BeaconCatalogue(entries: [
      BeaconEntry(name: "fleet", pattern: .iBeacon(uuid: uuid)),
      BeaconEntry(name: "vans", pattern: .iBeacon(uuid: uuid, major: 1)),
      BeaconEntry(name: "van", pattern: .iBeacon(uuid: uuid, major: 1, minor: 2)),
      BeaconEntry(name: "tag", pattern: .address(0xC100_0000_0009)),
    ])
    var names: [String] = []
    var entries: [[Int32]] = []
    for (payload, address) in [
      (iBeacon(1, 2), 1), (iBeacon(1, 3), 1), (iBeacon(2, 2), 1), (iBeacon(1, 2), 0xC100_0000_0009),
    ] as [([UInt8], UInt64)] {
      guard let sighting = catalogue.see(advertisement(address), payload) else {
        Issue.record("not recognised")
        continue
      }
      names.append(catalogue.name(of: sighting.beacon))
      entries.append(catalogue.entries(of: sighting.beacon).map(\.rawValue))
    }
    #expect(names == ["van", "vans:1.3", "fleet:2.2", "tag"])
    #expect(entries == [[2, 1, 0], [1, 0], [0], [3]])
  }

  @Test func indicesAreDenseAndStay() {
    var catalogue = BeaconCatalogue(entries: [BeaconEntry(name: "fleet", pattern: .iBeacon(uuid: uuid))])
    let seen = [(1, 1), (1, 2), (1, 1), (1, 3), (1, 2)].map { major, minor in
      catalogue.see(advertisement(), iBeacon(major, minor))?.beacon.rawValue
    }
    #expect(seen == [0, 1, 0, 2, 1])
    #expect(catalogue.count == 3)
    #expect(catalogue.revision == 3)
  }

  /// Else nobody would learn of a beacon that became known in an advertisement named by another identity.
  @Test func revisionGrowsWithTheFirstSightingOfEach() {
    var catalogue = BeaconCatalogue(entries: [
      BeaconEntry(name: "fleet", pattern: .iBeacon(uuid: uuid)),
      BeaconEntry(name: "van", pattern: .iBeacon(uuid: uuid, major: 1, minor: 2)),
    ])
    #expect(catalogue.see(advertisement(), iBeacon(9, 9) + iBeacon(1, 2)).map(\.beacon.rawValue) == 1)
    #expect(catalogue.count == 2)
    #expect(catalogue.revision == 1)
    #expect(catalogue.see(advertisement(), iBeacon(9, 9)).map(\.beacon.rawValue) == 0)
    #expect(catalogue.revision == 2)
  }

  @Test func anUnknownDeviceGivesNoSighting() {
    var catalogue = BeaconCatalogue(entries: [BeaconEntry(name: "other", pattern: .iBeacon(uuid: 1))])
    #expect(catalogue.see(advertisement(), iBeacon(1, 2)) == nil)
    #expect(catalogue.count == 0)
  }

  @Test func aSightingCarriesSignalAndMeasuredPower() {
    var catalogue = BeaconCatalogue(entries: [BeaconEntry(name: "fleet", pattern: .iBeacon(uuid: uuid))])
    let sighting = catalogue.see(advertisement(rssi: nil), iBeacon(1, 2))
    #expect(sighting?.rssi == nil)
    #expect(sighting?.measuredPower == -59)
    #expect(sighting?.receiver.rawValue == 1)
    #expect(sighting?.time.nanoseconds == 1)
    #expect(sighting?.wallTime.nanoseconds == 2)
    #expect(
      catalogue.see(advertisement(), iBeacon(1, 2, power: "00"))?.measuredPower == nil)
  }

  private func advertisement(_ address: UInt64, at seconds: Int64) -> Advertisement {
    Advertisement(
      receiver: ReceiverIndex(rawValue: 1), address: DeviceAddress(bits: address, kind: .random), rssi: -70,
      time: .zero + .seconds(Double(seconds)), wallTime: WallTime(nanoseconds: 0))
  }

  @Test func `of several devices with one id, the one that was there first counts until it is silent`() {
    var catalogue = BeaconCatalogue(entries: [
      BeaconEntry(name: "tag", pattern: .iBeacon(uuid: uuid, major: 1, minor: 2))
    ])
    func hear(_ address: UInt64, _ seconds: Int64) -> Bool {
      catalogue.see(advertisement(address, at: seconds), iBeacon(1, 2)) != nil
    }
    for second in 0..<5 as Range<Int64> { #expect(hear(1, second) && hear(2, second)) }
    #expect(hear(1, 5) && !hear(2, 5))
    let twins = catalogue.takeTwins()
    #expect(twins.map { catalogue.name(of: $0.beacon) } == ["tag"])
    #expect((6..<20).map { hear(1, $0) }.allSatisfy { $0 })
    #expect((6..<20).map { hear(2, $0) }.allSatisfy { !$0 })
    // The first one is silent.
    #expect(!hear(2, 25) && hear(2, 31))
    // It comes back while the other one is heard.
    #expect(hear(1, 40) && !hear(2, 41) && hear(1, 42))
    #expect(catalogue.takeTwins().isEmpty)
  }

  @Test func `twins are told apart though the receiver that hears most hears only one of them`() {
    var catalogue = BeaconCatalogue(entries: [
      BeaconEntry(name: "tag", pattern: .iBeacon(uuid: uuid, major: 1, minor: 2))
    ])
    func hear(_ address: UInt64, at receiver: UInt16, _ second: Int64) {
      var heard = advertisement(address, at: second)
      heard.receiver = ReceiverIndex(rawValue: receiver)
      _ = catalogue.see(heard, iBeacon(1, 2))
    }
    for second in 0..<200 as Range<Int64> {
      hear(1, at: 1, second)
      hear(1, at: 2, second)
      hear(2, at: 2, second)
    }
    #expect(catalogue.takeTwins().count == 1)
  }

  @Test func `two devices of one id at two receivers are told once, and not one whose address changes`() {
    var catalogue = BeaconCatalogue(entries: [
      BeaconEntry(name: "tag", pattern: .iBeacon(uuid: uuid, major: 1, minor: 2))
    ])
    func hear(_ address: UInt64, at receiver: UInt16, _ second: Int64) {
      var heard = advertisement(address, at: second)
      heard.receiver = ReceiverIndex(rawValue: receiver)
      #expect(catalogue.see(heard, iBeacon(1, 2)) != nil)
    }
    // Two receivers hear one device, whose address changes, and the second one tells it up to ten sightings late.
    for second in 0..<2000 as Range<Int64> {
      hear(UInt64(second / 20), at: 1, second)
      hear(UInt64(max(second - second % 11, 0) / 20), at: 2, second)
    }
    #expect(catalogue.takeApart().isEmpty)
    for second in 2000..<3000 as Range<Int64> {
      hear(900, at: 1, second)
      hear(900, at: 3, second)
      for _ in 0..<second % 12 { hear(902, at: 2, second) }
    }
    #expect(catalogue.takeApart().map { catalogue.name(of: $0) } == ["tag"])
    #expect(catalogue.takeTwins().isEmpty)
  }

  @Test(arguments: 0..<12 as Range<Int64>)
  func `the one that was there first counts, whenever another receiver is considered`(before: Int64) {
    var catalogue = BeaconCatalogue(entries: [
      BeaconEntry(name: "tag", pattern: .iBeacon(uuid: uuid, major: 1, minor: 2))
    ])
    func hear(_ address: UInt64, at receiver: UInt16, _ second: Int64) -> Bool {
      var heard = advertisement(address, at: second)
      heard.receiver = ReceiverIndex(rawValue: receiver)
      return catalogue.see(heard, iBeacon(1, 2)) != nil
    }
    // One receiver hears both now and then, another one hears one of them all the time.
    for second in 0..<before { _ = hear(second % 2 == 0 ? 1 : 2, at: 1, second) }
    for second in 0..<250 as Range<Int64> { _ = hear(1, at: 2, before + second) }
    for second in 300..<600 as Range<Int64> { _ = (hear(2, at: 1, second), hear(1, at: 1, second)) }
    #expect(catalogue.takeTwins().map(\.address.bits) == [1])
    #expect(!hear(2, at: 1, 601) && hear(1, at: 1, 602))
  }

  @Test func `in the next run the same device counts, whichever is heard first`() throws {
    func entries() -> [BeaconEntry] {
      [BeaconEntry(name: "tag", pattern: .iBeacon(uuid: uuid, major: 1, minor: 2))]
    }
    var catalogue = BeaconCatalogue(entries: entries())
    func hear(_ address: UInt64, _ seconds: Int64) -> Bool {
      catalogue.see(advertisement(address, at: seconds), iBeacon(1, 2)) != nil
    }
    for second in 0..<10 as Range<Int64> { _ = (hear(1, second), hear(2, second)) }
    let beacon = BeaconIndex(rawValue: 0)
    let (twin, key) = (try #require(catalogue.twin(of: beacon)), catalogue.key(of: beacon))
    func restart(at second: Int64) {
      catalogue = BeaconCatalogue(entries: entries())
      _ = catalogue.adopt(keys: [(key, nil)])
      catalogue.restore(twin, of: beacon, at: .zero + .seconds(Double(second)))
    }
    restart(at: 60)
    for second in 60..<80 as Range<Int64> { #expect(!hear(2, second) && hear(1, second)) }
    #expect(catalogue.takeTwins().map(\.address.bits) == [1])
    // The first one is gone. Nobody is told of twins that are none.
    restart(at: 100)
    #expect(!hear(2, 105) && hear(2, 111) && hear(3, 112))
    #expect(catalogue.twin(of: beacon) == nil && catalogue.takeTwins().isEmpty)
  }

  /// A radio reports a wrong level now and then, in weeks more than three times.
  @Test func `a stated power is disbelieved after loud packets in a row only`() throws {
    var catalogue = BeaconCatalogue(entries: [
      BeaconEntry(name: "tag", pattern: .iBeacon(uuid: uuid, major: 1, minor: 2))
    ])
    // States -75 dBm.
    let payload = iBeacon(1, 2, power: "B5")
    func hear(_ rssi: Int8) throws -> Int8? {
      var heard = advertisement(1, at: 0)
      heard.rssi = rssi
      let sighting =
        catalogue.repeatedSighting(of: heard, payload: payload.span) ?? catalogue.see(heard, payload)
      let found = try #require(sighting)
      catalogue.remember(payload.span, of: found)
      return found.measuredPower
    }
    for _ in 0..<4 {
      #expect(try hear(-85) == -75 && hear(-30) == -75 && hear(-30) == -75)
    }
    #expect(try hear(-85) == -75 && hear(-30) == -75 && hear(-30) == -75 && hear(-30) == nil)
  }

  @Test func `a device whose address changes is no twin`() {
    var catalogue = BeaconCatalogue(entries: [
      BeaconEntry(name: "tag", pattern: .iBeacon(uuid: uuid, major: 1, minor: 2))
    ])
    for second in 0..<1000 as Range<Int64> {
      #expect(catalogue.see(advertisement(UInt64(second / 5 + 1), at: second), iBeacon(1, 2)) != nil)
    }
    #expect(catalogue.takeTwins().isEmpty)
  }

  /// −3, 1, 20, −19, −20, −25, −32; −96 and −112 dBm.
  @Test(arguments: ["fd", "01", "14", "ed", "ec", "e7", "e0", "a0", "90"])
  func `a power that no tag reaches, or no receiver would hear, is not believed, and told once`(
    power: String
  ) {
    var catalogue = BeaconCatalogue(entries: [BeaconEntry(name: "fleet", pattern: .iBeacon(uuid: uuid))])
    for minor in 1...3 as ClosedRange<UInt16> {
      #expect(catalogue.see(advertisement(), iBeacon(1, minor, power: power))?.measuredPower == nil)
    }
    #expect(catalogue.takeDisbelieved().map { catalogue.name(of: $0.beacon) } == ["fleet:1.1"])
    #expect(catalogue.takeDisbelieved().isEmpty)
  }

  @Test func `a power far below what is heard is believed until it is heard that loud three times in a row`()
  {
    var catalogue = BeaconCatalogue(entries: [BeaconEntry(name: "fleet", pattern: .iBeacon(uuid: uuid))])
    let payload = iBeacon(1, 2, power: "a6")  // −90 dBm
    func power(heard: Int8) -> Int8? { catalogue.see(advertisement(rssi: heard), payload)?.measuredPower }
    #expect([-90, -55, -48, -48, -51, -48, -48].map { power(heard: $0) } == Array(repeating: -90, count: 7))
    #expect(catalogue.takeDisbelieved().isEmpty)
    #expect(power(heard: -48) == nil)
    #expect(catalogue.takeDisbelieved().count == 1)
    #expect(power(heard: -90) == nil)
  }

  @Test func `a configured power is believed, whatever is stated and heard`() {
    var catalogue = BeaconCatalogue(entries: [
      BeaconEntry(name: "fleet", pattern: .iBeacon(uuid: uuid), measuredPower: -98)
    ])
    for _ in 0..<5 {
      #expect(catalogue.see(advertisement(rssi: -30), iBeacon(1, 2, power: "01"))?.measuredPower == -98)
    }
    #expect(catalogue.takeDisbelieved().isEmpty)
  }

  @Test func aConfiguredMeasuredPowerOverridesTheFrames() {
    var catalogue = BeaconCatalogue(entries: [
      BeaconEntry(name: "fleet", pattern: .iBeacon(uuid: uuid), measuredPower: -65),
      BeaconEntry(name: "van", pattern: .iBeacon(uuid: uuid, major: 1, minor: 2)),
      BeaconEntry(name: "car", pattern: .iBeacon(uuid: uuid, major: 1, minor: 3), measuredPower: -50),
    ])
    let powers = [2, 3, 4].map {
      catalogue.see(advertisement(), iBeacon(1, $0))?.measuredPower
    }
    #expect(powers == [-65, -50, -65])
  }

  @Test(
    arguments: [
      (1, "alt:02030405060708090a0b0c0d0e0f10fffe0001"), (15, "alt:10fffe0001"), (16, "alt:65534.1"),
      (17, "alt:fe0001"), (18, "alt:65534.1"), (19, "alt:01"),
      (20, "alt"),
    ])
  func aMembersNameAddsWhatItsRegionLeavesOpen(octets: Int, name: String) {
    let id: [UInt8] = (1...16).map { $0 } + [0xFF, 0xFE, 0, 1]
    var catalogue = BeaconCatalogue(entries: [
      BeaconEntry(name: "alt", pattern: .altBeacon(idPrefix: Array(id.prefix(octets))))
    ])
    let payload = bytes(manufacturer("0118", "beac0102030405060708090a0b0c0d0e0f10fffe0001c400"))
    #expect(catalogue.see(advertisement(), payload).map { catalogue.name(of: $0.beacon) } == name)
  }

  @Test func aRegionsNameMayBeLongAndOutsideASCII() {
    let region = String(repeating: "Füße ", count: 50)
    var catalogue = BeaconCatalogue(entries: [BeaconEntry(name: region, pattern: .iBeacon(uuid: uuid))])
    let sighting = catalogue.see(advertisement(), iBeacon(65535, 0))
    #expect(sighting.map { catalogue.name(of: $0.beacon) } == region + ":65535.0")
  }

  @Test func eddystoneAndAltBeaconRegions() {
    var catalogue = BeaconCatalogue(entries: [
      BeaconEntry(name: "eddy", pattern: .eddystoneUID(namespace: 0x0102_0304_0506_0708_090A)),
      BeaconEntry(name: "one", pattern: .eddystoneUID(namespace: 0x0102_0304_0506_0708_090A, instance: 1)),
      BeaconEntry(name: "alt", pattern: .altBeacon(idPrefix: (1...16).map { $0 })),
      BeaconEntry(name: "alts", pattern: .altBeacon(idPrefix: [1, 2])),
      BeaconEntry(name: "whole", pattern: .altBeacon(idPrefix: (1...16).map { $0 } + [0, 0, 0, 7])),
      BeaconEntry(name: "page", pattern: .eddystoneURL("https://goo.gl/")),
    ])
    let payloads = [
      service("feaa", "00ed0102030405060708090aaabbccddeeff"),
      service("feaa", "00ed0102030405060708090a000000000001"),
      manufacturer("0118", "beac0102030405060708090a0b0c0d0e0f1000010002c400"),
      manufacturer("0118", "beac0102ff0405060708090a0b0c0d0e0f1000010002c400"),
      manufacturer("0118", "beac0102030405060708090a0b0c0d0e0f1000000007c400"),
      service("feaa", "10ee03676f6f2e676c2f"),
    ]
    let names = payloads.map { payload in
      catalogue.see(advertisement(), bytes(payload)).map {
        catalogue.name(of: $0.beacon)
      }
    }
    #expect(
      names == [
        "eddy:aabbccddeeff", "one", "alt:1.2", "alts:ff0405060708090a0b0c0d0e0f1000010002", "whole", "page",
      ])
    #expect(
      catalogue.see(advertisement(), bytes(payloads[0]))?.measuredPower == -60,
      "Eddystone's power is at 0 m")
    #expect(catalogue.entries(of: BeaconIndex(rawValue: 4)).map(\.rawValue) == [4, 2, 3])
  }

  @Test func aConfiguredAddressMatchesAnyPayload() {
    var catalogue = BeaconCatalogue(entries: [
      BeaconEntry(name: "tag", pattern: .address(0xC100_0000_0001), measuredPower: -61)
    ])
    for payload in ["", "020106", "ff", manufacturer("0499", "05")] {
      let sighting = catalogue.see(advertisement(), bytes(payload))
      #expect(sighting?.beacon.rawValue == 0)
      #expect(sighting?.measuredPower == -61)
    }
  }

  @Test func aResolvedKeyNamesIt() {
    var catalogue = BeaconCatalogue(entries: [
      BeaconEntry(name: "fleet", pattern: .iBeacon(uuid: uuid)),
      BeaconEntry(name: "phone", pattern: .resolvingKey),
    ])
    let entry = BeaconEntryIndex(rawValue: 1)
    let sighting = catalogue.see(advertisement(), iBeacon(1, 2), resolved: entry)
    #expect(sighting.map { catalogue.name(of: $0.beacon) } == "phone")
    #expect(sighting?.measuredPower == -59)
    let unknown = BeaconEntryIndex(rawValue: 9)
    #expect(catalogue.see(advertisement(), [], resolved: unknown) == nil)
  }

  /// An identity beside a better known one counts for those who do not ask for the sender, and only while it is said.
  @Test func whatAKnownSenderSaysBesideCountsForWhoAsksForIt() {
    let entries = [
      BeaconEntry(name: "fleet", pattern: .iBeacon(uuid: uuid)),
      BeaconEntry(name: "phone", pattern: .resolvingKey),
      BeaconEntry(name: "page", pattern: .eddystoneURL("https://goo.gl/")),
    ]
    let phone = BeaconEntryIndex(rawValue: 1)
    var catalogue = BeaconCatalogue(entries: entries, watchers: [[0, 1], [0], [0]])
    func beside(_ catalogue: BeaconCatalogue) -> [String] {
      catalogue.beside.map { catalogue.name(of: $0.beacon) }
    }
    for _ in 0..<2 {
      let sighting = catalogue.see(advertisement(), iBeacon(1, 2), resolved: phone)
      #expect(sighting.map { catalogue.name(of: $0.beacon) } == "phone")
      #expect(beside(catalogue) == ["fleet:1.2"])
    }
    let revision = catalogue.revision
    _ = catalogue.see(advertisement(), [2, 1, 6], resolved: phone)
    #expect(beside(catalogue).isEmpty)
    // Nobody asks for this one who does not ask for the phone: it takes no place.
    _ = catalogue.see(advertisement(), bytes(service("feaa", "10ee03676f6f2e676c2f")), resolved: phone)
    #expect(beside(catalogue).isEmpty && catalogue.count == 2)
    // The less specific of two frames.
    let both = iBeacon(1, 2) + bytes(service("feaa", "10ee03676f6f2e676c2f"))
    let page = catalogue.see(advertisement(7), both)
    #expect(page.map { catalogue.name(of: $0.beacon) } == "page")
    #expect(beside(catalogue) == ["fleet:1.2"])
    #expect(catalogue.revision > revision)
    var plain = BeaconCatalogue(entries: entries)
    _ = plain.see(advertisement(), iBeacon(1, 2), resolved: phone)
    #expect(beside(plain).isEmpty && plain.count == 1)
  }

  @Test func theMoreSpecificOfTwoFramesWins() {
    var catalogue = BeaconCatalogue(entries: [
      BeaconEntry(name: "fleet", pattern: .iBeacon(uuid: uuid)),
      BeaconEntry(name: "one", pattern: .eddystoneUID(namespace: 1, instance: 1)),
    ])
    let both = iBeacon(1, 2) + bytes(service("feaa", "00ed00000000000000000001000000000001"))
    let sighting = catalogue.see(advertisement(), both)
    #expect(sighting.map { catalogue.name(of: $0.beacon) } == "one")
    #expect(sighting?.measuredPower == -60)
  }

  @Test func inventedMembersAreRefusedAndCountedAndCostConfiguredOnesNothing() {
    var catalogue = BeaconCatalogue(
      entries: [
        BeaconEntry(name: "fleet", pattern: .iBeacon(uuid: uuid)),
        BeaconEntry(name: "van", pattern: .iBeacon(uuid: uuid, major: 9, minor: 9)),
      ], limits: AdmissionLimits(members: 10))
    for minor in 0..<50 {
      _ = catalogue.see(advertisement(), iBeacon(1, UInt16(minor)))
    }
    #expect(catalogue.count == 10)
    #expect(catalogue.refused == 40)
    #expect(catalogue.see(advertisement(), iBeacon(9, 9)) != nil)
    #expect(catalogue.see(advertisement(), iBeacon(1, 3)) != nil)
  }

  @Test func newMembersAreAdmittedInABurstThenAtARate() {
    var catalogue = BeaconCatalogue(
      entries: [BeaconEntry(name: "fleet", pattern: .iBeacon(uuid: uuid))],
      limits: AdmissionLimits(burst: 20, perSecond: 20))
    var invented: UInt16 = 0
    func invent(_ count: Int, at seconds: Double) {
      for _ in 0..<count {
        invented += 1
        var heard = advertisement()
        heard.time = .zero + .seconds(seconds)
        _ = catalogue.see(heard, iBeacon(1, invented))
      }
    }
    invent(50, at: 1)
    #expect(catalogue.count == 20)
    invent(50, at: 2)
    #expect(catalogue.count == 30)
    invent(50, at: 1)
    #expect(catalogue.count == 30, "a clock that steps back gives nothing")
    invent(50, at: 100)
    #expect(catalogue.count == 50)
  }

  @Test func aRetiredBeaconsRowIsReused() {
    var catalogue = BeaconCatalogue(
      entries: [
        BeaconEntry(name: "fleet", pattern: .iBeacon(uuid: uuid)),
        BeaconEntry(name: "van", pattern: .iBeacon(uuid: uuid, major: 9, minor: 9), measuredPower: -50),
      ], limits: AdmissionLimits(members: 2))
    let address = advertisement(0xC100_0000_0005)
    let first = catalogue.see(address, iBeacon(1, 1))?.beacon
    let van = catalogue.see(advertisement(), iBeacon(9, 9))?.beacon
    let second = catalogue.see(advertisement(), iBeacon(1, 2))?.beacon
    let early = catalogue.see(advertisement(), iBeacon(1, 3))
    #expect(catalogue.isFull && early == nil)
    guard let first, let second, let van else {
      Issue.record("not recognised")
      return
    }
    catalogue.retire(van)
    #expect(catalogue.vacancyCount == 0, "configured, and no member")
    catalogue.retire(first)
    #expect(catalogue.vacancyCount == 1 && !catalogue.isFull)
    let nobodys = catalogue.begin(address)
    #expect(catalogue.owner(nobodys) == nil, "its readings are nobody's")
    let third = catalogue.see(advertisement(), iBeacon(1, 3))?.beacon
    #expect(third == first)
    #expect(catalogue.name(of: first) == "fleet:1.3")
    let stillNobodys = catalogue.begin(address)
    #expect(catalogue.owner(stillNobodys) == nil, "and not the next one's")
    let late = catalogue.see(address, iBeacon(1, 1))
    #expect(late == nil, "there is no room again")
    let secondAgain = catalogue.see(advertisement(), iBeacon(1, 2))?.beacon
    #expect(secondAgain == second)
    let thirdAgain = catalogue.see(advertisement(), iBeacon(1, 3))?.beacon
    #expect(thirdAgain == first)
    #expect(catalogue.count == 3)
    var next = BeaconCatalogue(entries: catalogue.entries)
    catalogue.retire(first)
    let adopted = next.adopt(catalogue)
    #expect(adopted.count { $0 == nil } == 1)
  }

  @Test func readingsWithoutIdentityGoToTheLastBeaconAtThatAddress() {
    var catalogue = BeaconCatalogue(entries: [BeaconEntry(name: "fleet", pattern: .iBeacon(uuid: uuid))])
    let telemetry = advertisement(0xC100_0000_0005)
    var recognition = catalogue.begin(telemetry)
    #expect(catalogue.owner(recognition) == nil)
    let beacon = catalogue.see(telemetry, iBeacon(1, 2))?.beacon
    recognition = catalogue.begin(telemetry)
    #expect(beacon != nil)
    #expect(catalogue.owner(recognition) == beacon)
    #expect(catalogue.sighting(recognition, of: telemetry) == nil, "it tells readings, not presence")
    #expect(catalogue.owner(catalogue.begin(advertisement(0xC100_0000_0006))) == nil)
  }

  @Test func keysFindTheSameBeaconsInAnotherRun() {
    let entries = [
      BeaconEntry(name: "fleet", pattern: .iBeacon(uuid: uuid)),
      BeaconEntry(name: "phone", pattern: .resolvingKey),
      BeaconEntry(name: "key phone", pattern: .address(0xC100_0000_0009)),
    ]
    var before = BeaconCatalogue(entries: entries)
    let van = before.see(advertisement(1), iBeacon(1, 2))?.beacon
    let tag = before.see(advertisement(0xC100_0000_0009), iBeacon(7, 7))?.beacon
    let recognition = before.begin(advertisement(3), resolved: BeaconEntryIndex(rawValue: 1))
    let phone = before.sighting(recognition, of: advertisement(3))?.beacon
    let keys = [van, tag, phone].compactMap(\.self).map { before.key(of: $0) }
    #expect(Set(keys).count == 3)
    var after = BeaconCatalogue(entries: entries.reversed())
    let strange = ["", "entry", "entry key fleet", "ibeacon 1 2 3", "nonsense \u{0}"]
    let adopted = after.adopt(keys: (keys + strange).map { ($0, nil) })
    #expect(adopted.prefix(3).map { $0.map { after.name(of: $0) } } == ["fleet:1.2", "key phone", "phone"])
    #expect(adopted.dropFirst(3).allSatisfy { $0 == nil })
    // Another address under the same name is another beacon.
    var moved = BeaconCatalogue(entries: [BeaconEntry(name: "key phone", pattern: .address(0xC100_0000_000A))]
    )
    #expect(moved.adopt(keys: keys.map { ($0, nil) }) == [nil, nil, nil])
  }

  @Test func asManyAddressesAreRememberedAsThereAreBeacons() {
    var catalogue = BeaconCatalogue(
      entries: [BeaconEntry(name: "fleet", pattern: .iBeacon(uuid: uuid))],
      limits: AdmissionLimits(burst: 100_000))
    var found = 0
    for round in 0..<2 {
      for sender in 0..<40_000 as Range<UInt64> {
        let beacon = catalogue.see(
          advertisement(sender &* 0x9E37_79B9 & 0xFFFF_FFFF_FFFF),
          iBeacon(UInt16(sender >> 8), UInt16(sender & 255)))
        #expect(beacon?.beacon.rawValue == Int32(sender))
      }
      guard round == 1 else { continue }
      for sender in 0..<40_000 as Range<UInt64> {
        let heard = advertisement(sender &* 0x9E37_79B9 & 0xFFFF_FFFF_FFFF)
        guard let owner = catalogue.owner(catalogue.begin(heard)) else { continue }
        #expect(owner.rawValue == Int32(sender))
        found += 1
      }
    }
    #expect(found > 34_000, "\(found)")
  }

  @Test func manyAddressesForgetTheOldestOnly() {
    var catalogue = BeaconCatalogue(entries: [BeaconEntry(name: "fleet", pattern: .iBeacon(uuid: uuid))])
    for sender in 0..<100_000 as Range<UInt64> {
      _ = catalogue.see(advertisement(sender), iBeacon(1, 1))
    }
    let last = advertisement(99_999)
    #expect(catalogue.owner(catalogue.begin(last)) != nil)
    let first = advertisement(0)
    #expect(catalogue.owner(catalogue.begin(first)) == nil)
    let kept = (90_000..<100_000 as Range<UInt64>).count { sender in
      catalogue.owner(catalogue.begin(advertisement(sender))) != nil
    }
    #expect(kept > 9_900)
  }
}

extension BeaconCatalogue {
  fileprivate mutating func see(
    _ advertisement: Advertisement, _ payload: [UInt8], resolved: BeaconEntryIndex? = nil
  ) -> Sighting? {
    sighting(of: advertisement, payload: payload.span, resolved: resolved)
  }
}
