import Beacons
import Contract
import Core
import Proximity
import Testing

@testable import Web

struct RecentDecisionsTests {
  private func message(_ number: UInt64) -> TransitionMessage {
    var message = TransitionMessage(
      .zone(
        Transition(
          event: .enter, zone: ZoneIndex(rawValue: 0), beacon: BeaconIndex(rawValue: 0), time: .zero,
          wallTime: WallTime(nanoseconds: 0), distance: nil, distanceDeviation: nil, rssi: nil,
          evidence: Evidence(
            threshold: 1, value: 1, unit: .metres, samples: 1, dwell: .zero,
            receiver: ReceiverIndex(rawValue: 0)))),
      gateway: "g", place: "z", beacon: "b", receiver: "r")
    (message.epoch, message.sequence) = (7, number)
    return message
  }

  private func numbers(_ entries: [RecentDecisions.Entry]) -> [UInt64] {
    entries.compactMap { if case .transition(let message) = $0 { message.sequence } else { nil } }
  }

  @Test func `it keeps the latest thousand, in order`() {
    var recent = RecentDecisions()
    for number in 1...3000 { recent.note(.transition(message(UInt64(number)))) }
    let kept = numbers(recent.entries(from: 0))
    #expect(kept == Array(UInt64(3000 - RecentDecisions.limit + 1)...3000))
    #expect(recent.transitions(atMost: 2).map(\.sequence) == [3000, 2999])
  }

  @Test func `a stream goes on after the last that it saw, or with all that is kept`() throws {
    var recent = RecentDecisions()
    for number in 1...3000 { recent.note(.transition(message(UInt64(number)))) }
    let place = try #require(recent.place(after: "7-2990"))
    #expect(numbers(recent.entries(from: place)) == Array(2991...3000))
    #expect(recent.place(after: "7-1") == nil)
    #expect(recent.place(after: "6-2990") == nil)
    #expect(recent.entries(from: recent.end).isEmpty)
    // A recording that went back has fewer.
    #expect(recent.entries(from: recent.end + 5).isEmpty)
  }

  @Test func `what gets another number, because the disk failed, is shown under that one`() {
    var recent = RecentDecisions()
    for number in 1...3 { recent.note(.transition(message(UInt64(number)))) }
    var other = message(1)
    other.epoch = 8
    recent.renumber([.init(message(3)): .init(other)])
    #expect(recent.transitions(atMost: 3).map(\.number) == ["8-1", "7-2", "7-1"])
  }
}
