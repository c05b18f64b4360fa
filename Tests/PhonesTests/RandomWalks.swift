import Phones
import TestSupport

extension SeededGenerator {
  init(_ seed: UInt64) { self.init(seed: seed &* 0x9E37_79B9_7F4A_7C15) }

  mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }
  mutating func pick<T>(_ values: [T]) -> T { values.randomElement(using: &self)! }
}

/// A phone, its rule and what happens to it. All on a grid of 100 ms: legs go towards the beacon at 1, 2, 5 or 10 m/s
/// between whole metres, away from it they jump, so that every crossing falls on the grid too.
struct RandomWalk {
  var profile: PhoneProfile
  var rule: NearDistances
  var timeline: Timeline
  var waypoints: [Timeline.Waypoint]

  init(
    seed: UInt64, longest: Double = 1200, events: ClosedRange<Int> = 0...24, family: OSProfile.Family? = nil
  ) {
    var random = SeededGenerator(seed)
    profile = Self.profile(&random, family)
    let near = Micrometres(random.pick([2, 4, 10])) * 1_000_000
    rule = NearDistances(near: near, rearm: near + Micrometres(random.pick([0, 3, 8])) * 1_000_000)
    let end = Milliseconds.random(in: 100...ms(longest) / 100, using: &random) * 100
    waypoints = Self.waypoints(&random, until: end)
    var beacons = [Timeline.Beacon(name: nil)]
    if random.chance(25) {
      for index in 1...Int.random(in: 1...2, using: &random) {
        beacons.append(.init(name: "exhibit \(index)", regions: random.pick([[], [0], [0], [1], [0, 1]])))
        waypoints += Self.waypoints(&random, until: end).map { point in
          .init(time: point.time, distance: point.distance, beacon: index)
        }
      }
    }
    let isAndroid = profile.os.family == .android
    let isGiven = !isAndroid && random.chance(15)
    var told: [Timeline.Entry] = []
    for _ in 0..<Int.random(in: events, using: &random) {
      let time = Milliseconds.random(in: 0..<end / 100, using: &random) * 100
      told.append(.init(time: time, event: Self.event(&random, isAndroid, isGiven)))
    }
    timeline = Timeline(
      events: told, waypoints: waypoints, beacons: beacons, end: end,
      start: random.pick([nil, .foreground, .background]))
    if timeline.start == .background, random.chance(40) {
      timeline.since = .before(Milliseconds.random(in: 0...6000, using: &random) * 100)
    }
  }

  private static let all = PhoneProfile.all(.seed) + PhoneProfile.all(.observed)
  private static let iOS = all.filter { $0.os.family == .iOS }

  private static func profile(_ random: inout SeededGenerator, _ family: OSProfile.Family?) -> PhoneProfile {
    var profile = random.pick(family == .iOS ? iOS : all)
    if random.chance(50) { return profile }
    profile.os[.taskCap] = random.pick([5000, 30_000, 60_000, 180_000])
    profile.os[.expirationMargin] = random.pick([0, 1000, 4000])
    profile.os[.entryLatency] = random.pick([0, 500, 3000])
    profile.os[.falseExitAfter] = random.pick([nil, nil, 20_000])
    profile.os[.falseExitLength] = random.pick([1000, 30_000])
    profile.os[.unheardInterval] = random.pick([nil, nil, nil, 100])
    profile.os[.wakesForRegions] = random.chance(90)
    profile.os[.emptyTicksPerTen] = random.pick([0, 0, 3])
    profile.strategy[.advertisingInterval] = random.pick([100, 100, 2500, 7000])
    profile.os[.endsAppAfter] = random.pick([nil, nil, 70_000])
    profile.os[.stationaryAfter] = random.pick([nil, 30_000])
    profile.os[.dataSyncLimit] = random.pick([nil, 90_000])
    profile.os[.dozeAfter] = random.pick([nil, 60_000])
    profile.os[.autoPauseAfter] = random.pick([nil, 40_000])
    profile.os[.downgradesScanAfter] = 20_000
    profile.os[.bucketAllowance] = 15_000
    profile.strategy[.restartsLongScans] = random.chance(70)
    profile.strategy[.filtersScans] = random.chance(70)
    profile.strategy[.declaresServiceType] = random.chance(80)
    profile.strategy[.endsTask] = random.chance(85)
    profile.strategy[.guardsTask] = random.chance(85)
    profile.strategy[.taskGranted] = random.chance(85)
    profile.strategy[.notifiesOnDisplay] = random.chance(30)
    profile.strategy[.regionRank] = random.pick([1, 1, 1, 20, 21])
    profile.strategy[.slotsTaken] = random.pick([0, 0, 0, 30])
    profile.strategy[.sampleInterval] = random.pick([5000, 60_000, 200_000])
    profile.strategy[.sampleWindow] = random.pick([nil, 10_000, 2000])
    profile.strategy[.pausesAutomatically] = random.chance(50)
    profile.strategy[.pausesWhileAudio] = random.chance(50)
    profile.strategy[.heardDistance] = Micrometres(random.pick([3, 20, 50])) * 1_000_000
    profile.strategy[.timerFromFix] = random.chance(50)
    profile.strategy[.hasAudioMode] = random.chance(70)
    profile.strategy[.awaitsEvents] = random.chance(90)
    profile.strategy[.holdsServiceSession] = random.chance(80)
    profile.strategy[.dataSync] = random.chance(50)
    profile.strategy[.neverForLocation] = random.chance(5)
    profile.os[.fixLatency] = random.pick([0, 0, 3000])
    profile.strategy[.scanPeriod] = random.pick([2000, 10_000])
    profile.strategy[.scanInterval] = random.pick([4000, 10_000, 100_000])
    profile.strategy[.hasBackgroundMode] = random.chance(90)
    return profile
  }

  private static func waypoints(_ random: inout SeededGenerator, until end: Milliseconds) -> [Timeline
    .Waypoint]
  {
    var points: [Timeline.Waypoint] = []
    var time = Milliseconds.random(in: 0...50, using: &random) * 100
    var metres = Int64.random(in: 0...80, using: &random)
    while time < end {
      points.append(.init(time: time, distance: metres * 1_000_000))
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<5:
        let target = Int64.random(in: 0...metres, using: &random)
        time += (metres - target) * 1000 / random.pick([1, 2, 5, 10])
        metres = target
      case 5..<8: time += Milliseconds.random(in: 1...900, using: &random) * 100
      default:
        time += Milliseconds.random(in: 1...100, using: &random) * 100
        points.append(.init(time: time, distance: random.chance(15) ? nil : metres * 1_000_000))
        metres = Int64.random(in: 0...80, using: &random)
      }
    }
    return points
  }

  private static func event(
    _ random: inout SeededGenerator, _ isAndroid: Bool, _ isGiven: Bool
  ) -> PhoneEvent {
    let flag = Bool.random(using: &random)
    let id = Int32.random(in: 1...3, using: &random)
    if isGiven && random.chance(30) { return flag ? .regionEnter : .regionExit }
    var events: [PhoneEvent] = [
      .bluetooth(flag), .bluetooth(true), .permission(random.pick(Permission.allCases)), .permission(.always),
      .foreground, .background, .background, .background, .forceQuit, .lowMemory, .reboot, .userLaunch,
      .debugger(flag), .screen(flag), .audio(flag), .still(flag),
    ]
    if isAndroid {
      events += [.locationServices(flag), .locationServices(true), .bucket(flag ? nil : 30_000)]
    } else {
      events += [
        .location(flag), .begin(id, granted: random.chance(80)), .begin(id, handler: flag), .end(id),
        .end(id),
        .backgroundFetch,
      ]
    }
    return random.pick(events)
  }
}
