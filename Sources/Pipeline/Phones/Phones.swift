import Beacons
import Configuration
import Contract
import Core
import Phones
import Proximity

/// The configured phones and their beacons. Like the pipeline, a function of its input.
struct Phones: Sendable {
  private let settings: [PhoneSettings]
  private let zones: [ZoneSettings]
  /// In the order of the configuration; empty until `begin`.
  private(set) var phones: [Phone] = []
  /// The indices of the phones that carry a beacon, by the beacon's name.
  private let byBeaconName: [String: [Int]]
  /// The indices of the phones that carry a beacon, by `BeaconIndex`.
  private var carriers: [[Int]] = []
  /// Each phone's beacon; nil until it is heard.
  private var beacons: [BeaconIndex?]
  /// Each phone's deadline.
  private var deadlines: [MonotonicTime] = []
  /// The next time at which `advance` has something to do.
  private(set) var nextDeadline: MonotonicTime?
  private(set) var news = PhoneNews()
  /// Near triggers that are not processed yet, in order of time.
  var nears: [TransitionMessage] = []
  /// Phones that the previous configuration had.
  private(set) var dropped: [String] = []
  /// Reports that were invalid.
  private(set) var refusedReports: UInt64 = 0
  /// How many invalid reports of apps came on `app/seen`.
  private(set) var refusedSightings: UInt64 = 0

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

  /// Starts all phones. Their apps have been in the background for a long time.
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

  /// The clock was set.
  mutating func correct(_ step: ClockStep) {
    for place in phones.indices { phones[place].correct(step) }
  }

  /// Adopts phones whose definition is unchanged. The others start anew.
  mutating func adopt(_ old: Phones, at time: MonotonicTime) {
    (refusedReports, refusedSightings) = (old.refusedReports, old.refusedSightings)
    let names = Set(settings.map(\.name))
    dropped = old.settings.map(\.name).filter { !names.contains($0) }
    guard let first = old.phones.first else { return }
    begin(at: time, wallTime: WallTime(nanoseconds: time.nanoseconds) + first.wallOffset)
    for (place, phone) in phones.enumerated() {
      guard let known = old.phones.first(where: { $0.settings.means(phone.settings) }) else {
        old.phones.first { $0.settings.isJudged(as: phone.settings) }.map { restore($0.record, of: place) }
        continue
      }
      phones[place] = known
      for lane in phone.lanes.indices {
        phones[place].lanes[lane].zone = phone.lanes[lane].zone
        phones[place].lanes[lane].lost = phone.lanes[lane].lost
      }
      refresh(place)
    }
    // Nothing is published here, because all states are published after a reload.
    news.items.removeAll()
  }

  /// Registers a beacon that is new or has a new name.
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

  /// Processes a sighting of a carried beacon.
  mutating func hear(_ sighting: Sighting, in engine: ZoneEngine) {
    for place in carriers[Int(sighting.beacon.rawValue)] where phones.indices.contains(place) {
      news.phone = place
      phones[place].wallOffset = sighting.wallTime - WallTime(nanoseconds: sighting.time.nanoseconds)
      phones[place].hear(sighting.beacon, in: engine, at: sighting.time, into: &news)
      refresh(place)
    }
  }

  /// Processes near triggers from before a time; nil: all.
  mutating func trigger(before time: MonotonicTime? = nil) {
    if nears.isEmpty { return }
    let count = time.flatMap { time in nears.firstIndex { $0.time >= time } } ?? nears.count
    for near in nears[..<count] { trigger(near) }
    nears.removeFirst(count)
  }

  /// Processes the gateway's near decision for a carried beacon.
  private mutating func trigger(_ message: TransitionMessage) {
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

  /// After a reload, zones may have another loss timeout, and may not be blind any more.
  mutating func watchSilence(in engine: ZoneEngine, at time: MonotonicTime) {
    for place in phones.indices {
      guard let beacon = beacons[place] else { continue }
      phones[place].watchSilence(of: beacon, in: engine)
      // A loss that the new rules put in the past happens now.
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

  /// Processes a report about a phone's app. Returns why it was refused; nil if it was accepted, or if the phone is
  /// unknown.
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

  /// Processes a report on `app/seen`. Returns why it was refused.
  mutating func reportSeen(
    _ payload: [UInt8], of name: String, isRetained: Bool, in engine: ZoneEngine, at time: MonotonicTime,
    wallTime: WallTime
  ) -> AppReports.Refusal? {
    guard let place = phones.firstIndex(where: { $0.settings.name == name }) else { return nil }
    news.phone = place
    defer { refresh(place) }
    do throws(AppReports.Refusal) {
      try phones[place].reportSeen(
        payload, isRetained: isRetained, of: beacons[place], in: engine, at: time, wallTime: wallTime,
        into: &news
      )
      return nil
    } catch {
      refusedSightings += 1
      return error
    }
  }

  /// Continues with the record of an earlier run or configuration.
  mutating func restore(_ record: PhoneRecord, of place: Int) {
    phones[place].take(record)
    refresh(place)
  }

  /// The records that wait because of their pace, with their phones' indices.
  mutating func takeUntoldRecords(at time: MonotonicTime) -> [(Int, PhoneRecord)] {
    phones.indices.compactMap { phones[$0].record.takeUntold(at: time) ? ($0, phones[$0].record) : nil }
  }

  /// Processes everything due before a time, or up to it if `inclusive`.
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

/// The carriers are not stored, because they follow from the beacons' names.
extension Phones {
  /// How far a phone's time may differ from its pipeline's. A longer span would take too long to process.
  private static let distance = TimeSpan.seconds(86_400)

  /// - Parameter time: the pipeline's time.
  mutating func fields(_ coder: inout StateCoder, roster: Roster, at time: MonotonicTime) throws(StateError) {
    assert(news.items.isEmpty && nears.isEmpty)
    var hasBegun = hasBegun
    try coder("has_begun", &hasBegun)
    if coder.isReading, hasBegun { phones = new(at: .zero, wallTime: WallTime(nanoseconds: 0)) }
    try coder(each: "phones", &phones)
    try coder("beacons", &beacons)
    try coder("next_deadline", &nextDeadline)
    try coder("dropped", &dropped)
    try coder(tally: "refused_reports", &refusedReports)
    try coder(tally: "refused_sightings", &refusedSightings)
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

/// Simulates whether the apps on the configured phones would have noticed.
extension Pipeline {
  /// Sets the start time, before the first advertisement. The windows of all phones are known from then on.
  package mutating func begin(at time: MonotonicTime, wallTime: WallTime, into output: inout Output) {
    guard !phones.isEmpty, !phones.hasBegun else { return }
    phones.begin(at: time, wallTime: wallTime)
    tellPhones(into: &output)
  }

  /// Replaces the configured phones of a new pipeline.
  package mutating func follow(_ phones: [PhoneSettings]) {
    configuration.phones = phones
    self.phones = Phones(configuration)
  }

  package var hasPhones: Bool { !phones.isEmpty }

  /// Processes a report about a phone's app on `app/set` or `app/seen`. Returns why it was refused; nil if it was accepted, or
  /// if the phone is unknown.
  package mutating func receive(
    _ payload: [UInt8], topic: String, isRetained: Bool, at time: MonotonicTime, wallTime: WallTime,
    into output: inout Output
  ) -> AppReports.Refusal? {
    guard let (name, isSeen) = phone(ofReportsOn: topic) else { return nil }
    begin(at: time, wallTime: wallTime, into: &output)
    let refusal =
      if !isSeen {
        phones.report(payload, of: name, isRetained: isRetained, at: time, wallTime: wallTime)
      } else {
        phones.reportSeen(
          payload, of: name, isRetained: isRetained, in: engine, at: time, wallTime: wallTime)
      }
    tellPhones(into: &output)
    return refusal
  }

  /// The phone whose app reports on a topic, and whether that is `app/seen`; nil: no phone of ours.
  package func phone(ofReportsOn topic: String) -> (name: String, isSeen: Bool)? {
    for phone in configuration.phones {
      if topics.appReport(phone: phone.name) == topic { return (phone.name, false) }
      if topics.appSeen(phone: phone.name) == topic { return (phone.name, true) }
    }
    return nil
  }

  /// Processes a sighting for the phones, or an advertisement of an unknown sender.
  mutating func followPhones(_ sighting: Sighting, into output: inout Output) {
    if !phones.hasBegun { phones.begin(at: sighting.time, wallTime: sighting.wallTime) }
    if sighting.beacon != .nobody, phones.carry(sighting.beacon) {
      // Decisions caused by this sighting are processed after it.
      phones.trigger(before: sighting.time)
      phones.hear(sighting, in: engine)
    }
    phones.trigger()
    phones.advance(to: sighting.time, inclusive: false)
    tellPhones(into: &output)
  }

  /// Advances the phones to a time.
  mutating func advancePhones(to time: MonotonicTime, into output: inout Output) {
    phones.trigger()
    phones.advance(to: time, inclusive: true)
    tellPhones(into: &output)
  }

  mutating func sightOfPhonesChanged(at time: MonotonicTime, into output: inout Output) {
    phones.trigger()
    phones.sightChanged(in: engine, at: time)
    tellPhones(into: &output)
  }

  /// Converts the phones' news to messages.
  mutating func tellPhones(into output: inout Output) {
    if phones.news.items.isEmpty { return }
    for (place, item) in phones.news.items {
      switch item {
      case .window(let window, let time):
        output.items.append(
          .state(.window(message(window, at: time, of: phones.phones[place]).message(topics: topics))))
      case .verdict(let verdict, let waiting):
        output.items.append(.verdict(message(verdict, waiting, of: phones.phones[place])))
      case .record(let record, let time):
        tell(record, at: time, of: phones.phones[place], into: &output)
      }
    }
    phones.newsTold()
  }

  /// Each phone's current window and record. For phones that were removed, messages that clear them.
  var phoneStates: [Message] {
    let forgotten = phones.dropped.flatMap { [topics.window(phone: $0), topics.record(phone: $0)] }.map(
      Message.init(clearing:))
    // A phone that has just begun has a record, but its window is known a millisecond later.
    let records = phones.phones.map { phone in
      message(phone.record, at: phone.lanes[0].engine.now.monotonicTime, of: phone)
    }
    return forgotten + phonesNow.map { $0.window.message(topics: topics) }
      + records.map { $0.message(topics: topics) }
  }

  /// Each phone's current window and record.
  package var phonesNow: [(window: WindowMessage, record: RecordMessage)] {
    phones.phones.compactMap { phone in
      guard let window = phone.window, let now = phone.lanes.first?.engine.now else { return nil }
      return (message(window, at: now, of: phone), message(phone.record, at: now.monotonicTime, of: phone))
    }
  }

  private func message(_ window: Window, at time: Milliseconds, of phone: Phone) -> WindowMessage {
    WindowMessage(
      phone: phone.settings.name, state: window.state, since: phone.wallTime(of: window.since),
      time: phone.wallTime(of: time), remaining: window.remaining(at: time),
      os: phone.settings.profile.os.name, strategy: phone.settings.profile.strategy.name, why: window.why)
  }

  private func message(_ verdict: Verdict, _ waiting: Phone.Waiting, of phone: Phone) -> VerdictMessage {
    VerdictMessage(
      phone: phone.settings.name, gateway: configuration.gatewayName, transition: waiting.transition,
      zone: waiting.zone, beacon: waiting.beacon, os: phone.settings.profile.os.name,
      strategy: phone.settings.profile.strategy.name, outcome: verdict.outcome,
      time: phone.wallTime(of: verdict.time), near: waiting.time,
      delivered: verdict.delivered.map(phone.wallTime), lateness: verdict.lateness,
      evidence: verdict.evidence.map { .init(time: phone.wallTime(of: $0.time), what: $0.what) })
  }
}
