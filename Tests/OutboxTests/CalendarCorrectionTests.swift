import Beacons
import Messages
import Proximity
import Testing

@testable import Outbox

@Suite struct CalendarCorrectionTests {
  private let today = WallTime(nanoseconds: 1_795_211_400_000_000_000)

  /// Decided at a monotonic time, when the calendar said something.
  private func transition(at seconds: Double, calendar: WallTime) -> TransitionMessage {
    TransitionMessage(
      transition: Transition(
        event: .enter, zone: ZoneIndex(rawValue: 0), beacon: BeaconIndex(rawValue: 0),
        time: MonotonicTime.zero + .seconds(seconds), wallTime: calendar, distance: nil,
        distanceDeviation: nil, rssi: nil,
        evidence: Evidence(
          threshold: 1, value: 1, unit: .metres, samples: 1, dwell: .zero,
          receiver: ReceiverIndex(rawValue: 0))),
      epoch: 1, sequence: 1, gateway: "g", zone: "z", beacon: "b", receiver: "r")
  }

  /// At 100 s after the start it is 21:50 today.
  private var correction: CalendarCorrection {
    CalendarCorrection(time: MonotonicTime.zero + .seconds(100), wallTime: today, lastForeignRow: 7)
  }

  @Test func transitionsBeforeTheCalendarWasSetGetTheirTrueTime() {
    var message = transition(at: 40, calendar: WallTime(nanoseconds: 60_000_000_000))
    let id = message.id
    correction.apply(to: &message, row: nil)
    #expect(message.wallTime == today - .seconds(60))
    #expect(message.id != id)
  }

  @Test func aCalendarThatWasAheadIsPutBack() {
    var message = transition(at: 40, calendar: today + .seconds(86400))
    correction.apply(to: &message, row: 8)
    #expect(message.wallTime == today - .seconds(60))
  }

  @Test func jitterIsLeftAlone() {
    let said = today - .seconds(60) + .milliseconds(1900)
    var message = transition(at: 40, calendar: said)
    correction.apply(to: &message, row: 8)
    #expect(message.wallTime == said)
  }

  @Test func transitionsOfAnotherBootKeepTheirTime() {
    let said = WallTime(nanoseconds: 60_000_000_000)
    var message = transition(at: 40, calendar: said)
    correction.apply(to: &message, row: 7)
    #expect(message.wallTime == said)
  }

  @Test(arguments: [Int64.min, .max]) func hostileTimesDoNotTrap(nanoseconds: Int64) {
    var message = transition(at: 40, calendar: WallTime(nanoseconds: nanoseconds))
    message.transition?.time = MonotonicTime(nanoseconds: nanoseconds)
    correction.apply(to: &message, row: nil)
    _ = message.id
  }
}
