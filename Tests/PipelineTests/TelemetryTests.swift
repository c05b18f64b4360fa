import Beacons
import Core
import Testing

@testable import Pipeline

@Suite struct TelemetryTests {
  private var telemetry = Telemetry(interval: .seconds(10))
  private let beacon = BeaconIndex(rawValue: 3)

  private func sighting(_ nanoseconds: Int64) -> Sighting {
    Sighting(
      beacon: beacon, receiver: ReceiverIndex(rawValue: 0), rssi: -60, measuredPower: nil,
      time: MonotonicTime(nanoseconds: nanoseconds), wallTime: WallTime(nanoseconds: 0))
  }

  /// Whether a sighting makes the state due; it is published at once.
  private mutating func isDue(at nanoseconds: Int64) -> Bool {
    let sighting = sighting(nanoseconds)
    telemetry.note(sighting)
    var due: [BeaconIndex] = []
    telemetry.takeDue(into: &due)
    for beacon in due { telemetry.published(beacon, heard: sighting.time) }
    #expect(due.allSatisfy { $0 == beacon })
    return !due.isEmpty
  }

  @Test mutating func aStateIsDueAtTheFirstSightingAndThenOncePerInterval() {
    let second = 1_000_000_000 as Int64
    #expect(isDue(at: 0))
    #expect(telemetry.takeNews() == [beacon])
    #expect(!isDue(at: 9 * second))
    #expect(isDue(at: 10 * second))
    #expect(!isDue(at: 19 * second))
    #expect(isDue(at: 21 * second))
    #expect(telemetry.takeNews() == [])
  }

  @Test mutating func aTransitionMakesItDueOnceAndAStrangerNever() {
    telemetry.setDue(beacon)
    #expect(!telemetry.hasDue)
    #expect(isDue(at: 0))
    telemetry.setDue(beacon)
    telemetry.setDue(beacon)
    var due: [BeaconIndex] = []
    telemetry.takeDue(into: &due)
    #expect(due == [beacon])
    telemetry.published(beacon, heard: .zero)
    #expect(telemetry.readings(of: beacon) == [])
    #expect(telemetry.readings(of: BeaconIndex(rawValue: 2)) == nil)
    #expect(telemetry.known == [beacon])
  }

  /// The first time there is stands for something else in the table.
  @Test(arguments: [Int64.min, Int64.min + 1, 0, Int64.max / 2]) mutating func anyTimeIsATimeLikeOthers(
    _ time: Int64
  ) {
    #expect(isDue(at: time))
    #expect(telemetry.readings(of: beacon) != nil)
    #expect(telemetry.takeNews() == [beacon])
    #expect(!isDue(at: time + 1))
    #expect(telemetry.takeNews() == [])
  }
}
