import Phones
import TestSupport
import Testing

@Suite struct SeenEventTests {
  func read(_ text: String) throws -> SeenEvent {
    var reader = SeenEvent.Reader()
    return try reader.read(Array(text.utf8))
  }

  @Test(arguments: [
    (#"{"time":"2026-11-28T10:00:03.250Z","event":"near","beacon":"pump"}"#, SeenEvent.What.near),
    (#"{"event":"ranged","distance_m":3.5,"rssi":-61}"#, .ranged(distance: 3_500_000, rssi: -61)),
    (#"{"event":"ranged","distance_m":-1,"rssi":0}"#, .ranged(distance: nil, rssi: nil)),
    (#"{"event":"remaining","value":176.4}"#, .remaining(176_400)),
    (#"{"event":"remaining","value":1.7976931348623157e+308}"#, .remaining(nil)),
    (#"{"event":"remaining","value":null}"#, .remaining(nil)),
    (#"{"event":"scan-stop"}"#, .scan(false)), (#"{"event":"terminated"}"#, .terminated),
    (#"{"event":"background"}"#, .happened(.background)),
    (#"{"event":"permission","value":"denied","app":"Shop"}"#, .happened(.permission(.denied))),
    (#"{"event":"checkout","items":3}"#, .other("checkout")),
  ])
  func `A word of a timeline, and what only a phone can tell, is read from one object`(
    text: String, what: SeenEvent.What
  ) throws {
    #expect(try read(text).what == what)
  }

  @Test(arguments: [
    (#""2026-11-28T10:00:03.250Z""#, 1_795_860_003_250),
    (#""2026-11-28 11:00:03.250+01:00""#, 1_795_860_003_250),
    ("1795860003.25", 1_795_860_003_250), ("1795860003250", 1_795_860_003_250), ("0", 0),
  ])
  func `A time is RFC 3339, seconds or milliseconds since 1970`(text: String, time: Int64) throws {
    #expect(try read("{\"time\":\(text),\"event\":\"near\"}").time == time)
  }

  @Test func `Time and beacon may be missing, and a UUID is compared in lower case`() throws {
    #expect(try read(#"{"event":"near"}"#) == SeenEvent(time: nil, what: .near))
    #expect(try read(#"{"event":"near","beacon":"AB-C/1/2"}"#).beacon == "ab-c/1/2")
    #expect(try read(#"{"event":"near","beacon":"Pump"}"#).beacon == "Pump")
  }

  @Test(arguments: [
    ("", 0), ("near", 0), ("{}", 0), (#"{"event":3}"#, 9), (#"{"event":"near","time":"noon"}"#, 23),
    (#"{"event":"near","time":-1}"#, 23), (#"{"event":"near","time":1e15}"#, 23),
    (#"{"event":"remaining"}"#, 9),
    (#"{"event":"ranged","rssi":"loud"}"#, 25), (#"{"event":"near","event":"near"}"#, 16),
    (#"{"event":"near","beacon":""}"#, 25), (#"{"event":"permission","value":"maybe"}"#, 30),
  ])
  func `Everything else is refused with its place`(text: String, offset: Int) {
    #expect { try read(text) } throws: { ($0 as? SeenEvent.Fault)?.offset == offset }
  }

  @Test func `A long object is refused, and no bytes do harm`() {
    #expect(throws: SeenEvent.Fault.self) {
      try read(#"{"event":"near","x":""# + String(repeating: "y", count: 1024) + #""}"#)
    }
    var reader = SeenEvent.Reader()
    var random = SeededGenerator(61)
    let seed = Array(
      #"{"time":1795860003.25,"event":"begin-task","id":"a","beacon":"a/1/2","value":-9e18,"rssi":-3}"#.utf8)
    for _ in 0..<3000 {
      var bytes = seed
      for _ in 0..<3 { bytes[random.pick(Array(bytes.indices))] = UInt8.random(in: 0...255, using: &random) }
      _ = try? reader.read(bytes)
    }
  }
}
