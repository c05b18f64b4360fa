import Beacons
import Settings
import Messages
import Proximity
import RangingPolicy

/// The configured phones, and the beacons that they carry. A function of its input, as the pipeline that it is a part of.
struct Phones: Sendable {
  private let settings: [PhoneSettings]
  private let zones: [ZoneSettings]
  /// In the order of the configuration; empty until time began.
  private(set) var phones: [Phone] = []
  /// The places of the phones that carry a beacon of this name.
  private let byBeaconName: [String: [Int]]
  /// By `BeaconIndex`: the places of the phones that carry it.
  private var carriers: [[Int]] = []
  /// By place: the beacon, once it was heard.
  private var beacons: [BeaconIndex?]
  /// By place.
  private var deadlines: [MonotonicTime] = []
  /// When `advance` next has something to do.
  private(set) var nextDeadline: MonotonicTime?
  private(set) var news = PhoneNews()
  /// Phones that the configuration named before it was last read again.
  private(set) var dropped: [String] = []
  /// Reports that made no sense.
  private(set) var refusedReports: UInt64 = 0

  init(_ configuration: Configuration) {
    settings = configuration.phones
    zones = configuration.zones
    beacons = [BeaconIndex?](repeating: nil, count: configuration.phones.count)
    var byBeaconName: [String: [Int]] = [:]
    for (place, phone) in configuration.phones.enumerated() {
      byBeaconName[phone.beacon, default: []].append(place)
    }
    self.byBeaconName = byBeaconName
  }

  var isEmpty: Bool { settings.isEmpty }
  var hasBegun: Bool { !phones.isEmpty }

  /// The first time that is known: every app has long been in the background.
  mutating func begin(at time: MonotonicTime, wallTime: WallTime) {
    guard phones.isEmpty, !settings.isEmpty else { return }
    phones = new(at: time, wallTime: wallTime)
    deadlines = phones.map { _ in time }
    nextDeadline = time
    advance(to: time, inclusive: true)
  }

  private func new(at time: MonotonicTime, wallTime: WallTime) -> [Phone] {
    var rules: [PhoneProfile: PhoneRules] = [:]
    return settings.map { phone in
      var profile = phone.profile
      if profile.strategy[.heardDistance] >= StrategyProfile.usualHearing {
        profile.strategy[.heardDistance] = .max
      }
      let shared = rules[profile] ?? PhoneRules(profile)
      rules[profile] = shared
      return Phone(phone, shared, zones, at: time, wallTime: wallTime)
    }
  }

  /// Takes over, from an earlier configuration, the phones that are defined as they were; others begin anew.
  mutating func adopt(_ old: Phones, at time: MonotonicTime) {
    refusedReports = old.refusedReports
    let names = Set(settings.map(\.name))
    dropped = old.settings.map(\.name).filter { !names.contains($0) }
    guard let first = old.phones.first else { return }
    begin(at: time, wallTime: WallTime(nanoseconds: time.nanoseconds) + first.wallOffset)
    for (place, phone) in phones.enumerated() {
      guard let known = old.phones.first(where: { $0.settings.means(phone.settings) }) else { continue }
      phones[place] = known
      for lane in phone.lanes.indices {
        phones[place].lanes[lane].zone = phone.lanes[lane].zone
        phones[place].lanes[lane].lost = phone.lanes[lane].lost
      }
      refresh(place)
    }
    // Nothing is published here: after a reload all states are.
    news.items.removeAll()
  }

  /// A beacon is new, or answers to a name that it did not answer to before.
  mutating func meet(_ beacon: BeaconIndex, names: [String]) {
    let index = Int(beacon.rawValue)
    while carriers.count <= index { carriers.append([]) }
    carriers[index] = names.flatMap { byBeaconName[$0] ?? [] }.sorted()
    for place in carriers[index] { beacons[place] = beacon }
  }

  func carry(_ beacon: BeaconIndex) -> Bool {
    let index = Int(beacon.rawValue)
    return carriers.indices.contains(index) && !carriers[index].isEmpty
  }

  /// A carried beacon was heard.
  mutating func hear(_ sighting: Sighting, in engine: ZoneEngine) {
    for place in carriers[Int(sighting.beacon.rawValue)] where phones.indices.contains(place) {
      news.phone = place
      phones[place].wallOffset = sighting.wallTime - WallTime(nanoseconds: sighting.time.nanoseconds)
      phones[place].hear(sighting.beacon, in: engine, at: sighting.time, into: &news)
      refresh(place)
    }
  }

  /// The gateway decided near for a carried beacon.
  mutating func trigger(_ message: TransitionMessage) {
    guard let transition = message.transition else { return }
    for place in carriers[Int(transition.beacon.rawValue)] where phones.indices.contains(place) {
      for lane in phones[place].lanes.indices where phones[place].lanes[lane].zone == transition.zone {
        news.phone = place
        let waiting = Phone.Waiting(
          transition: message.id, zone: message.place, beacon: message.beacon, time: transition.wallTime)
        phones[place].trigger(waiting, lane: lane, at: transition.time, into: &news)
        refresh(place)
      }
    }
  }

  /// After a reload: the zones may lose a beacon after another time, and may see where they were blind.
  mutating func watchSilence(in engine: ZoneEngine, at time: MonotonicTime) {
    for place in phones.indices {
      guard let beacon = beacons[place] else { continue }
      phones[place].watchSilence(of: beacon, in: engine)
      // What the new rules would have lost before is lost now.
      phones[place].lossDue = phones[place].lossDue.map { max($0, time) }
      refresh(place)
    }
  }

  /// A receiver became blind or works again.
  mutating func sightChanged(in engine: ZoneEngine, at time: MonotonicTime) {
    for place in phones.indices {
      guard let beacon = beacons[place] else { continue }
      news.phone = place
      phones[place].passSilence(until: time, into: &news)
      phones[place].watchSilence(of: beacon, in: engine)
      refresh(place)
    }
  }

  /// Takes in a report on a phone's app. Returns why it was refused; nil if it was not, or if there is no such phone.
  mutating func report(
    _ payload: [UInt8], of name: String, isRetained: Bool, at time: MonotonicTime, wallTime: WallTime
  ) -> AppReports.Refusal? {
    guard let place = phones.firstIndex(where: { $0.settings.name == name }) else { return nil }
    news.phone = place
    defer { refresh(place) }
    do throws(AppReports.Refusal) {
      try phones[place].report(payload, isRetained: isRetained, at: time, wallTime: wallTime, into: &news)
      return nil
    } catch {
      refusedReports += 1
      return error
    }
  }

  /// Processes everything due before a time, or (`inclusive`) up to it.
  mutating func advance(to time: MonotonicTime, inclusive: Bool) {
    guard let next = nextDeadline, inclusive ? next <= time : next < time else { return }
    for place in phones.indices where inclusive ? deadlines[place] <= time : deadlines[place] < time {
      news.phone = place
      phones[place].advance(to: time, inclusive: inclusive, into: &news)
      deadlines[place] = phones[place].deadline
    }
    nextDeadline = deadlines.min()
  }

  mutating func newsTold() { news.items.removeAll(keepingCapacity: true) }

  private mutating func refresh(_ place: Int) {
    deadlines[place] = phones[place].deadline
    nextDeadline = min(nextDeadline ?? deadlines[place], deadlines[place])
  }
}

/// Who carries what follows from the names of the beacons.
extension Phones {
  /// No phone is further behind its pipeline, or ahead of it: to catch up with years would take for ever.
  private static let distance = TimeSpan.seconds(86_400)

  /// - Parameter time: that of the pipeline.
  mutating func fields(_ coder: inout StateCoder, roster: Roster, at time: MonotonicTime) throws(StateError) {
    assert(news.items.isEmpty)
    var hasBegun = hasBegun
    try coder("has_begun", &hasBegun)
    if coder.isReading, hasBegun { phones = new(at: .zero, wallTime: WallTime(nanoseconds: 0)) }
    try coder(each: "phones", &phones)
    try coder("beacons", &beacons)
    try coder("next_deadline", &nextDeadline)
    try coder("dropped", &dropped)
    try coder(tally: "refused_reports", &refusedReports)
    guard coder.isReading else { return }
    deadlines = phones.map(\.deadline)
    try coder.check(
      phones.allSatisfy { $0.isNear(time, within: Self.distance) } && beacons.count == settings.count
        && nextDeadline ?? .distantFuture <= deadlines.min() ?? .distantFuture)
    if isEmpty { return }
    let carried = beacons
    for index in 0..<roster.count {
      let beacon = BeaconIndex(rawValue: Int32(clamping: index))
      meet(beacon, names: roster.names(of: beacon))
    }
    beacons = carried
  }
}
