import TestSupport
import Testing

@testable import Phones

@Suite struct WakePlanTests {
  private typealias Broadcast = WakePlan.Broadcast

  private static func plan(_ period: Int64, _ broadcasts: [(region: Int, start: Int64, duration: Int64)])
    throws
    -> WakePlan
  {
    try WakePlan(
      period: period,
      broadcasts: broadcasts.map { Broadcast(region: $0.region, start: $0.start, duration: $0.duration) })
  }

  @Test func regionsComeAndGoOverAndOver() throws {
    let plan = try Self.plan(100, [(0, 0, 30), (1, 50, 20)])
    for round in Int64(0)..<3 {
      let start = round * 100
      #expect(plan.onAir(at: start) == .init(regions: RegionSet([0]), until: start + 30))
      #expect(plan.onAir(at: start + 29) == .init(regions: RegionSet([0]), until: start + 30))
      #expect(plan.onAir(at: start + 30) == .init(regions: RegionSet(), until: start + 50))
      #expect(plan.onAir(at: start + 50) == .init(regions: RegionSet([1]), until: start + 70))
      #expect(plan.onAir(at: start + 99) == .init(regions: RegionSet(), until: start + 100))
    }
    #expect(plan.regions == 2 && plan.mostAtOnce == 1 && plan.airTime == 50)
  }

  @Test func aBroadcastGoesOnPastTheEndOfThePeriodFromTheFirstOneOn() throws {
    let plan = try Self.plan(100, [(0, 80, 40), (1, 10, 5)])
    #expect(plan.onAir(at: 0) == .init(regions: RegionSet([0]), until: 10))
    #expect(plan.onAir(at: 12) == .init(regions: RegionSet([0, 1]), until: 15))
    #expect(plan.onAir(at: 80) == .init(regions: RegionSet([0]), until: 110))
    #expect(plan.mostAtOnce == 2 && plan.airTime == 45)
  }

  @Test func aConstantBroadcastNeverChanges() throws {
    for start in [Int64(0), 40] {
      let plan = try Self.plan(100, [(0, start, 100)])
      for time in [Int64(0), 39, 40, 99, 100, 12_345] {
        #expect(plan.onAir(at: time) == .init(regions: RegionSet([0]), until: nil))
      }
      #expect(plan.airTime == 100)
    }
  }

  @Test func broadcastsOfOneRegionThatTouchOrOverlapAreOne() throws {
    let plan = try Self.plan(100, [(0, 10, 20), (0, 30, 20), (0, 40, 30)])
    #expect(plan.onAir(at: 10) == .init(regions: RegionSet([0]), until: 70))
    #expect(plan.airTime == 60)
    let round = try Self.plan(100, [(0, 90, 10), (0, 0, 10)])
    #expect(round.onAir(at: 95) == .init(regions: RegionSet([0]), until: 110))
  }

  @Test func nothingIsOnAirBeforeTheStart() throws {
    #expect(try Self.plan(100, [(0, 0, 30)]).onAir(at: -5) == .init(regions: RegionSet(), until: 0))
  }

  @Test func noTimeIsTooLate() throws {
    let plan = try Self.plan(100, [(0, 0, 30)])
    #expect(plan.onAir(at: .max).until == nil || plan.onAir(at: .max).until! > 0)
    #expect(plan.onAir(at: .min).regions.isEmpty)
  }

  /// Holds every plan that its words allow to the plainest reading of them.
  @Test func everyMomentIsAsTheBroadcastsSay() throws {
    var random = SeededGenerator(seed: 7)
    for _ in 0..<200 {
      let period = Int64.random(in: 1...40, using: &random)
      let count = Int.random(in: 1...4, using: &random)
      let broadcasts = (0..<Int.random(in: count...6, using: &random)).map { index in
        Broadcast(
          region: index % count, start: .random(in: 0..<period, using: &random),
          duration: .random(in: 1...period, using: &random))
      }
      let plan = try WakePlan(period: period, broadcasts: broadcasts)
      func expected(_ time: Int64) -> RegionSet {
        RegionSet(
          broadcasts.filter { ((time - $0.start) % period + period) % period < $0.duration }.map(\.region))
      }
      for time in 0..<(2 * period) {
        let onAir = WakePlan.OnAir(
          regions: expected(time),
          until: (time + 1...time + period).first { expected($0) != expected(time) })
        if plan.onAir(at: time) != onAir { Issue.record("\(plan) at \(time)") }
      }
    }
  }

  @Test(
    arguments: [
      (0, 0, 0, 1), (86_400_001, 0, 0, 1), (100, 20, 0, 1), (100, -1, 0, 1), (100, 0, 100, 1),
      (100, 0, -1, 1),
      (100, 0, 0, 0), (100, 0, 0, 101), (100, 1, 0, 1), (.max, 0, 0, .max),
    ] as [(Int64, Int, Int64, Int64)])
  func numbersThatMakeNoPlanAreRefused(period: Int64, region: Int, start: Int64, duration: Int64) {
    #expect(throws: WakePlan.Fault.self) { try Self.plan(period, [(region, start, duration)]) }
  }

  @Test func aPlanWithoutBroadcastsIsRefused() {
    #expect(throws: WakePlan.Fault.self) { try WakePlan(period: 100, broadcasts: []) }
  }
}
