import Beacons
import Configuration
import Contract
import Core
import Scenes
import Proximity
import Testing

@testable import Gateway

@Suite struct AirSurveyTests {
  /// A hostile radio has a new address each time.
  @Test func strangersDoNotHaveAllDevicesGoneThroughEachTime() throws {
    var survey = AirSurvey(try Scene.configuration(Scene.rules))
    let payload: [UInt8] = [2, 1, 6]
    var time = MonotonicTime.zero
    for number in 0..<200_000 as Range<UInt64> {
      time = .zero + .milliseconds(Int64(number))
      survey.observe(
        Advertisement(
          receiver: ReceiverIndex(rawValue: 0),
          address: DeviceAddress(bits: 0x4000_0000_0000 + number, kind: .random),
          rssi: -60, time: time, wallTime: WallTime(nanoseconds: 0)), payload: payload.span)
      #expect(survey.count <= AirSurvey.limit)
    }
    #expect(survey.searches <= 200)
    #expect(survey.searches > 1)
    #expect(survey.overlooked > 100_000)
    // Who has just come is there once others were forgotten.
    #expect(survey.listing(at: time).contains { time - $0.device.lastHeard < .seconds(70) })
  }

  private static func named(_ name: String) -> [UInt8] {
    [2, 1, 6, UInt8(name.utf8.count + 1), 9] + name.utf8
  }

  private func table(_ heard: [(address: UInt64, payload: [UInt8])]) throws -> (
    lines: [String], objects: [String]
  ) {
    var survey = AirSurvey(try Scene.configuration(Scene.rules))
    for (address, payload) in heard {
      survey.observe(
        Advertisement(
          receiver: ReceiverIndex(rawValue: 0), address: DeviceAddress(bits: address, kind: .random),
          rssi: -60,
          time: .zero, wallTime: WallTime(nanoseconds: 0)), payload: payload.span)
    }
    var table = ScanTable(StrangerNames(salt: "1"))
    table.showsAll = true
    return (table.lines(survey, at: .zero), table.objects(survey, at: .zero))
  }

  @Test func `what nobody decodes is known by its maker`() throws {
    let (lines, objects) = try table([
      (1, [2, 1, 6, 6, 0xFF, 0x87, 0x00, 1, 2, 3]), (2, [6, 0x16, 0x9F, 0xFE, 1, 2, 3]), (3, [2, 1, 6]),
      (4, Scene.iBeacon(minor: 9)), (5, [6, 0x16, 0x0A, 0x18, 1, 2, 3]),
    ])
    #expect(lines.count { $0.contains("– (Garmin Internationa") } == 1, "\(lines)")
    #expect(objects.count { $0.contains(#""vendor":"Google""#) } == 1, "\(objects)")
    // An iBeacon has Apple's number, whoever makes it.
    #expect(!objects.contains { $0.contains("Apple") } && objects.count { $0.contains("vendor") } == 2)
  }

  @Test func aStrangerWithAConfiguredNameIsToldApart() throws {
    let (lines, objects) = try table([
      (1, Scene.iBeacon(minor: 2)), (2, Self.named("fleet:1.2")), (3, Self.named("~a1b2c3")),
    ])
    #expect(lines.count { $0.hasPrefix("fleet:1.2 ") } == 1)
    #expect(lines.count { $0.hasPrefix("“fleet:1.2” ") } == 1)
    #expect(lines.count { $0.hasPrefix("“~a1b2c3” ") } == 1)
    #expect(objects.count { $0.contains(#""name":"fleet:1.2","configured":true"#) } == 1)
    #expect(objects.count { $0.contains(#""name":"fleet:1.2","configured":false"#) } == 1)
  }

  @Test func wideNamesKeepTheColumns() throws {
    // East Asian letters and pictures take two cells, marks none.
    let names = ["abcdefgh": 8, "かぎ": 4, "e\u{301}te\u{301}": 3, "🔑🔑": 4, "鍵a": 3]
    let (lines, _) = try table(
      names.keys.sorted().enumerated().map { (UInt64($0.offset + 1), Self.named($0.element)) })
    for (name, cells) in names {
      // Two quotes, a mark, and spaces up to the longest.
      let end = String(repeating: " ", count: 8 - cells) + "  –  "
      #expect(
        lines.contains { $0.hasPrefix("“\(name)” ~") && $0.dropFirst(name.count + 10).hasPrefix(end) },
        "\(lines)")
    }
  }

  @Test func `a stranger has one name in scan and on the page, and the same in each run`() throws {
    let device = Self.named("Tag 7")
    let (lines, _) = try table([(7, device), (8, [2, 1, 6])])
    let (again, _) = try table([(8, [2, 1, 6]), (7, device)])
    let named = try #require(lines.first { $0.hasPrefix("“Tag 7” ~") })
    let mark = named.dropFirst("“Tag 7” ".count).prefix(7)
    #expect(again.contains { $0.hasPrefix("“Tag 7” \(mark) ") })
    #expect(lines.contains { $0.hasPrefix("~") && !$0.hasPrefix(mark) })
    #expect(
      lines[0].split(separator: " ").map(String.init) == [
        "NAME", "FORMAT", "SIGNAL", "DISTANCE", "INTERVAL", "COUNT", "HEARD",
      ])
    #expect(lines.contains("0 beacons, 2 strangers"))
  }

  @Test func noNameSteersTheTerminal() throws {
    let (lines, _) = try table([(2, Self.named("a\u{2028}b\u{E000}\u{202E}\u{1B}c"))])
    #expect(lines[1].hasPrefix("“abc” "))
  }

  @Test func `scan tells of a power that cannot be true, and offers the line`() throws {
    var survey = AirSurvey(try Scene.configuration(Scene.rules))
    let payload = IBeacon(uuid: 0xFDA5, major: 1, minor: 7, measuredPower: -3).advertisingData
    survey.observe(
      Advertisement(
        receiver: ReceiverIndex(rawValue: 0), address: DeviceAddress(bits: 5, kind: .random), rssi: -60,
        time: .zero, wallTime: WallTime(nanoseconds: 0)), payload: payload.span)
    let table = ScanTable(StrangerNames(salt: "1"))
    let lines = table.lines(survey, at: .zero)
    #expect(lines[1].contains(" 1.5 m ") && lines.last?.contains("states -3 dBm at 1 m") == true, "\(lines)")
    #expect(table.configuration(survey, at: .zero)[1].contains("minor: 7 }, measured_power: -59 dBm }"))
    #expect(table.objects(survey, at: .zero)[0].contains(#""doubt":"states -3 dBm"#))
  }

  @Test func `what scanners hear is surveyed, with the line that configures it`() throws {
    var intake = ScannerIntake([Scanner(kind: .espresense)], ownGateway: "home", expected: [])
    var survey = AirSurvey(try Scene.configuration(Scene.rules))
    var hearing = Hearing()
    for (id, more) in [
      ("phone:anna", #","mac":"5a0000000001""#), ("tile:7", ""), ("apple:1005:9-24", ""),
      ("itag:c20000000002", #","mac":"c20000000002""#), ("rand:5a0000000003", #","mac":"5a0000000003""#),
      ("iBeacon:e2c56db5-dffb-48d2-b060-d0f5a71096e0-1-7", ""), ("irk:00112233445566778899aabbccddeeff", ""),
    ] {
      _ = intake.take(
        Array(#"{"id":"\#(id)","rssi":-60\#(more)}"#.utf8), topic: "espresense/devices/\(id)/kitchen",
        isRetained: false, at: .zero, wallTime: WallTime(nanoseconds: 0), into: &hearing)
    }
    survey.observe(hearing)
    let lines = ScanTable(StrangerNames(salt: "1")).configuration(survey, at: .zero).sorted()
    #expect(lines.count == 5, "\(lines)")
    #expect(lines[0].contains("{ name: anna, scanner_id: phone:anna }"))
    #expect(lines.contains { $0.contains("scanner_id: tile:7 }") })
    #expect(lines.contains { $0.contains("major: 1, minor: 7 } }") })
    #expect(lines.contains { $0.contains("{ name: itag-0002, scanner_id: itag:c20000000002 }") })
    #expect(survey.count == 6)
  }

  @Test func `a device that only a scanner's name identifies is ours, by name`() throws {
    let configuration = try Scene.configuration(
      """
      gateway: { name: home }
      broker: { url: "mqtt://broker.lan" }
      scanners: [{ kind: espresense }]
      beacons: [{ name: anna, scanner_id: "phone:anna" }]
      """)
    var intake = ScannerIntake(configuration.resolvedScanners, ownGateway: "home", expected: [])
    var survey = AirSurvey(configuration)
    var hearing = Hearing()
    _ = intake.take(
      Array(#"{"id":"phone:anna","rssi":-60,"mac":"5a0000000001"}"#.utf8),
      topic: "espresense/devices/phone:anna/kitchen", isRetained: false, at: .zero,
      wallTime: WallTime(nanoseconds: 0), into: &hearing)
    survey.observe(hearing)
    let table = ScanTable(StrangerNames(salt: "1"))
    #expect(table.lines(survey, at: .zero)[1].hasPrefix("anna  –  "))
    #expect(table.objects(survey, at: .zero).first?.contains(#""name":"anna","configured":true"#) == true)
    #expect(table.configuration(survey, at: .zero) == ["# every beacon heard is already configured"])
  }

  @Test func `a beacon that another gateway reports by key is one device with what our radio hears of it`()
    throws
  {
    let configuration = try Scene.configuration(Scene.rules)
    for hearsFirst in [true, false] {
      var survey = AirSurvey(configuration)
      var hearing = Hearing()
      hearing.observations = [Self.observation(at: .zero)]
      if hearsFirst { survey.observe(hearing) }
      survey.observe(
        Advertisement(
          receiver: ReceiverIndex(rawValue: 0), address: DeviceAddress(bits: 1, kind: .random), rssi: -60,
          time: .zero, wallTime: WallTime(nanoseconds: 0)), payload: Scene.iBeacon(minor: 2).span)
      survey.observe(hearing)
      #expect(survey.listing(at: .zero).map(\.device.beacon) == ["fleet:1.2"])
      #expect(survey.listing(at: .zero)[0].device.hasAddress)
    }
  }

  @Test func `a new device does not begin with the signal of one that went`() throws {
    var survey = AirSurvey(try Scene.configuration(Scene.rules))
    func hear(_ address: UInt64, _ rssi: Int8, _ payload: [UInt8]) {
      survey.observe(
        Advertisement(
          receiver: ReceiverIndex(rawValue: 0), address: DeviceAddress(bits: address, kind: .random),
          rssi: rssi, time: .zero, wallTime: WallTime(nanoseconds: 0)), payload: payload.span)
    }
    var hearing = Hearing()
    hearing.observations = [Self.observation(at: .zero)]
    survey.observe(hearing)
    // Its own address takes the place of the one that stood for it.
    hear(1, -50, Scene.iBeacon(minor: 2))
    hear(2, -90, [2, 1, 6])
    let stranger = try #require(survey.listing(at: .zero).first { $0.device.address.bits == 2 })
    #expect(stranger.estimate?.rssi == -90)
  }

  @Test func `a beacon that was forgotten comes back by key without its old address`() throws {
    var survey = AirSurvey(try Scene.configuration(Scene.rules))
    let late = MonotonicTime.zero + AirSurvey.forgetAfter + .seconds(1)
    for number in 1...UInt64(AirSurvey.limit + 1) {
      let payload = number == 1 ? Scene.iBeacon(minor: 2) : [2, 1, 6]
      survey.observe(
        Advertisement(
          receiver: ReceiverIndex(rawValue: 0), address: DeviceAddress(bits: number, kind: .random),
          rssi: -60, time: number == 1 ? .zero : late, wallTime: WallTime(nanoseconds: 0)),
        payload: payload.span)
    }
    var hearing = Hearing()
    hearing.observations = [Self.observation(at: late + AirSurvey.forgetAfter + .seconds(1))]
    survey.observe(hearing)
    let beacon = survey.listing(at: late).first { $0.device.beacon == "fleet:1.2" }?.device
    #expect(beacon?.hasAddress == false && beacon?.address.bits != 1)
  }

  private static func observation(at time: MonotonicTime) -> Observation {
    Observation(
      key: "ibeacon f29dc74adbbd12de318ac8b046dd4425 1 2", receiver: ReceiverIndex(rawValue: 0), rssi: -50,
      time: time, wallTime: WallTime(nanoseconds: 0))
  }

  @Test func `a tag without a beacon's format is offered by its address to who asks for all`() throws {
    var survey = AirSurvey(try Scene.configuration(Scene.rules))
    let payload = Self.named("Tag 7")
    survey.observe(
      Advertisement(
        receiver: ReceiverIndex(rawValue: 0), address: DeviceAddress(bits: 0xC100_0000_0007, kind: .random),
        rssi: -60, time: .zero, wallTime: WallTime(nanoseconds: 0)), payload: payload.span)
    var table = ScanTable(StrangerNames(salt: "1"))
    #expect(table.configuration(survey, at: .zero) == ["# every beacon heard is already configured"])
    table.showsAll = true
    #expect(
      table.configuration(survey, at: .zero).last?.hasPrefix(
        #"  - { name: Tag7, address: "C1:00:00:00:00:07" }"#) == true)
  }
}
