import Beacons
@testable import Configuration
import Contract
import Core
import Proximity
import Testing

@testable import Pipeline

/// A worker of a fleet remembers what each receiver hears of each beacon only where something depends on it.
@Suite struct LinkTests {
  @Test(arguments: 0..<48 as Range<UInt64>) func leanDecidesTheSame(seed: UInt64) {
    var site = RandomSite(seed: seed)
    if !seed.isMultiple(of: 4) {
      site.configuration.zones.removeAll { $0.rooms == nil }
      site.configuration.phones = []
      site.configuration.homeAssistant.rooms = nil
    }
    var whole = Pipeline(site.configuration, limits: site.limits)
    var lean = Pipeline(site.configuration, limits: site.limits, isLean: true)
    let agrees = (0..<1500).allSatisfy { _ in
      let event = site.next()
      return decisions(whole.say(to: event)) == decisions(lean.say(to: event))
    }
    #expect(agrees)
  }

  /// Not the states: those of a beacon say its signal and distance, and come when a receiver hears it no more, and what else is due by
  /// then is told with them. So what is due at several times of one step comes in another order.
  private func decisions(_ said: [String]) -> [String] {
    said.filter { line in
      ["/enter ", "/exit ", "/near ", "/event ", "/window ", "/verdict "].contains { line.contains($0) }
    }
    .sorted()
  }

  @Test func aBeaconInNoZoneIsWithTheReceiverThatHearsItBest() throws {
    var configuration = Configuration(gatewayName: "site")
    configuration.beacons = [BeaconSettings(name: "tag", pattern: .address(0xC100_0000_0001))]
    configuration.rooms = ["north", "south"].map { RoomSettings(name: $0, receivers: [$0]) }
    var pipeline = Pipeline(configuration, isLean: true)
    var output = Pipeline.Output()
    var heard: Sighting?
    let nothing: [UInt8] = []
    let (north, south) = (pipeline.receiver("north"), pipeline.receiver("south"))
    for second in 0..<9 as Range<Int64> {
      for (receiver, rssi) in [(south, -55), (north, -88)] {
        heard = pipeline.observe(
          Advertisement(
            receiver: try #require(receiver), address: DeviceAddress(bits: 0xC100_0000_0001, kind: .random),
            rssi: Int8(rssi), time: .zero + .seconds(Double(second)),
            wallTime: WallTime(nanoseconds: second * 1_000_000_000)),
          payload: nothing.span, into: &output)
      }
    }
    pipeline.advance(to: .zero + .seconds(10), into: &output)
    let beacon = try #require(heard).beacon
    let state = try #require(pipeline.state(of: beacon))
    #expect(state.receiver == "south")
    #expect(state.estimate == nil)
    #expect(state.room == .some("south"))
  }
}
