import Beacons
import Core
import Proximity
import TestSupport
import Testing

@testable import Pipeline

/// The memory of sightings: what is noted is read again, the same to the nanosecond, within bounds.
struct SightingHistoryTests {
  /// An event that can be compared.
  private struct Entry: Equatable {
    enum Kind: Equatable { case sighting, sight(ReceiverSight.State), retirement }

    var kind = Kind.sighting
    var beacon: BeaconIndex?
    var receiver: ReceiverIndex?
    var rssi: Int8?
    var measuredPower: Int8?
    var time: MonotonicTime?
    var wallTime: WallTime?
    var now: MonotonicTime

    init(_ event: SightingHistory.Event) {
      now = event.time
      switch event {
      case .sighting(let sighting, _):
        (beacon, receiver, rssi) = (sighting.beacon, sighting.receiver, sighting.rssi)
        (measuredPower, time, wallTime) = (sighting.measuredPower, sighting.time, sighting.wallTime)
      case .sight(let receiver, let state, _):
        (kind, self.receiver) = (.sight(state), receiver)
      case .retirement(let beacon, _): (kind, self.beacon) = (.retirement, beacon)
      }
    }
  }

  /// Notes at random what a gateway may hear, and what only a faulty or hostile one can.
  private struct Noter {
    var history: SightingHistory
    /// All that was noted; nil: it has no beacon any more.
    var noted: [Entry?] = []
    private var random: SeededGenerator
    private var time = MonotonicTime.zero
    private var now = MonotonicTime.zero
    private var lead: Int64 = 1_795_211_400_000_000_000

    init(_ limits: SightingHistory.Limits, seed: UInt64) {
      history = SightingHistory(limits)
      random = SeededGenerator(seed: seed)
    }

    private mutating func anyTime() -> Int64 {
      switch Int.random(in: 0..<4, using: &random) {
      case 0: .min
      case 1: .max
      default: .random(in: .min ... .max, using: &random)
      }
    }

    private mutating func receiver() -> ReceiverIndex {
      let most: UInt16 = Int.random(in: 0..<20, using: &random) == 0 ? .max : 9
      return ReceiverIndex(rawValue: .random(in: 0...most, using: &random))
    }

    private mutating func level() -> Int8? {
      Int.random(in: 0..<10, using: &random) == 0 ? nil : .random(in: .min ... .max, using: &random)
    }

    mutating func note(isHostile: Bool) {
      let beacon = BeaconIndex(rawValue: .random(in: 0..<300, using: &random))
      time = time + TimeSpan(nanoseconds: .random(in: 0...4_000_000, using: &random))
      var heard = time
      switch Int.random(in: 0..<200, using: &random) {
      case 0:
        let states = [ReceiverSight.State.blind, .sees, .doubted]
        let (receiver, state) = (receiver(), states[Int.random(in: 0..<3, using: &random)])
        history.note(receiver, state, at: time)
        noted.append(Entry(.sight(receiver, state, time)))
        return
      case 1:
        history.noteRetirement(of: beacon, at: now)
        noted.append(Entry(.retirement(beacon, at: now)))
        return
      case 2: lead = anyTime()
      case 3 where isHostile: heard = MonotonicTime(nanoseconds: anyTime())
      case 4 where isHostile: now = MonotonicTime(nanoseconds: anyTime())
      case 5..<100: heard = heard - TimeSpan(nanoseconds: .random(in: 0...10_000_000_000, using: &random))
      case 100..<150: lead &+= .random(in: -100...100, using: &random)
      default: break
      }
      let sighting = Sighting(
        beacon: beacon, receiver: receiver(), rssi: level(), measuredPower: level(), time: heard,
        wallTime: WallTime(nanoseconds: heard.nanoseconds &+ lead))
      history.note(sighting, at: now)
      now = max(now, heard)
      noted.append(Entry(.sighting(sighting, at: now)))
    }

    /// A reload that gives beacons other indices: some have none, and some have the same as another.
    mutating func reload() {
      let indices = (0..<300).map { _ in
        let index = Int32.random(in: -50..<300, using: &random)
        return index < 0 ? nil : BeaconIndex(rawValue: index)
      }
      history = history.renumbered(indices)
      for place in noted.indices {
        guard let beacon = noted[place]?.beacon else { continue }
        if let index = indices[Int(beacon.rawValue)] {
          noted[place]?.beacon = index
        } else {
          noted[place] = nil
        }
      }
    }

    func expectSame(_ comment: Comment) {
      #expect(history.end == UInt64(noted.count))
      for first in [history.start, (history.start + history.end) / 2, history.end] {
        let read = history.events(from: first).map { Entry($0) }
        #expect(read == noted[Int(first)...].compactMap(\.self), comment)
      }
    }
  }

  private static var small: SightingHistory.Limits {
    var limits = SightingHistory.Limits()
    (limits.octets, limits.age, limits.events) = (6 * 16_384, .seconds(20), 5000)
    return limits
  }

  @Test(arguments: 0..<20)
  func `what is noted is read again, through reloads and while the oldest is dropped`(
    seed: UInt64
  ) {
    var noter = Noter(Self.small, seed: seed)
    let earlier = noter
    for round in 0..<12 {
      let reader = noter
      for _ in 0..<2000 { noter.note(isHostile: seed % 2 == 0) }
      noter.expectSame("round \(round)")
      reader.expectSame("a reader of round \(round)")
      if round % 3 == 2 { noter.reload() }
    }
    noter.expectSame("at the end")
    earlier.expectSame("empty")
    #expect(noter.history.start > 0)
    #expect(noter.history.octets <= Self.small.octets)
  }

  /// Sightings at even intervals, of 200 beacons by eight receivers, half of which are elsewhere and tell it late.
  private func hear(_ rate: Int, for seconds: Int) -> (history: SightingHistory, now: MonotonicTime) {
    var history = SightingHistory()
    var random = SeededGenerator(seed: 1)
    var now = MonotonicTime.zero
    for number in 0..<(rate * seconds) {
      let bits = random.next()
      let receiver = UInt16(bits & 7)
      let time = MonotonicTime(nanoseconds: Int64(number) * 1_000_000_000 / Int64(rate))
      let age = receiver < 4 ? 0 : Int64(bits >> 8 & 0xFFF_FFFF)
      history.note(
        Sighting(
          beacon: BeaconIndex(rawValue: Int32(bits >> 40 % 200)), receiver: ReceiverIndex(rawValue: receiver),
          rssi: -50 - Int8(bits >> 48 & 31), measuredPower: bits >> 40 % 3 == 0 ? -59 : -65,
          time: time - TimeSpan(nanoseconds: age),
          wallTime: WallTime(
            nanoseconds: 1_795_211_400_000_000_000 + time.nanoseconds - age + Int64(bits >> 56))),
        at: now)
      now = max(now, time - TimeSpan(nanoseconds: age))
    }
    return (history, now)
  }

  @Test func `an hour of 600 sightings a second is kept in 24 MiB`() throws {
    let (history, now) = hear(600, for: 4000)
    #expect(history.octets <= 24 << 20)
    #expect(history.start > 0)
    #expect(history.end - history.start >= 600 * 3600)
    #expect(history.octets <= 10 * Int(history.end - history.start))
    #expect(try #require(history.firstTime) <= now - .seconds(3600))
  }

  @Test func `more than fits is forgotten from the oldest on`() throws {
    let (history, _) = hear(2000, for: 1500)
    #expect(history.octets <= 24 << 20)
    #expect(history.octets > 23 << 20)
    #expect(history.start > 0)
  }

  /// So that a try at a busy site does not take long, and the page of a quiet one reaches far back.
  @Test(arguments: [(100, 65.0 * 60), (2, 98_304.0 / 2)])
  func `the last 65 minutes are kept, and 98,304 sightings`(
    rate: Int, seconds: Double
  ) throws {
    let (history, now) = hear(rate, for: rate == 2 ? 70_000 : 7200)
    let reach = (now - (try #require(history.firstTime))).seconds
    #expect(reach >= seconds - 1)
    #expect(reach <= seconds + 3000 / Double(rate))
  }

  @Test func `what was heard before a time is left out, but who was blind is not`() {
    var (history, now) = hear(100, for: 1000)
    let receiver = ReceiverIndex(rawValue: 2)
    history.note(receiver, .blind, at: now)
    for second in 1...1000 {
      for _ in 0..<100 {
        history.note(
          Sighting(
            beacon: BeaconIndex(rawValue: 0), receiver: ReceiverIndex(rawValue: 0), rssi: nil,
            measuredPower: nil,
            time: now + .seconds(Double(second)), wallTime: WallTime(nanoseconds: 0)), at: now)
      }
    }
    let since = now + .seconds(900)
    func isMeant(_ event: SightingHistory.Event) -> Bool {
      if case .sighting(let sighting, _) = event { sighting.time >= since } else { true }
    }
    let events = Array(history.events(since: since))
    #expect(events.filter(isMeant).map { Entry($0) } == history.events().filter(isMeant).map { Entry($0) })
    #expect(events.count(where: isMeant) == 101 * 100 + 1)
    #expect(events.count < 20_000)
  }

  /// A sighting that came late says nothing about what else was heard when it was.
  @Test func `memory reaches back to when its first event came`() {
    var history = SightingHistory()
    #expect(history.firstTime == nil)
    history.note(
      Sighting(
        beacon: BeaconIndex(rawValue: 0), receiver: ReceiverIndex(rawValue: 0), rssi: nil, measuredPower: nil,
        time: MonotonicTime(nanoseconds: 5), wallTime: WallTime(nanoseconds: 0)),
      at: MonotonicTime(nanoseconds: 9))
    #expect(history.firstTime == MonotonicTime(nanoseconds: 9))
  }

  @Test func `beacons that come and go with each reload do not use up numbers`() {
    var numbers = BeaconNumbers()
    for round in 0..<100 as Range<UInt64> {
      // Each round has 50 events, of which the last 500 are kept.
      let highest = (0..<50).map { numbers.number(of: BeaconIndex(rawValue: $0)) }.max() ?? 0
      #expect(highest < 50 * 12)
      let end = (round + 1) * 50
      numbers.renumber(Array(repeating: nil, count: 50), keeping: (end < 500 ? 0 : end - 500)..<end)
    }
  }
}
