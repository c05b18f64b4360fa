import Beacons
import Core
import TestSupport
import Testing

@testable import Phones

@Suite struct PhoneRecordTests {
  /// A record, and what is done to it, in seconds.
  struct Desk {
    var record = PhoneRecord()
    var told: [Double] = []
    var reports = 0

    mutating func pass(to time: Double) {
      while let due = record.nextDeadline, due <= at(time) {
        if record.step(at: due) { told.append(seconds(due)) }
      }
    }

    mutating func near(_ id: String, _ time: Double, zone: String = "pump") {
      pass(to: time)
      record.near(id, in: zone, at: at(time))
    }

    mutating func predict(_ outcome: Reason, of id: String, _ time: Double, delivered: Double? = nil) {
      pass(to: time)
      record.predict(outcome, of: id, delivered: delivered.map(at), at: at(time))
    }

    /// - Parameter stated: the report's own time; nil: its arrival.
    mutating func seen(_ arrival: Double, stated: Double? = nil, isNear: Bool = false, isBlind: Bool = false)
    {
      pass(to: arrival)
      reports += 1
      record.report(
        seen: at(stated ?? arrival), offset: stated.map { at(arrival) - at($0) }, at: at(arrival),
        wallTime: WallTime(nanoseconds: at(arrival).nanoseconds), isNear: isNear, isBlind: isBlind)
    }

    /// A near that is predicted to be delivered, and noticed at once: from now on the app is judged.
    mutating func begin() {
      near("first", 10)
      predict(.delivered, of: "first", 10, delivered: 10.2)
      seen(10.4)
    }

    func at(_ time: Double) -> MonotonicTime { MonotonicTime(nanoseconds: Int64((time * 1e9).rounded())) }
    func seconds(_ time: MonotonicTime) -> Double { Double(time.nanoseconds) / 1e9 }

    /// nears predicted seen missed unpredicted false late uncounted
    var counts: [Int] {
      let c = record.counts
      return [c.nears, c.predicted, c.seen, c.missed, c.unpredicted, c.falseAlarms, c.late, c.uncounted]
    }

    var results: [String] { record.encounters.map(\.result.rawValue) }
  }

  @Test func `an app that never reports is not judged`() {
    var desk = Desk()
    desk.near("a", 10)
    desk.predict(.delivered, of: "a", 11, delivered: 11)
    desk.pass(to: 1000)
    #expect(desk.counts == [0, 0, 0, 0, 0, 0, 0, 0] && desk.told.isEmpty && desk.record.since == nil)
    #expect(desk.record.nextDeadline == nil)
  }

  @Test func `a near that was predicted and reported is seen, without waiting for more`() {
    var desk = Desk()
    desk.begin()
    #expect(desk.counts == [1, 1, 1, 0, 0, 0, 0, 0] && desk.record.pending == 0)
    #expect(desk.record.share == 1 && desk.record.latest == .milliseconds(400))
  }

  @Test func `a predicted near without a report is missed a minute after the predicted delivery`() {
    var desk = Desk()
    desk.begin()
    desk.near("a", 100)
    desk.predict(.deliveredLate, of: "a", 130, delivered: 130)
    desk.pass(to: 189.9)
    #expect(desk.counts == [1, 1, 1, 0, 0, 0, 0, 0] && desk.record.pending == 1)
    desk.pass(to: 190)
    #expect(desk.counts == [2, 2, 1, 1, 0, 0, 0, 0] && desk.record.pending == 0)
    #expect(desk.told.last == 190, "nothing else happens, and it is told")
    #expect(desk.record.share == 0.5)
  }

  @Test func `a report that is delayed takes the missed one back`() {
    var desk = Desk()
    desk.begin()
    desk.near("a", 100)
    desk.predict(.delivered, of: "a", 100, delivered: 100)
    desk.pass(to: 300)
    #expect(desk.results == ["seen", "missed"])
    desk.seen(350, stated: 103)
    #expect(desk.counts == [2, 2, 2, 0, 0, 0, 1, 0])
    #expect(desk.record.latest == .seconds(3) && desk.record.offset == .seconds(247))
  }

  @Test
  func
    `what was predicted to be missed and was seen is unpredicted; what nobody noticed counts as a near only`()
  {
    var desk = Desk()
    desk.begin()
    desk.near("a", 100)
    desk.predict(.graceExpired, of: "a", 120)
    desk.seen(121)
    desk.near("b", 200)
    desk.predict(.graceExpired, of: "b", 220)
    desk.pass(to: 260)
    #expect(desk.counts == [3, 1, 2, 0, 1, 0, 1, 0])
    #expect(desk.results == ["seen", "unpredicted", "unnoticed"])
  }

  @Test func `a report without a near is false after half a minute, once`() {
    var desk = Desk()
    desk.begin()
    desk.seen(200)
    desk.seen(200.1)
    desk.pass(to: 229.9)
    #expect(desk.counts == [1, 1, 1, 0, 0, 0, 0, 1] && desk.record.pending == 1)
    desk.pass(to: 231)
    #expect(desk.counts == [1, 1, 1, 0, 0, 1, 0, 1])
    // The same in a report that comes twice, later.
    desk.seen(240, stated: 200)
    #expect(desk.counts == [1, 1, 1, 0, 0, 1, 0, 2])
  }

  @Test func `an app that notices before the dwell time is over is not false`() {
    var desk = Desk()
    desk.begin()
    desk.seen(200)
    desk.near("a", 204)
    desk.predict(.delivered, of: "a", 204.5, delivered: 204.5)
    #expect(desk.counts == [2, 2, 2, 0, 0, 0, 0, 0])
    #expect(desk.record.latest == .seconds(-4))
  }

  @Test func `while the beacon is near or the receivers are blind nothing is false`() {
    var desk = Desk()
    desk.begin()
    desk.seen(500, isNear: true)
    desk.seen(600, isBlind: true)
    desk.pass(to: 700)
    #expect(desk.counts == [1, 1, 1, 0, 0, 0, 0, 2])
  }

  @Test func `a near that never gets a verdict is concluded after an hour`() {
    var desk = Desk()
    desk.begin()
    desk.near("a", 100)
    desk.pass(to: 3699)
    #expect(desk.record.pending == 1)
    desk.pass(to: 3700)
    #expect(desk.record.pending == 0 && desk.results == ["seen", "unnoticed"])
  }

  @Test func `whatever happened before the first report does not count`() {
    var desk = Desk()
    for time in stride(from: 100.0, to: 1000, by: 100) {
      desk.near("\(time)", time)
      desk.predict(.delivered, of: "\(time)", time, delivered: time)
    }
    desk.seen(901)
    desk.pass(to: 2000)
    #expect(desk.counts == [1, 1, 1, 0, 0, 0, 1, 0])
  }

  @Test func `a flood of reports is told every ten seconds, anything else every second`() {
    var desk = Desk()
    desk.begin()
    desk.pass(to: 60)
    let before = desk.told.count
    for step in 0..<2000 { desk.seen(60.01 + Double(step) / 100, isNear: true) }
    desk.pass(to: 200)
    #expect(desk.told.count - before <= 4)
    #expect(desk.record.counts.uncounted == 2000 && desk.record.nextDeadline == nil)
  }

  @Test(arguments: 0..<40)
  func `the counts of random stories add up, and a restart at any point changes nothing`(
    seed: UInt64
  ) throws {
    var dice = SeededGenerator(seed: seed)
    var desk = Desk()
    var time = 0.0
    var open: [String] = []
    var worst = -Double.infinity
    for step in 0..<400 {
      time += Double.random(in: 0...40, using: &dice)
      switch Int.random(in: 0..<6, using: &dice) {
      case 0, 1:
        desk.near("n\(step)", time, zone: Bool.random(using: &dice) ? "a" : "b")
        open.append("n\(step)")
      case 2:
        guard let id = open.popLast() else { continue }
        let outcome =
          [Reason.delivered, .deliveredLate, .graceExpired].randomElement(using: &dice) ?? .delivered
        desk.predict(outcome, of: id, time, delivered: outcome.isDelivered ? time : nil)
      default:
        desk.seen(
          time, stated: Bool.random(using: &dice) ? time - Double.random(in: 0...300, using: &dice) : nil,
          isNear: Int.random(in: 0..<8, using: &dice) == 0)
      }
      if Int.random(in: 0..<10, using: &dice) == 0 {
        var writer = StateCoder()
        desk.record.snapshot(into: &writer)
        let octets = writer.finished()
        var reader = try StateCoder(reading: octets)
        var heir = PhoneRecord()
        try heir.restore(from: &reader)
        try reader.finish()
        var again = StateCoder()
        heir.snapshot(into: &again)
        #expect(again.finished() == octets)
        desk.record = heir
      }
      let counts = desk.record.counts
      let pending = desk.record.encounters.filter { !$0.isConcluded && $0.seen != nil }.count
      if desk.record.since != nil {
        #expect(counts.seen + counts.falseAlarms + counts.uncounted + pending == desk.reports)
        #expect(counts.predicted == counts.missed + counts.seen - counts.unpredicted)
        #expect(counts.nears >= counts.predicted + counts.unpredicted && counts.late <= counts.seen)
      }
      #expect(desk.record.encounters.count <= PhoneRecord.limit)
      #expect(desk.record.worst.map(\.seconds) ?? worst >= worst)
      worst = desk.record.worst?.seconds ?? worst
    }
    desk.pass(to: time + 5000)
    #expect(desk.record.pending == 0 && desk.record.nextDeadline == nil)
    #expect(zip(desk.told, desk.told.dropFirst()).allSatisfy { $1 - $0 > 0.999 })
  }
}
