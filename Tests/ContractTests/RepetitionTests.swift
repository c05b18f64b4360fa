import Beacons
import Testing

@testable import Contract

@Suite("Devices that a scanner reports again with the same time") struct RepetitionTests {
  private static let yaml = """
    scanners: [{ kind: json, topic: "own/{receiver}", fields: { address: mac, rssi: rssi, time: time } }]
    """

  private func say(_ desk: inout Desk, time: String) {
    desk.say("own/kitchen", #"{"mac":"c10000000001","rssi":-60,"time":"\#(time)"}"#)
  }

  @Test func aClockThatStandsStillIsNamedAndWhatIsLostByItCounted() throws {
    var desk = try Desk(Self.yaml)
    for _ in 0..<30 { say(&desk, time: "1970-01-01T00:00:00Z") }
    #expect(desk.heard.count == 1)
    #expect(desk.refused(.repeated) == 29)
    #expect(desk.changes == ["kitchen ok"])
    #expect(
      desk.hearing.notices == [
        "refused on own/+: what came already, or is older: the same batch, one from before it, or a device with the same time; if all of it is, the sender's clock stands still (counted in health; the first on own/kitchen)"
      ])
  }

  @Test func aClockThatGoesLosesNothing() throws {
    var desk = try Desk(Self.yaml)
    for second in 0..<30 { say(&desk, time: "\(second)") }
    #expect(desk.heard.count == 30)
    #expect(desk.refused(.repeated) == 0)
  }
}
