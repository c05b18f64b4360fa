import Core
import Testing

@testable import Web

/// A page gets what has changed, and no more.
struct ToldOverviewTests {
  private func changes(_ texts: String...) -> [String?] {
    var told = ToldOverview(Array(texts[0].utf8))
    return texts.dropFirst().map {
      told.changes(to: Array($0.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }
  }

  @Test func `what is the same is not told again`() {
    let text = #"{"v":1,"zones":[{"zone":"a","receivers":["hci0"],"beacons":[{"beacon":"k","near":true}]}]}"#
    #expect(changes(text, text) == [nil])
    #expect(
      changes(text, text.replacing("true", with: "false"))
        == [#"{"zones":{"of":{"a":{"beacons":{"of":{"k":{"near":false}}}}}}}"#])
    #expect(
      changes(text, text.replacing(#"["hci0"]"#, with: "null")) == [
        #"{"zones":{"of":{"a":{"receivers":null}}}}"#
      ])
  }

  @Test func `who comes is told whole, and who goes is no longer listed`() {
    let (a, b) = (#"{"beacon":"a","name":"x, \"y\""}"#, #"{"beacon":"b"}"#)
    #expect(
      changes(
        #"{"beacons":[\#(b)]}"#, #"{"beacons":[\#(a),\#(b)]}"#, #"{"beacons":[\#(b),\#(a)]}"#,
        #"{"beacons":[]}"#)
        == [#"{"beacons":{"of":{"a":\#(a)},"ids":["a","b"]}}"#, nil, #"{"beacons":{"of":{},"ids":[]}}"#])
    #expect(changes(#"{"room":"hall","x":1}"#, #"{"x":1}"#) == [#"{"-":["room"]}"#])
  }

  @Test func `small differences add up until they are told`() {
    let levels = [-60.0, -61, -61.5, -62.5, -61].map { #"{"beacons":[{"beacon":"a","rssi_dbm":\#($0)}]}"# }
    #expect(
      changes(levels[0], levels[1], levels[2], levels[3], levels[4])
        == [nil, nil, #"{"beacons":{"of":{"a":{"rssi_dbm":-62.5}}}}"#, nil])
    let times = ["00.000", "04.000", "05.000", "03.000"].map { #"{"last_seen":"2026-11-20T21:50:\#($0)Z"}"# }
    #expect(changes(times[0], times[1], times[2], times[3]) == [nil, times[2], times[3]])
    #expect(changes(#"{"distance_m":null}"#, #"{"distance_m":1}"#) == [#"{"distance_m":1}"#])
  }

  @Test func `evidence with receivers is a value, and decisions are told otherwise`() {
    let text = #"{"transitions":[{"id":"1"}],"because":{"receivers":[{"receiver":"r0"}]},"time":"0"}"#
    #expect(
      changes(text, #"{"transitions":[],"because":{"receivers":[]},"time":"1"}"#)
        == [#"{"because":{"receivers":[]}}"#])
  }
}
