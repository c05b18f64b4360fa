import Phones
import TestSupport
import Testing

@Suite struct TimelineFileTests {
  func faults(_ text: String) -> [TimelineFault] { TimelineFile(Array(text.utf8)).faults }

  @Test func waypointsAndEventsInAnyOrder() {
    let file = TimelineFile(
      Array(
        """
        {"t":50,"distance_m":0}
        {"event":"background","t":3}

        {"t":0, "distance_m":50}
        {"t":4,"event":"begin-task","id":"a","granted":false}
        """.utf8))
    #expect(file.faults.isEmpty)
    let timeline = file.timeline()
    #expect(timeline.end == 50_000)
    #expect(timeline.start == .foreground)
    #expect(timeline.distance(at: 46_000) == 4)
    #expect(timeline.entries.map(\.time) == [0, 3000, 4000, 50_000])
  }

  @Test(arguments: [
    (#"{"t":0,"event":"backgroud"}"#, 16), (#"{"t":-1,"event":"background"}"#, 6),
    (#"{"t":1e99,"distance_m":1}"#, 6),
    (#"{"t":1,"distance_m":"x"}"#, 21), (#"{"t":1 "distance_m":3}"#, 8), (#"{"time":1}"#, 2),
    (#"{"t":1,"t":2}"#, 8),
    (#"{"t":1}"#, 1), (#"{"distance_m":1}"#, 1), (#"[1]"#, 1), (#"{"t":1,"distance_m":[1]}"#, 21),
    (#"{"t":1"#, 7),
    (#"{"t":1,"event":"permission","value":"maybe"}"#, 37), (#"{"t":0,"event":"a"#, 18), ("{\"t\":0}x", 8),
    (#"{"t":0,"event":"debugger","value":3}"#, 35), ("\u{FEFF}{\"t\":0}", 1),
  ])
  func aBadLineIsReportedWithItsPosition(line: String, column: Int) {
    let faults = faults("{\"t\":0,\"distance_m\":1}\n\(line)\n")
    #expect(faults.map(\.line) == [2])
    #expect(faults.map(\.column) == [column])
  }

  @Test func faultsAreBounded() {
    #expect(faults(String(repeating: "x\n", count: 1000)).count == 20)
  }

  @Test func bytesThatAreNoTextDoNoHarm() {
    var random = SeededGenerator(1)
    let seed = Array(#"{"t":0,"event":"begin-task","id":"a","value":null,"granted":true}"#.utf8)
    for _ in 0..<3000 {
      var bytes = seed
      for _ in 0..<3 { bytes[random.pick(Array(bytes.indices))] = UInt8.random(in: 0...255, using: &random) }
      let file = TimelineFile(bytes)
      #expect(file.faults.isEmpty != file.isEmpty)
    }
  }

  @Test func amounts() {
    #expect(Amount.approach("50m@1.4m/s").map { [$0.distance, $0.speed] } == [50_000_000, 1_400_000])
    #expect(Amount.duration("3min") == 180_000)
    #expect(Amount.duration("1.5 s") == 1500)
    #expect(Amount.distance("4 m") == 4_000_000)
    #expect(Amount.duration("0") == 0)
    for bad in [
      "", "m", "-1s", "1e400s", "1 parsec", "nan", "infinity", "99999999999d", "1.2.3s", "4", "0.5",
    ] {
      #expect(Amount.duration(bad) == nil, "\(bad)")
    }
    #expect(Amount.approach("50m") == nil)
    #expect(Amount.approach("50m@0m/s") == nil)
  }

  @Test func everyConstantCanBeSetByNameAndTold() throws {
    var profile = Walk(os: "ios17", strategy: "activity-session").profile
    for name in PhoneProfile.rules.map(\.name) {
      let told = try #require(profile.told(name))
      #expect(try profile.set(name, to: told.value, source: "test", confidence: .low))
      #expect(profile.told(name)?.value == told.value)
      #expect(profile.told(name)?.source == .user("test"))
      #expect(throws: ConstantError.self) {
        _ = try profile.set(name, to: "quite a lot", source: "test", confidence: .low)
      }
    }
    #expect(try !profile.set("no_such", to: "1", source: "test", confidence: .low))
  }

  @Test func everyConstantThatAnOutcomeHangsOnExists() {
    let profile = Walk().profile
    for reason in Reason.allCases {
      for name in reason.constants { #expect(profile.told(name) != nil, "\(name)") }
    }
  }
}
