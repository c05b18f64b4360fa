import Beacons
import Configuration
import Contract
import Core
import InMemoryLogging
import Logging
import Outbox
import Pipeline
import Synchronization
import TestSupport
import Testing

@testable import Gateway
@testable import Mosquitto

/// A gateway's delivery and a broker with an access list: what arrives there, in which order, and what the user is told. The
/// broker is a model, and so is the network; all else is what `run` uses. No time passes but the story's own.
private final class Story {
  /// What brokers do with a message that they forbid.
  enum Habit: CaseIterable {
    /// MQTT 5: they say so.
    case says
    /// mosquitto 2.0.11 with `max_queued_messages 0`, by MQTT 5: they say so, and close the connection.
    case saysAndCloses
    /// MQTT 3.1.1: they acknowledge and drop it.
    case drops
    /// MQTT 3.1.1: they close the connection without a word.
    case closes
    /// The same after an acknowledgement.
    case dropsAndCloses

    var version: ProtocolVersion { self == .says || self == .saysAndCloses ? .v5 : .v311 }
    var costsConnections: Bool { self != .says && self != .drops }
  }

  /// A decided transition.
  struct Decided: NumberedMessage {
    var epoch: UInt64 = 0
    var sequence: UInt64 = 0
    var gateway = "home"
    var topic: String
    var octets = 0

    func message(topics: Topics) -> Message {
      let payload = Array("\(sequence)".utf8) + [UInt8](repeating: 0x20, count: octets)
      return Message(topic: topic, payload: payload, qos: .atLeastOnce, retained: false)
    }
  }

  private final class Clock: Sendable {
    let time = Mutex(MonotonicTime.zero + .seconds(1000))
  }

  let habit: Habit
  var denied: Set<String> = []
  /// By topic; only what came first of what came twice.
  private(set) var arrived: [String: [String]] = [:]
  /// What the broker has retained.
  private(set) var retained: [String: String] = [:]
  /// The messages that the broker refused, by topic.
  private(set) var attempts: [String: Int] = [:]
  private(set) var closures = 0
  /// About how many topics the broker was asked.
  private(set) var questions: [String] = []
  /// Whether the broker can be asked; without, nobody can tell.
  var canAsk = true
  /// How many of the next messages the broker has no room for.
  var quota = 0

  private(set) var delivery: Delivery
  private let client: Client
  private let log = InMemoryLogHandler()
  private let clock = Clock()
  private var loop: Loop
  private var sequence: UInt64 = 0
  /// On its way to the broker, with libmosquitto's number of it.
  private var wire: [(mid: Int32, message: PublishedMessage)] = []
  /// Not answered.
  private var underWay: [(mid: Int32, message: PublishedMessage)] = []
  private var lastMid: Int32 = 0

  init(_ habit: Habit, outstanding: Int = 1000) throws {
    self.habit = habit
    var options = Options(host: "127.0.0.1", port: 1)
    options.protocolVersion = habit.version
    options.maximumOutstanding = outstanding
    options.window = 20
    options.maximumPayload = 1 << 20
    client = try Client(options)
    loop = Loop(session: client.session)
    let (log, clock) = (log, clock)
    delivery = try Delivery(
      client, Topics(gateway: "home"), user: "gw", saysWhatItRefuses: habit.version == .v5,
      listener: GatewayRun.Listener(),
      logger: Logger(label: "story") { _ in log }, clock: { clock.time.withLock { $0 } })
    client.session.state.withLock { $0.phase = .running }
    connect()
    // It says that it is there.
    settle()
  }

  // MARK: What the gateway does

  /// Returns its number.
  @discardableResult
  func decide(_ topic: String, octets: Int = 0) -> String {
    sequence += 1
    delivery.state.withLock { state in
      state.outbox.add(Decided(sequence: sequence, topic: topic, octets: octets))
      delivery.send(&state)
    }
    return "\(sequence)"
  }

  @discardableResult
  func say(_ topic: String) -> String {
    sequence += 1
    delivery.send([
      Message(topic: topic, payload: Array("\(sequence)".utf8), qos: .atLeastOnce, retained: true)
    ])
    return "\(sequence)"
  }

  @discardableResult
  func tell(_ topic: String, retained: Bool = false) -> String {
    sequence += 1
    delivery.send([
      Message(topic: topic, payload: Array("\(sequence)".utf8), qos: .atMostOnce, retained: retained)
    ])
    return "\(sequence)"
  }

  func reload() {
    delivery.configure(Configuration(gatewayName: "home"))
  }

  func wait(_ seconds: Double) { clock.time.withLock { $0 = $0 + .seconds(seconds) } }

  /// As the services of `run` do it, for so long.
  func pass(_ seconds: Double) {
    var left = seconds
    while left > 0 {
      wait(min(left, 5))
      left -= 5
      delivery.doChores()
      settle()
    }
  }

  // MARK: What the network does

  private func connect() {
    client.session.state.withLock { $0.connected = true }
    delivery.connected()
    // The decision loop says anew where everybody is.
    delivery.send([])
  }

  /// The network fails, for so long.
  func disconnect(_ seconds: Double = 1) { close(byBroker: false, seconds) }

  private func close(byBroker: Bool, _ seconds: Double = 0.1) {
    var news: [Event] = []
    let isRenewed = client.session.state.withLock { state in
      state.connected = false
      let isRenewed = loop.connectionEnded(byBroker: byBroker, &state, &news)
      state.unwritten = 0
      state.backlog.dropAtMostOnce()
      return isRenewed
    }
    if isRenewed { underWay = [] }
    report(news)
    delivery.disconnected()
    wait(seconds)
    // libmosquitto sends again what was not answered.
    wire = underWay
    connect()
  }

  /// Moves some messages towards the broker. Returns whether there were any.
  @discardableResult
  func send() -> Bool {
    var batch = MessageQueue()
    _ = client.session.take(into: &batch)
    if batch.isEmpty { return false }
    client.session.state.withLock { state in
      var place = 0
      batch.forEach { entry, topic, payload in
        let message = batch.message(at: place)
        place += 1
        if message.qos == .atMostOnce {
          state.backlog.handedOver(atMostOnce: 1, atLeastOnce: 0)
          return wire.append((0, message))
        }
        lastMid += 1
        state.backlog.handedOver(atMostOnce: 0, atLeastOnce: 1)
        state.inflight.append(entry, mid: lastMid, topic: topic, payload: payload)
        wire.append((lastMid, message))
        underWay.append((lastMid, message))
      }
    }
    return true
  }

  private func report(_ news: [Event]) {
    for event in news {
      switch event {
      case .acknowledged(let id): delivery.acknowledged(id)
      case .rejected(let message, let reason): delivery.refused(message, reason: reason)
      default: Issue.record("\(event)")
      }
    }
  }

  private func answer(_ mid: Int32, _ reason: Int32) {
    var news: [Event] = []
    underWay.removeAll { $0.mid == mid }
    client.session.state.withLock { loop.answered(mid, reason, &$0, &news) }
    report(news)
  }

  // MARK: What the broker does

  /// Processes one message. Returns whether there was one.
  @discardableResult
  func serve() -> Bool {
    if wire.isEmpty { return false }
    let (mid, message) = wire.removeFirst()
    if quota > 0, mid > 0, habit.version == .v5 {
      quota -= 1
      answer(mid, 0x97)
      return true
    }
    guard denied.contains(message.topic) else {
      let payload = String(decoding: message.payload, as: UTF8.self)
      if message.retain {
        retained[message.topic] = payload
      } else if arrived[message.topic]?.contains(payload) != true {
        arrived[message.topic, default: []].append(payload)
      }
      if mid > 0 { answer(mid, 0) }
      prove()
      return true
    }
    attempts[message.topic, default: 0] += 1
    let isClosing = habit.costsConnections
    switch habit {
    case .says where mid > 0: answer(mid, 0x87)
    case .saysAndCloses where mid > 0: answer(mid, 0x87)
    case .drops where mid > 0: answer(mid, 0)
    case .dropsAndCloses where mid > 0: answer(mid, 0)
    default: break
    }
    if isClosing {
      closures += 1
      close(byBroker: true)
    } else {
      prove()
    }
    return true
  }

  /// The connection holds.
  private func prove() {
    var news: [Event] = []
    client.session.state.withLock { loop.proven(&$0, &news) }
    report(news)
  }

  /// The process that asks the broker has its answers.
  @discardableResult
  func ask(_ topics: Int = 200, isAnswered: (String) -> Bool = { _ in true }) -> Bool {
    guard delivery.hasQuestions else { return false }
    let asked = delivery.takeQuestions(atMost: topics).map(\.topic)
    questions += asked
    var report = AccessInquiry.Report()
    for topic in asked {
      if !canAsk {
        report.answers[topic] = .unknown(.seconds(60))
      } else if !isAnswered(topic) {
        report.left.append(topic)
      } else if !denied.contains(topic) {
        report.answers[topic] = .allowed
      } else {
        report.answers[topic] =
          habit.costsConnections ? .unknown(.seconds(3600)) : .refused(reason: "not authorized")
      }
    }
    delivery.take(report)
    return !asked.isEmpty
  }

  /// Everything that can happen without time has happened.
  func settle() {
    var turns = 0
    while send() || serve() || ask() {
      turns += 1
      if turns > 20_000 {
        Issue.record("it never comes to rest")
        return
      }
    }
  }

  // MARK: What the user is told

  func refusals(of topic: String) -> Int {
    log.entries.count {
      "\($0.message)".contains("refuses messages to \(topic) from the user gw") && $0.level == .warning
    }
  }

  func shortages(of topic: String) -> Int {
    log.entries.count { "\($0.message)".contains("no room for messages to \(topic) from the user gw") }
  }

  func acceptances(of topic: String) -> Int {
    log.entries.count { "\($0.message)".contains("accepts messages to \(topic) again") }
  }

  var isAtRest: Bool {
    delivery.figures.queued == 0 && delivery.figures.parked == 0 && delivery.figures.refusedTopics.isEmpty
      && wire.isEmpty && underWay.isEmpty
  }
}

private func enter(_ zone: String) -> String { "beaconkeeper/home/zone/\(zone)/enter" }
private func exit(_ zone: String) -> String { "beaconkeeper/home/zone/\(zone)/exit" }
private func state(_ beacon: String) -> String { "beaconkeeper/home/beacon/\(beacon)/state" }

@Suite("What becomes of what a broker refuses") struct RefusalStoryTests {
  @Test(
    "Whatever the broker forbids for a while arrives in the end, in order, and is named once",
    arguments: Story.Habit.allCases)
  fileprivate func chance(_ habit: Story.Habit) throws {
    for seed in 0..<100 as Range<UInt64> { try history(habit, seed) }
  }

  private func history(_ habit: Story.Habit, _ seed: UInt64) throws {
    var chance = SeededGenerator(seed: seed)
    let story = try Story(habit, outstanding: seed % 3 == 0 ? 8 : 1000)
    // What it has no room for comes late.
    let hasLimits = seed % 4 == 1
    var decided: [String: [String]] = [:]
    var said: [String: String] = [:]
    var denials: [String: Int] = [:]
    func change(_ topic: String) {
      if story.denied.remove(topic) == nil {
        story.denied.insert(topic)
        denials[topic, default: 0] += 1
      }
    }
    for _ in 0..<120 {
      story.wait(.random(in: 0...4, using: &chance))
      switch Int.random(in: 0..<24, using: &chance) {
      case 0:
        let topic =
          Int.random(in: 0..<4, using: &chance) == 0
          ? state("\(Int.random(in: 0..<3, using: &chance))")
          : enter("\(Int.random(in: 0..<5, using: &chance))")
        // Nobody can keep the order of two messages under way if the broker changes its mind between them.
        while story.serve() {}
        // What is dropped in silence right after the broker was asked is nobody's to know.
        if habit == .drops {
          story.settle()
          story.wait(6)
        }
        change(topic)
        if habit == .drops || Bool.random(using: &chance) { story.reload() }
      case 1: story.disconnect(.random(in: 0.1...60, using: &chance))
      case 2: story.tell("beaconkeeper/home/observations")
      case 3 where hasLimits:
        story.quota = Int.random(in: 0...3, using: &chance)
      case 3: story.pass(.random(in: 0...100, using: &chance))
      case 4..<10:
        let topic = state("\(Int.random(in: 0..<3, using: &chance))")
        said[topic] = story.say(topic)
      case 10..<14:
        let topic = exit("\(Int.random(in: 0..<3, using: &chance))")
        decided[topic, default: []].append(story.decide(topic))
      default:
        let topic = enter("\(Int.random(in: 0..<5, using: &chance))")
        decided[topic, default: []].append(story.decide(topic))
      }
      for _ in 0..<Int.random(in: 0...6, using: &chance) {
        switch Int.random(in: 0..<5, using: &chance) {
        case 0, 1: story.send()
        case 2, 3: story.serve()
        default: story.ask(5) { _ in Int.random(in: 0..<4, using: &chance) > 0 }
        }
      }
    }
    // Room in the client that nobody was told of is found soon.
    story.pass(10)
    // One denied topic holds up nobody else.
    for (topic, all) in decided where topic.hasSuffix("exit") && !hasLimits {
      #expect(story.arrived[topic] == all, "\(habit) \(seed): \(topic) is held up")
    }
    for topic in story.denied where !hasLimits && !habit.costsConnections && (story.attempts[topic] ?? 0) > 0
    {
      #expect(story.refusals(of: topic) >= 1, "\(habit) \(seed): nobody is told of \(topic)")
    }
    story.denied = []
    story.quota = 0
    story.reload()
    for _ in 0..<1000 where !story.isAtRest { story.pass(5) }
    #expect(story.isAtRest, "\(habit) \(seed): \(story.delivery.figures)")
    for (topic, all) in decided {
      let arrived = story.arrived[topic] ?? []
      let isInOrder = hasLimits ? Set(arrived) == Set(all) && arrived.count == all.count : arrived == all
      #expect(isInOrder, "\(habit) \(seed): \(topic) \(arrived) for \(all)")
    }
    for (topic, last) in said {
      #expect(story.retained[topic] == last, "\(habit) \(seed): \(topic)")
    }
    for (topic, count) in denials {
      #expect(story.refusals(of: topic) <= count, "\(habit) \(seed): \(topic) is named too often")
    }
    #expect(story.delivery.figures.lost == 0, "\(habit) \(seed)")
  }

  @Test(
    "One denied topic is named with topic and user and counted, holds up nobody, and follows once it is allowed",
    arguments: Story.Habit.allCases)
  fileprivate func oneTopic(_ habit: Story.Habit) throws {
    let story = try Story(habit)
    story.denied = [enter("Garage")]
    let kept = [story.decide(enter("Garage")), story.decide(enter("Garage"))]
    let others = (0..<3).map { _ in story.decide(exit("Garage")) }
    let last = story.say(state("key"))
    story.settle()
    #expect(story.arrived[exit("Garage")] == others && story.retained[state("key")] == last)
    #expect(story.arrived[enter("Garage")] == nil)
    let later = story.decide(enter("Garage"))
    story.pass(30)
    #expect(story.delivery.figures.refusedTopics == [enter("Garage")])
    #expect(story.delivery.figures.parked == 3)
    #expect(story.refusals(of: enter("Garage")) == 1)
    story.denied = []
    story.reload()
    story.settle()
    #expect(story.arrived[enter("Garage")] == kept + [later])
    #expect(story.isAtRest && story.acceptances(of: enter("Garage")) == 1)
  }

  @Test("What was refused comes before what came meanwhile, in the order of decision")
  func order() throws {
    let story = try Story(.says)
    story.denied = [enter("Garage")]
    var all = (0..<3).map { _ in story.decide(enter("Garage")) }
    story.send()
    // The first is refused; two are still under way when the fourth is decided.
    story.serve()
    all.append(story.decide(enter("Garage")))
    story.settle()
    #expect(story.delivery.figures.parked == 4)
    story.denied = []
    story.pass(65)
    #expect(story.arrived[enter("Garage")] == all)
  }

  @Test("Of a retained topic the newest arrives, also if an older one is refused after it was said")
  func newest() throws {
    let story = try Story(.says)
    story.denied = [state("key")]
    story.say(state("key"))
    story.send()
    story.say(state("key"))
    story.send()
    story.serve()
    // Both are refused, but the last, which comes in between, was never tried.
    let last = story.say(state("key"))
    story.settle()
    #expect(story.delivery.figures.parked == 1)
    story.denied = []
    story.pass(65)
    #expect(story.retained[state("key")] == last && story.isAtRest)
  }

  @Test("A retained message that changes while it is on trial arrives as it is now")
  func changeOnTrial() throws {
    let story = try Story(.says)
    story.denied = [state("key")]
    story.say(state("key"))
    story.settle()
    story.denied = []
    story.wait(60)
    story.delivery.doChores()
    story.send()
    let last = story.say(state("key"))
    story.settle()
    #expect(story.retained[state("key")] == last && story.isAtRest)
  }

  @Test("Refused topics are tried after a minute, then at intervals that double to ten minutes")
  func intervals() throws {
    let story = try Story(.says)
    story.denied = [enter("Garage")]
    story.decide(enter("Garage"))
    story.settle()
    var times: [Int] = []
    for second in 1...4000 {
      story.wait(1)
      let before = story.attempts[enter("Garage")]
      story.delivery.retryRefused()
      story.settle()
      if story.attempts[enter("Garage")] != before { times.append(second) }
    }
    #expect(times == [60, 120, 240, 480, 960, 1560, 2160, 2760, 3360, 3960])
    #expect(story.refusals(of: enter("Garage")) == 1)
    story.reload()
    story.settle()
    #expect(story.attempts[enter("Garage")] == 12, "at a reload at once")
  }

  @Test("Each refused topic is tried in a round, so that one that stays refused does not delay another")
  func rounds() throws {
    let story = try Story(.says)
    let zones = ["a", "b", "c"]
    story.denied = Set(zones.map(enter))
    let numbers = zones.map { story.decide(enter($0)) }
    story.settle()
    for round in [60.0, 60, 120] {
      story.wait(round - 1)
      story.delivery.doChores()
      story.settle()
      let before = zones.map { story.attempts[enter($0)] ?? 0 }
      story.wait(1)
      story.delivery.doChores()
      story.settle()
      #expect(zones.map { story.attempts[enter($0)] ?? 0 } == before.map { $0 + 1 })
    }
    story.denied.remove(enter("c"))
    story.pass(240)
    #expect(story.arrived[enter("c")] == [numbers[2]])
  }

  @Test("A new connection has all tried at once, but not the one that a refusal has just cost")
  func patience() throws {
    for (away, attempts) in [(29.0, 1), (31, 2)] {
      let story = try Story(.says)
      story.denied = [enter("Garage")]
      story.decide(enter("Garage"))
      story.settle()
      story.disconnect(away)
      story.delivery.doChores()
      story.settle()
      #expect(story.attempts[enter("Garage")] == attempts, "after \(away) s")
    }
  }

  @Test("A connection that a refusal seemed to cost, and a later one does not, is no reason to wait longer")
  func endedByChance() throws {
    let story = try Story(.says)
    story.denied = [enter("Garage")]
    story.decide(enter("Garage"))
    story.settle()
    // The broker is restarted in that moment.
    story.disconnect(0.1)
    story.settle()
    story.reload()
    story.settle()
    story.pass(5)
    story.denied = []
    story.pass(60)
    #expect(story.isAtRest && story.arrived[enter("Garage")]?.count == 1)
  }

  @Test("Where a refusal costs the connection, three refused topics of a kind close it, two do not")
  func kinds() throws {
    for count in [2, 3] {
      let story = try Story(.saysAndCloses)
      story.denied = Set((0..<6).map { enter("\($0)") })
      for zone in 0..<count {
        story.decide(enter("\(zone)"))
        story.settle()
        story.wait(2)
      }
      story.decide(enter("4"))
      story.settle()
      #expect((story.attempts[enter("4")] ?? 0) == (count == 2 ? 1 : 0), "after \(count)")
      // What lies elsewhere goes on.
      let other = story.decide(exit("4"))
      story.settle()
      #expect(story.arrived[exit("4")] == [other])
      #expect(story.delivery.figures.parked == count + 1)
    }
  }

  @Test func `all that is retained below a former base is one kind, and stays unsettled while it is refused`()
    throws
  {
    let story = try Story(.saysAndCloses)
    let former = Set((0..<6).map { "old/home/zone/\($0)/occupancy" } + ["old/home/beacon/a/state"])
    story.denied = former
    for topic in former.sorted().reversed() {
      story.say(topic)
      story.settle()
      story.wait(2)
    }
    #expect(story.closures < former.count, "as many as there are topics: \(story.closures)")
    #expect(story.delivery.unsettled(among: former.union(["old/home/zone/9/occupancy"])) == former)
    story.denied = []
    story.reload()
    story.pass(10)
    #expect(story.delivery.unsettled(among: former) == [])
  }

  @Test("A kind that was closed and is allowed in part is found out, and costs few connections")
  func mixedKinds() throws {
    let story = try Story(.saysAndCloses)
    story.denied = Set(["a", "b", "c"].map(enter))
    for zone in ["a", "b", "c"] {
      story.decide(enter(zone))
      story.settle()
    }
    let held = story.decide(enter("d"))
    story.settle()
    #expect(story.arrived[enter("d")] == nil)
    story.pass(10)
    #expect(story.arrived[enter("d")] == [held])
    let (free, closures) = (story.decide(enter("e")), story.closures)
    story.settle()
    #expect(story.arrived[enter("e")] == [free] && story.closures == closures)
    story.pass(3600)
    #expect(story.closures - closures <= 6, "\(story.closures - closures)")
  }

  @Test("Discovery is closed by one refusal where that costs the connection, and opened by one acceptance")
  func discovery() throws {
    func config(_ beacon: String) -> String {
      "homeassistant/device/beaconkeeper_home/beacon_\(beacon)/config"
    }
    let story = try Story(.saysAndCloses)
    story.denied = Set((0..<40).map { config("\($0)") })
    for beacon in 0..<40 {
      story.say(config("\(beacon)"))
      story.settle()
    }
    story.pass(3600)
    #expect(story.closures < 12, "\(story.closures)")
    story.denied = []
    story.reload()
    story.pass(10)
    #expect(story.retained.count { $0.key.hasPrefix("homeassistant") } == 40 && story.isAtRest)
  }

  @Test(
    "By MQTT 3.1.1 an answer holds for five seconds, for what is retained an hour, and until the rules may have changed"
  )
  func terms() throws {
    let story = try Story(.drops)
    story.settle()
    func asks(_ topic: String) -> Bool {
      let before = story.questions.count { $0 == topic }
      if topic == enter("Garage") { story.decide(topic) } else { story.say(topic) }
      story.settle()
      return story.questions.count { $0 == topic } > before
    }
    #expect(asks(enter("Garage")) && asks(state("key")))
    story.wait(4.9)
    #expect(!asks(enter("Garage")) && !asks(state("key")))
    story.wait(0.2)
    #expect(asks(enter("Garage")) && !asks(state("key")))
    story.wait(3580)
    #expect(!asks(state("key")))
    story.wait(20)
    #expect(asks(state("key")) && !asks(state("key")))
    story.reload()
    #expect(asks(state("key")))
    story.disconnect()
    #expect(asks(state("key")))
  }

  @Test(
    "By MQTT 3.1.1 one topic that is forbidden now has the others asked about anew, also within their hour")
  func changedRules() throws {
    let story = try Story(.drops)
    story.decide(enter("Garage"))
    story.say(state("key"))
    story.settle()
    story.wait(6)
    story.denied = [enter("Garage"), state("key")]
    story.decide(enter("Garage"))
    story.settle()
    let newest = story.say(state("key"))
    story.settle()
    #expect(story.refusals(of: enter("Garage")) == 1 && story.refusals(of: state("key")) == 1)
    #expect(story.delivery.figures.parked == 2)
    story.denied = []
    story.pass(65)
    #expect(story.retained[state("key")] == newest && story.isAtRest)
  }

  @Test("By MQTT 3.1.1 what is on its way while the broker gets other rules is asked about anew")
  func underWay() throws {
    let story = try Story(.drops)
    story.decide(enter("Garage"))
    story.settle()
    let number = story.decide(enter("Garage"))
    story.send()
    story.denied = [enter("Garage")]
    story.disconnect(2)
    story.settle()
    #expect(story.arrived[enter("Garage")] == ["1"] && story.delivery.figures.parked == 1)
    story.denied = []
    story.pass(65)
    #expect(story.arrived[enter("Garage")] == ["1", number])
  }

  /// The access list and the gateway are reloaded in one command, and the broker is the slower one.
  @Test func `by MQTT 3.1.1 nothing is taken as delivered that was on its way before the broker allowed it`()
    throws
  {
    let story = try Story(.drops)
    story.denied = [enter("a")]
    let all = [story.decide(enter("a")), story.decide(enter("a"))]
    story.settle()
    story.reload()
    while story.send() || story.serve() {}
    story.denied = []
    story.settle()
    #expect(story.arrived[enter("a")] == all)
    #expect(story.isAtRest && story.acceptances(of: enter("a")) == 1)
  }

  @Test("What was refused and is allowed again is not refused because nobody can tell later")
  func reasonIsForgotten() throws {
    let story = try Story(.drops)
    story.denied = [enter("Garage")]
    story.decide(enter("Garage"))
    story.settle()
    #expect(story.refusals(of: enter("Garage")) == 1)
    // Nobody can tell: it stays refused.
    story.canAsk = false
    story.pass(60)
    #expect(story.arrived[enter("Garage")] == nil && story.delivery.figures.parked == 1)
    story.canAsk = true
    story.denied = []
    story.reload()
    story.settle()
    #expect(story.isAtRest)
    story.canAsk = false
    story.wait(6)
    story.decide(enter("Garage"))
    story.settle()
    #expect(story.isAtRest && story.refusals(of: enter("Garage")) == 1)
    #expect(story.arrived[enter("Garage")]?.count == 2)
  }

  @Test("Where nobody can tell what MQTT 3.1.1 drops, the broker is believed")
  func believed() throws {
    let story = try Story(.drops)
    story.canAsk = false
    let number = story.decide(enter("Garage"))
    story.settle()
    #expect(story.arrived[enter("Garage")] == [number] && story.isAtRest)
    let asked = story.questions.count
    story.wait(59)
    story.decide(enter("Garage"))
    story.settle()
    #expect(story.questions.count == asked)
    story.wait(2)
    story.decide(enter("Garage"))
    story.settle()
    #expect(story.questions.count == asked + 1)
  }

  @Test(
    "Telemetry asks once a topic and connection, and is left out where it is refused",
    arguments: [Story.Habit.says, .drops])
  fileprivate func telemetry(_ habit: Story.Habit) throws {
    let topic = "beaconkeeper/home/observations"
    let story = try Story(habit)
    story.denied = [topic]
    for _ in 0..<5 {
      story.tell(topic)
      story.settle()
    }
    #expect(story.attempts[topic] == 1 && story.refusals(of: topic) == 1)
    #expect(story.delivery.figures.refusedTopics == [topic] && story.delivery.figures.parked == 0)
    story.denied = []
    story.wait(599)
    story.tell(topic)
    story.settle()
    #expect(story.arrived[topic] == nil)
    story.wait(2)
    let first = story.tell(topic)
    story.settle()
    let second = story.tell(topic)
    story.settle()
    #expect(story.arrived[topic] == [first, second] && story.isAtRest)
    #expect(story.acceptances(of: topic) == 1)
  }

  @Test("What the broker has no room for now follows soon, and is not called refused")
  func quota() throws {
    let story = try Story(.says)
    story.quota = 4
    let all = (0..<4).map { _ in story.decide(enter("Garage")) }
    story.settle()
    #expect(story.delivery.figures.refusedTopics == [] && story.refusals(of: enter("Garage")) == 0)
    #expect(story.shortages(of: enter("Garage")) == 1 && story.delivery.figures.parked == 4)
    story.pass(10)
    #expect(story.arrived[enter("Garage")] == all && story.isAtRest)
    // A topic that is refused stays so while there is no room.
    story.denied = [enter("Garage")]
    story.decide(enter("Garage"))
    story.settle()
    story.quota = 1
    story.reload()
    story.settle()
    #expect(story.delivery.figures.refusedTopics == [enter("Garage")])
    #expect(story.refusals(of: enter("Garage")) == 1 && story.shortages(of: enter("Garage")) == 1)
  }

  @Test("What is older and had no room does not take the place of what is retained since")
  func olderHadNoRoom() throws {
    let story = try Story(.says)
    story.say(state("key"))
    story.send()
    let last = story.say(state("key"))
    story.send()
    story.quota = 1
    story.settle()
    story.pass(10)
    #expect(story.retained[state("key")] == last && story.isAtRest)
  }

  @Test("Retained telemetry is kept where it is refused")
  func health() throws {
    let story = try Story(.says)
    let topic = "beaconkeeper/home/health"
    story.denied = [topic]
    story.tell(topic, retained: true)
    story.settle()
    let last = story.tell(topic, retained: true)
    story.settle()
    #expect(story.delivery.figures.parked == 1 && story.refusals(of: topic) == 1)
    story.denied = []
    story.pass(65)
    #expect(story.retained[topic] == last && story.isAtRest)
  }

  @Test("What waits is bounded: what is on disk is only there then, and the rest is counted as lost")
  func room() throws {
    let story = try Story(.says)
    story.denied = Set((0..<3).map { enter("\($0)") })
    for number in 0..<60 { story.decide(enter("\(number % 3)"), octets: 1 << 19) }
    story.settle()
    #expect(story.delivery.figures.parked <= 32 && story.delivery.figures.parked > 20)
    #expect(story.delivery.figures.lost == 60 - UInt64(story.delivery.figures.parked))
  }

  @Test("Beyond some thousand topics refused ones are given up, and not remembered")
  func topics() throws {
    let story = try Story(.says)
    story.denied = Set((0..<2 * Permissions.topicLimit).map { state("\($0)") })
    for number in 0..<2 * Permissions.topicLimit {
      story.say(state("\(number)"))
      if number % 500 == 0 { story.settle() }
    }
    story.settle()
    #expect(story.delivery.figures.parked == Permissions.topicLimit)
  }

  @Test("By MQTT 3.1.1 retained topics, which are many, leave room to ask about the others")
  func manyRetained() throws {
    let story = try Story(.drops)
    for number in 0..<2 * Permissions.retainedLimit {
      story.say(state("\(number)"))
      if number % 500 == 0 { story.settle() }
    }
    story.settle()
    #expect(story.questions.count <= Permissions.retainedLimit)
    #expect(
      story.retained.count { $0.key.contains("/beacon/") } == 2
        * Permissions.retainedLimit)
    story.decide(enter("Garage"))
    story.settle()
    #expect(story.questions.last == enter("Garage") && story.isAtRest)
  }

  @Test("By MQTT 3.1.1 what is kept in doubt is bounded; the rest is believed")
  func doubt() throws {
    let story = try Story(.drops)
    story.denied = [enter("Garage")]
    for _ in 0..<20 { story.decide(enter("Garage"), octets: 1 << 19) }
    while story.send() || story.serve() {}
    story.settle()
    #expect(story.delivery.figures.parked >= 7 && story.delivery.figures.parked <= 8)
  }
}
