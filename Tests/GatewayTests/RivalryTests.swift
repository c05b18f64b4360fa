import Contract
import Scenes
import Testing

@testable import Gateway

@Suite("Two gateways of one name") struct RivalryTests {
  private func run(_ name: String, started: Int, said: Int) -> InstanceMessage {
    InstanceMessage(
      instance: name, started: "2026-11-20T10:00:\(started).000Z", time: "2026-11-20T11:00:\(said).000Z")
  }

  private func payload(_ message: InstanceMessage) -> [UInt8] {
    message.message(topics: Topics(gateway: "home")).payload
  }

  @Test func theYoungerGivesWayOnceTheOlderHasShownThatItIsAlive() {
    var younger = Rivalry(own: run("b", started: 20, said: 20))
    #expect(younger.read(payload(run("a", started: 10, said: 10)), isRetained: true) == .nothing)
    #expect(younger.read(payload(run("b", started: 20, said: 20)), isRetained: false) == .nothing)
    #expect(
      younger.read(payload(run("a", started: 10, said: 21)), isRetained: true)
        == .newer(since: "2026-11-20T10:00:10.000Z"))
  }

  /// One line of `mosquitto_pub` must not end a gateway.
  @Test func aSingleMessageEndsNobodyAndASecondOneDoes() {
    var younger = Rivalry(own: run("b", started: 20, said: 20))
    #expect(younger.read(payload(run("a", started: 10, said: 21)), isRetained: false) == .unproven)
    #expect(younger.read(payload(run("a", started: 10, said: 21)), isRetained: false) == .nothing)
    #expect(
      younger.read(payload(run("a", started: 10, said: 22)), isRetained: false)
        == .newer(since: "2026-11-20T10:00:10.000Z"))
  }

  @Test func theOlderStaysAndSaysThatItIsThere() {
    var older = Rivalry(own: run("a", started: 10, said: 10))
    #expect(older.read(payload(run("b", started: 20, said: 20)), isRetained: false) == .older)
    #expect(older.read(payload(run("b", started: 20, said: 20)), isRetained: false) == .nothing)
    #expect(older.read(payload(run("b", started: 20, said: 25)), isRetained: true) == .older)
  }

  /// A broker that was killed comes back with what an earlier run left.
  @Test func retainedMessagesOfAnEarlierRunAreNoRival() {
    var rivalry = Rivalry(own: run("b", started: 20, said: 20))
    for _ in 0..<5 {
      #expect(rivalry.read(payload(run("a", started: 10, said: 10)), isRetained: true) == .nothing)
    }
  }

  @Test func anOldRetainedMessageIsNoSignOfLife() {
    var rivalry = Rivalry(own: run("b", started: 20, said: 20))
    for said in [19, 12, 19, 15, 19] {
      #expect(rivalry.read(payload(run("a", started: 10, said: said)), isRetained: true) == .nothing)
    }
    #expect(
      rivalry.read(payload(run("a", started: 10, said: 21)), isRetained: true)
        == .newer(since: "2026-11-20T10:00:10.000Z"))
  }

  @Test(arguments: [
    "", "{}", "[]", #"{"instance":1}"#, #"{"instance":"","started":"","time":""}"#, "{\"v\":1",
    #"{"instance":"b","started":"c","time":4}"#, #"{"instance":"\ud800","started":"c","time":"d"}"#,
    #"{"instance":"a","started":"0","time":"0"}"#, #"{"instance":"b","started":"c"}"#,
    #"{"instance":"b","started":"c","time":"d"},"#,
    #"{"instance":"b","started":"c","time":"d","x":1e999}"#,
    #"{"instance":"b","started":"c","time":"d","x":\#(String(repeating: "[", count: 900))}"#,
    #"{"instance":1,"instance":"b","started":"c","time":"d"}"#,
  ])
  func invalidMessagesAreIgnored(_ text: String) {
    var rivalry = Rivalry(own: run("b", started: 20, said: 20))
    #expect(rivalry.read(Array(text.utf8), isRetained: false) == .nothing)
  }
}
