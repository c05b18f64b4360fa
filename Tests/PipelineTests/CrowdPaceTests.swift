import Beacons
import Core
import Testing

@testable import Pipeline

@Suite("The occupancy of a crowd is told at a pace") struct CrowdPaceTests {
  /// A change in a zone: whether it was told at once.
  private struct Told {
    var pace = CrowdPace(places: 3, .gateway)
    var answers: [Bool] = []
    var due: [[Int]] = []

    mutating func change(_ zone: Int = 1, members: Int, at seconds: Double = 0) {
      answers.append(pace.isToBeTold(zone, members: members, at: .zero + .seconds(seconds)))
    }

    mutating func look(at seconds: Double) {
      due.append(pace.takeDue(at: .zero + .seconds(seconds)))
    }
  }

  @Test("Every change among a few is told at once") func few() {
    var told = Told()
    for members in [0, 1, 1, 99, 100, 100] { told.change(members: members) }
    #expect(told.answers == Array(repeating: true, count: 6))
    #expect(told.pace.next == nil)
  }

  @Test("A crowd is told at first, then once when its pause is over, however much changes") func crowd() {
    var told = Told()
    told.change(members: 2000)
    for members in 2001...2500 { told.change(members: members, at: 0.1) }
    #expect(told.answers == [true] + Array(repeating: false, count: 500))
    #expect(told.pace.next == .zero + .seconds(0.2001))
    for seconds in [0.2, 0.2001, 1000] { told.look(at: seconds) }
    #expect(told.due == [[], [1], []])
    told.change(members: 2500, at: 0.3)
    #expect(told.answers.last == false, "the pause began anew")
  }

  @Test("What was untold of a crowd that melted away is told with the change that made it few") func melts() {
    var told = Told()
    for members in [101, 102, 100] { told.change(members: members) }
    #expect(told.answers == [true, false, true])
    #expect(told.pace.next == nil)
  }

  @Test(
    "A partition of a site has a share of its crowds", arguments: [(2, 0.32), (31, 4.96), (100_000, 10)])
  func partition(members: Int, pause: Double) {
    var told = Told(pace: CrowdPace(places: 3, .site.shared(by: 16)))
    for members in [1, 1, members, members] { told.change(members: members) }
    #expect(told.answers == [true, true, true, false])
    #expect(told.pace.next == .zero + .seconds(pause))
  }

  @Test("Zones wait by themselves and come in order") func several() {
    var told = Told()
    for zone in [2, 0] as [Int] { for _ in 0..<2 { told.change(zone, members: 500) } }
    told.look(at: 1)
    #expect(told.answers == [true, false, true, false])
    #expect(told.due == [[0, 2]])
  }
}
