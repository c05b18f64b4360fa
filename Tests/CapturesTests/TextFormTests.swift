import Beacons
import Captures
import Core
import TestSupport
import Testing

struct TextFormTests {
  static let line =
    #"{"t": 1700000000.123456789, "receiver": "hci0", "address": "C1:00:00:00:00:01", "address_type": "random", "rssi": -72, "payload": "02011a0303aafe"}"#

  static func line(_ change: (String, String)) -> String {
    line.split(separator: change.0, omittingEmptySubsequences: false).joined(separator: change.1)
  }

  @Test func readsAnAdvertisement() {
    let heard = Heard(text: Self.line + "\n")
    #expect(heard.error == nil)
    #expect(
      heard.items == [
        Heard.Item(
          receiver: "hci0", address: "C1:00:00:00:00:01", rssi: -72, payload: EventBytes.payload,
          wallNanoseconds: 1_700_000_000_123_456_789, nanoseconds: 0)
      ])
  }

  @Test func allMissingFieldsAreReportedTogether() {
    let heard = Heard(text: #"{"rssi": -70}"# + "\n")
    let told = "\(heard.error.map { "\($0)" } ?? "")"
    for key in ["t", "receiver", "address", "address_type", "payload"] {
      #expect(told.contains("\"\(key)\""), "\(told)")
    }
  }

  @Test func theLastLineNeedsNoEndAndLinesMayBeBlank() {
    let heard = Heard(text: "\u{FEFF}\(Self.line)\r\n\n  \n\(Self.line)")
    #expect(heard.error == nil)
    #expect(heard.items.count == 2)
  }

  @Test(arguments: [
    ("1700000000", Int64(1_700_000_000_000_000_000)), ("1.7e9", 1_700_000_000_000_000_000),
    ("17E+8", 1_700_000_000_000_000_000), ("1700000000.5", 1_700_000_000_500_000_000),
    ("1700000000.0000000004", 1_700_000_000_000_000_000), ("0.0000000005", 1), ("0", 0),
    ("-1.5", -1_500_000_000),
    ("0.1", 100_000_000), ("1e-400", 0), ("0e999999999999", 0),
    ("1700000000.12345678901234567890123456789", 1_700_000_000_123_456_789),
  ])
  func timeKeepsItsNanoseconds(text: String, expected: Int64) {
    let heard = Heard(text: Self.line(("1700000000.123456789", text)))
    #expect(heard.error == nil)
    #expect(heard.items.map(\.wallNanoseconds) == [expected])
  }

  @Test(arguments: [
    "1e10", "1e99999999999999999999", "99999999999999999999999999", "-1e300", "NaN", "Infinity", "\"1\"",
    "01",
    "1.", ".5", "+1", "0x10", "1e", "-", "null", "",
  ])
  func anInvalidTimeIsRefused(text: String) {
    let heard = Heard(text: Self.line + "\n" + Self.line(("1700000000.123456789", text)))
    #expect(heard.items.count == 1)
    #expect(heard.error?.place == .line(2))
  }

  @Test func unknownSignalIsNull() {
    for text in ["null", "127"] {
      let heard = Heard(text: Self.line(("-72", text)))
      #expect(heard.items.map(\.rssi) == [nil])
    }
    #expect(Heard(text: Self.line(("-72", "-72.0"))).items.map(\.rssi) == [-72])
    #expect(Heard(text: Self.line(("-72", "12"))).items.map(\.rssi) == [12])
    for text in ["-129", "128", "-72.5", "1e30", "\"-72\"", "true"] {
      #expect(
        Heard(text: Self.line(("-72", text))).error?.message.contains("rssi") == true || text.first == "\""
          || text == "true")
      #expect(Heard(text: Self.line(("-72", text))).items.isEmpty)
    }
  }

  @Test func healthComesInItsPlace() {
    let gone =
      #"{"t": 1700000001, "receiver": "hci0", "health": "gone", "reason": "unplugged \u00e9 \ud83d\ude00"}"#
    let heard = Heard(text: [Self.line, gone, Self.line, gone, gone].joined(separator: "\n"))
    #expect(heard.error == nil)
    #expect(heard.health.map(\.health) == [.gone, .gone, .gone])
    #expect(heard.healthPlaces == [1, 2, 2])
    #expect(heard.health.first?.reason == "unplugged é 😀")
    #expect(heard.health.first?.time.nanoseconds == 876_543_211)
  }

  private static let told =
    #"{"t": 1700000000.25, "receiver": "hall/hci0", "rssi": -61, "measured_power": -59, "beacon": "entry address c10000000001 \u00e9"}"#

  @Test func aLineMayKnowABeaconByItsKeyAlone() {
    let heard = Heard(text: [Self.line, Self.told, Self.line].joined(separator: "\n"))
    #expect(heard.error == nil && heard.items.count == 2)
    #expect(heard.observations.map(\.key) == ["entry address c10000000001 é"])
    #expect(heard.observations.map(\.rssi) == [-61] && heard.observations.map(\.measuredPower) == [-59])
    #expect(heard.observations.first?.time.nanoseconds == 126_543_211)
    #expect(heard.receivers == ["hci0", "hall/hci0"])
  }

  @Test func anAdvertisementMayHaveAKeyBeaconOfItsOwn() {
    let heard = Heard(text: Self.line(("\"rssi\"", #""beacon": "mine", "rssi""#)))
    #expect(heard.error == nil && heard.items.count == 1 && heard.observations.isEmpty)
  }

  @Test(arguments: [
    (#""beacon": """#, "between 1 and 200"),
    (#""beacon": "\#(String(repeating: "x", count: 201))""#, "between 1 and 200"),
    (#""beacon": "\#(String(repeating: "x", count: 5000))""#, "between 1 and 200"),
    (#""beacon": 1"#, ""), (#""beacon": "\ud800""#, ""), (#""beacon": "a", "beacon": "a""#, "twice"),
    (#""beacon": "a", "measured_power": 0.5"#, "measured_power"), (#""beacon": "a", "rssi": 200"#, "rssi"),
    (#""beacon": "a", "address_type": "random""#, "\"payload\""),
  ])
  func aWrongKeyIsRefusedWithItsLine(fields: String, words: String) {
    let heard = Heard(text: "\(Self.told)\n{\"t\": 1700000001, \"receiver\": \"hci0\", \(fields)}\n")
    #expect(heard.observations.count == 1 && heard.error?.place == .line(2))
    #expect(heard.error?.message.contains(words) == true || words.isEmpty, "\(heard.error as Any)")
  }

  @Test func aKeyNeedsAReceiverAndATime() {
    for (line, missing) in [
      (#"{"t": 1, "beacon": "a"}"#, "receiver"), (#"{"receiver": "hci0", "beacon": "a"}"#, "\"t\""),
    ] {
      #expect(Heard(text: line).error?.message.contains(missing) == true)
    }
  }

  @Test func everyHealthHasItsWord() {
    for health in ReceiverHealth.allCases {
      let heard = Heard(text: #"{"t": 1, "receiver": "hci0", "health": "\#(health.rawValue)"}"#)
      #expect(heard.health.map(\.health) == [health])
    }
    #expect(
      Heard(text: #"{"t": 1, "receiver": "hci0", "health": "tired"}"#).error?.message.contains("deaf") == true
    )
  }

  @Test func unknownKeysAreIgnored() {
    let extra = #""a": {"b": [1, {"c": "}"}, true, false, null, -1e5]}, "d": "\"\\", "#
    #expect(Heard(text: Self.line(("\"rssi\"", extra + "\"rssi\""))).items.count == 1)
  }

  @Test func optionalFieldsOfExtendedAdvertising() {
    let text = Self.line(("\"rssi\"", #""tx_power": -4, "phy": "coded", "scan_response": true, "rssi""#))
    #expect(Heard(text: text).error == nil)
  }

  @Test(arguments: [
    #"{"#, #"{}"#, #"[]"#, #"{"t"}"#, #"{"t":1,}"#, #"{"t":1}"#, #"{"t":1} x"#, #"{"t":1"#, #"{"a":"#,
    #"{"a":tru}"#,
    #"{"a":"\u00"}"#, #"{"t":1,"t":1}"#, "{\"a\":\"\u{1}\"}", #"{"a":[1,]}"#, #"{"a":{"b":}}"#, #"{"a" 1}"#,
    #"{"a":"b"#,
    #"{"a":"b\"#, #"{"t":1,"receiver":"\ud800","health":"ok"}"#, #"{"t":1,"receiver":"","health":"ok"}"#,
    #"{"t":1,"health":"ok"}"#, #"{"t":1,"receiver":"\q","health":"ok"}"#,
  ])
  func malformedLinesAreRefusedWithTheirNumber(text: String) {
    // An unknown key's escapes are not looked at.
    if text == #"{"a":"\u00"}"# { return }
    let heard = Heard(text: "\(Self.line)\n\(text)\n\(Self.line)")
    #expect(heard.items.count == 1)
    #expect(heard.error?.kind == .damaged)
    #expect(heard.error?.place == .line(2))
  }

  @Test(arguments: [
    ("02011a", "02011"), ("02011a", "0g011a"), ("C1:00", "C1_00"), ("C1:00", "G1:00"), ("random", "often"),
    ("\"payload\"", "\"load\""), ("\"address\"", "\"a\""), ("\"address_type\"", "\"a\""),
    ("\"receiver\"", "\"a\""),
    ("hci0", "\u{0}"),
  ])
  func wrongFieldsAreRefused(change: (String, String)) {
    let heard = Heard(text: Self.line(change))
    #expect(heard.items.isEmpty)
    #expect(heard.error?.place == .line(1))
  }

  @Test func deepNestingIsRefused() {
    let deep = String(repeating: "[", count: 20_000)
    let heard = Heard(text: Self.line(("\"rssi\"", "\"a\": \(deep), \"rssi\"")))
    #expect(heard.error?.message.contains("nested") == true)
  }

  @Test func receiversMustBeUTF8() {
    var bytes = Array(Self.line.utf8)
    let index = bytes.firstIndex(of: UInt8(ascii: "h"))!
    bytes[index] = 0xFF
    #expect(Heard(bytes).error?.message.contains("UTF-8") == true)
  }

  @Test func aLineWithoutEndIsRefused() {
    #expect(
      Heard(text: "{" + String(repeating: " ", count: 400_000)).error?.message.contains("longer than") == true
    )
  }

  @Test func receiversAreBounded() {
    let lines = (0...4096).map { Self.line(("hci0", "r\($0)")) }
    let heard = Heard(text: lines.joined(separator: "\n"))
    #expect(heard.items.count == 4096)
    #expect(heard.error?.place == .line(4097))
  }

  @Test func aTruncatedFileYieldsItsCompleteRecords() {
    let file = Array((Self.line + "\n" + Self.line + "\n").utf8)
    let length = Self.line.utf8.count
    for cut in 1..<file.count {
      let heard = Heard(Array(file[..<cut]))
      #expect(heard.items.count == (cut >= 2 * length + 1 ? 2 : cut >= length ? 1 : 0))
      let isWhole = cut == length || cut == length + 1 || cut == 2 * length + 1
      #expect((heard.error?.kind == .truncated) != isWhole)
    }
  }
}
