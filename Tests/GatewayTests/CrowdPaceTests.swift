import Beacons
import Proximity
import Testing

@testable import Gateway

@Suite("The occupancy of a crowd is told at a pace") struct CrowdPaceTests {
  private let zone = ZoneIndex(rawValue: 1)

  @Test("Every change among a few is told at once") func few() {
    var pace = CrowdPace(zones: 2)
    for members in [0, 1, 99, CrowdPace.few] {
      for _ in 0..<3 { #expect(pace.isToBeTold(zone, members: members, at: .zero)) }
    }
    #expect(pace.next == nil)
  }

  @Test("A crowd is told at first, then once when its pause is over, however much changes") func crowd() {
    var pace = CrowdPace(zones: 2)
    #expect(pace.isToBeTold(zone, members: 2000, at: .zero))
    for members in 2001...2500 {
      #expect(!pace.isToBeTold(zone, members: members, at: .zero + .seconds(0.1)))
    }
    let due = MonotonicTime.zero + .seconds(0.2001)
    #expect(pace.next == due)
    #expect(pace.takeDue(at: due - .milliseconds(1)) == [])
    #expect(pace.takeDue(at: due) == [zone])
    #expect(pace.next == nil)
    #expect(pace.takeDue(at: .distantFuture) == [])
    #expect(!pace.isToBeTold(zone, members: 2500, at: due), "the pause begins anew")
  }

  @Test("What was untold of a crowd that melted away is told with the change that made it few") func melts() {
    var pace = CrowdPace(zones: 2)
    #expect(pace.isToBeTold(zone, members: 101, at: .zero))
    #expect(!pace.isToBeTold(zone, members: 102, at: .zero))
    #expect(pace.isToBeTold(zone, members: 100, at: .zero))
    #expect(pace.next == nil)
  }

  @Test("Zones wait by themselves and come in order") func several() {
    var pace = CrowdPace(zones: 3)
    for index in [2, 0] as [Int32] {
      #expect(pace.isToBeTold(ZoneIndex(rawValue: index), members: 500, at: .zero))
      #expect(!pace.isToBeTold(ZoneIndex(rawValue: index), members: 500, at: .zero))
    }
    #expect(pace.takeDue(at: .zero + .seconds(1)).map(\.rawValue) == [0, 2])
  }
}
