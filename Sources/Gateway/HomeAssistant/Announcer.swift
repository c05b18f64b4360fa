import Configuration
import Contract
import Core
import DequeModule
import Pipeline

/// Keeps the discovery messages at the broker in line with the configuration and the beacons heard.
///
/// It reads from the broker's retained messages what an earlier run announced. So it needs no file, and works if the broker
/// lost its messages or was replaced. A function of its input and of the time that is passed in.
struct Announcer: Sendable {
  typealias Subject = DiscoveryDevice.Subject

  /// After this time the broker has sent its retained messages.
  private static let settling = TimeSpan.milliseconds(1500)
  /// The time between two announcements of one device. Home Assistant loses part of an announcement that arrives while it
  /// processes the previous one.
  static let pause = TimeSpan.seconds(5)
  /// Messages in one call of `next`.
  static let batch = 20
  /// The largest number of discovery topics that are remembered.
  private static let topicLimit = 100_000

  var plan: AnnouncementPlan
  /// By beacon name; members of regions up to the plan's limit.
  var heard: [String: HeardBeacon] = [:]
  private var members = 0
  /// How many members got no device because there were too many.
  private(set) var refusedMembers = 0
  /// A topic that another client changed.
  private(set) var overwritten: String?
  /// The broker's retained messages, by topic.
  var kept: [String: Kept] = [:]
  /// Topics of `kept` that arrived since the last full comparison; nil: all must be compared.
  var unjudged: Set<String>?
  /// How many topics were compared with what should be.
  var judged = 0
  private var announced: [Subject: Announced] = [:]
  /// Topics to clear, in order of arrival.
  var obsolete = ObsoleteTopics()
  var due = SubjectQueue()
  /// When to compare everything again; nil while there is no connection.
  var sweepTime: MonotonicTime?
  private var isConnected = false
  /// Nothing is announced before.
  var announceTime = MonotonicTime(nanoseconds: .min)

  struct Kept {
    /// The platform of each component, by its key.
    var components: [String: String] = [:]
    var make: DeviceMake?
    /// The payload's hash, if this run published it.
    var told: Int?
  }

  private struct Announced {
    var fingerprint: Int
    var time: MonotonicTime
  }

  init(_ configuration: Configuration) { plan = AnnouncementPlan(configuration) }

  var discovery: Discovery { plan.discovery }

  mutating func connected(at time: MonotonicTime) {
    isConnected = true
    kept.removeAll()
    unjudged = nil
    obsolete.removeAll()
    announced.removeAll()
    sweepTime = time + Self.settling
  }

  mutating func disconnected() {
    isConnected = false
    sweepTime = nil
  }

  /// Home Assistant has started: announces everything again, after a delay so that gateways do not all publish at once.
  mutating func born(at time: MonotonicTime) {
    guard isConnected else { return }
    unjudged = nil
    announced.removeAll()
    let turn = discovery.gateway.utf8.reduce(0) { ($0 * 31 + Int64($1)) % 2000 }
    sweepTime = max(sweepTime ?? time, time + .milliseconds(1000 + turn))
  }

  /// Applies another configuration. `note` must then be called again for every beacon.
  mutating func reconfigure(_ configuration: Configuration, at time: MonotonicTime) {
    plan = AnnouncementPlan(configuration)
    heard.removeAll()
    members = 0
    refusedMembers = 0
    unjudged = nil
    announced.removeAll()
    // In the same order in every run, because the number of members is limited.
    for topic in kept.keys.sorted() { learn(topic) }
    if isConnected { sweepTime = max(sweepTime ?? time, time + .milliseconds(500)) }
  }

  /// Processes a message from the broker; returns false if it is not about Home Assistant.
  mutating func take(_ payload: [UInt8], topic: String, isRetained: Bool, at time: MonotonicTime) -> Bool {
    if discovery.isBirth(topic) {
      if payload.elementsEqual("online".utf8) { born(at: time) }
      return true
    }
    guard discovery.isOwn(topic) else { return false }
    // Otherwise it is an echo of our own, or another client has changed it.
    if isRetained { received(payload, at: topic, time: time) } else { heard(payload, at: topic) }
    return true
  }

  /// A message at a discovery topic that somebody has just published.
  private mutating func heard(_ payload: [UInt8], at topic: String) {
    guard let told = kept[topic]?.told, told != payload.hashValue, verdict(on: topic) == .keep,
      let subject = discovery.parse(topic)?.subject
    else { return }
    overwritten = topic
    announced[subject]?.fingerprint = 0
    due.append(subject)
  }

  /// A retained message at a discovery topic.
  mutating func received(_ payload: [UInt8], at topic: String, time: MonotonicTime) {
    guard !payload.isEmpty else {
      kept[topic] = nil
      return
    }
    guard kept.count < Self.topicLimit else { return }
    let retained = RetainedDiscovery(payload)
    kept[topic] = Kept(
      components: (retained?.components ?? [:]).filter(\.value.isThere).mapValues(\.platform),
      make: retained?.make)
    unjudged?.insert(topic)
    learn(topic)
    // A late message is compared later.
    if isConnected { sweepTime = sweepTime ?? time + Self.settling }
  }

  /// Topics of this and of earlier runs, which the broker perhaps does not return. Those that are no longer needed are cleared.
  mutating func remember(_ topics: Set<String>) {
    // In the same order in every run, because the number of members is limited.
    for topic in topics.sorted() where kept[topic] == nil && discovery.isOwn(topic) {
      learn(topic)
      if verdict(on: topic) != .keep { kept[topic] = Kept() }
    }
  }

  /// Adds a beacon that was heard for the first time, or that has a new reading.
  mutating func note(_ name: String, _ news: HeardBeacon) {
    let before = heard[name]
    guard admit(name) else { return }
    heard[name, default: HeardBeacon()].zones.formUnion(news.zones)
    heard[name, default: HeardBeacon()].readings.formUnion(news.readings)
    if let make = news.make { heard[name]?.make = make }
    if heard[name] != before { due.append(.beacon(name)) }
  }

  /// Removes a member of a region; another one may have its place.
  mutating func forget(_ name: String) {
    guard plan.isMember(name), heard.removeValue(forKey: name) != nil else { return }
    members -= 1
    announced[.beacon(name)] = nil
    for topic in kept.keys.sorted() where discovery.parse(topic)?.subject == .beacon(name) {
      obsolete.append(topic)
    }
  }

  /// A member that was silent for longer gives its place to one that is heard.
  private static let silence = TimeSpan.seconds(60)
  /// A member that was heard within this time is there.
  private static let presence = TimeSpan.seconds(30)

  /// Gives places of members that were silent longest to others that are heard: anybody can invent members and take all places.
  /// Members with a name in the configuration come first.
  ///
  /// - Parameters:
  ///   - lastHeard: when each member was heard last.
  ///   - start: when the gateway began to listen.
  /// - Returns: the members that get places, for which `note` must be called, and whether others are still without.
  mutating func makeRoom(
    lastHeard: [(name: String, heard: MonotonicTime)], since start: MonotonicTime, at time: MonotonicTime
  ) -> (admitted: [String], isCrowded: Bool) {
    guard plan.memberLimit > 0 else { return ([], false) }
    let times = Dictionary(lastHeard.map { ($0.name, $0.heard) }) { max($0, $1) }
    let waiting = times.filter { name, last in
      heard[name] == nil && plan.isMember(name) && time - last < Self.presence
    }.keys.sorted { (plan.isNamed($0) ? 0 : 1, $0) < (plan.isNamed($1) ? 0 : 1, $1) }
    var holders = heard.keys.filter { plan.isMember($0) && !plan.isNamed($0) }
      .map { (name: $0, heard: times[$0] ?? start) }
      .sorted { ($0.heard, $0.name) < ($1.heard, $1.name) }[...]
    var admitted: [String] = []
    for name in waiting {
      if members >= plan.memberLimit {
        guard let longest = holders.first, plan.isNamed(name) || time - longest.heard > Self.silence else {
          break
        }
        holders.removeFirst()
        forget(longest.name)
      }
      admitted.append(name)
      _ = admit(name)
      due.append(.beacon(name))
    }
    return (admitted, admitted.count < waiting.count)
  }

  /// The messages to publish now.
  mutating func next(at time: MonotonicTime) -> [Message] {
    guard isConnected else { return [] }
    if let sweepTime {
      guard time >= sweepTime else { return [] }
      self.sweepTime = nil
      let migrations = sweep(at: time)
      if !migrations.isEmpty { return migrations }
    }
    var messages = takeObsolete(at: time)
    guard plan.isOn, time >= announceTime else { return messages }
    while messages.count < Self.batch, let subject = due.popFirst() {
      messages += announce(subject, at: time)
    }
    due.restore()
    return messages
  }

  /// Whether everything due is announced or removed.
  var isSettled: Bool {
    isConnected && sweepTime == nil && obsolete.isEmpty && (due.count == 0 || !plan.isOn)
  }

  /// When `next` returns messages even if nothing happens until then; nil: never.
  func nextTime(after time: MonotonicTime) -> MonotonicTime? {
    guard isConnected else { return nil }
    if let sweepTime { return sweepTime }
    let removal = obsolete.readyTime(after: time)
    guard plan.isOn, due.count > 0 else { return removal }
    let announcement = max(announceTime, due.readyTime ?? time)
    return min(removal ?? announcement, announcement)
  }

  // MARK: Earlier announcements

  /// Learns the properties of a device from a topic.
  private mutating func learn(_ topic: String) {
    guard let parsed = discovery.parse(topic), case .beacon(let name) = parsed.subject, admit(name) else {
      return
    }
    var keys = kept[topic].map { Array($0.components.keys) } ?? []
    if let component = parsed.component { keys.append(component.key) }
    heard[name, default: HeardBeacon()].readings.formUnion(keys.compactMap { ReadingKind(component: $0) })
    if let make = kept[topic]?.make, BeaconKind.makes.contains(make) { heard[name]?.make = make }
  }

  /// Whether a beacon has a device, or gets one.
  private mutating func admit(_ name: String) -> Bool {
    guard plan.isOn else { return false }
    guard plan.isMember(name) else { return true }
    if heard[name] != nil { return true }
    guard members < plan.memberLimit else {
      refusedMembers += 1
      return false
    }
    members += 1
    heard[name] = HeardBeacon()
    return true
  }

  // MARK: Announcing

  func device(_ subject: Subject) -> DiscoveryDevice? {
    var beacon: HeardBeacon?
    if case .beacon(let name) = subject {
      beacon = heard[name]
      // There are too many members.
      if beacon == nil, plan.isMember(name) { return nil }
    }
    return plan.device(subject, heard: beacon)
  }

  private mutating func announce(_ subject: Subject, at time: MonotonicTime) -> [Message] {
    guard let device = device(subject) else { return [] }
    let fingerprint = device.hashValue
    if let last = announced[subject] {
      if last.fingerprint == fingerprint { return [] }
      if time - last.time < Self.pause {
        due.putBack(subject, until: last.time + Self.pause)
        return []
      }
    }
    announced[subject] = Announced(fingerprint: fingerprint, time: time)
    switch discovery.form {
    case .device:
      let topic = discovery.topic(of: subject)
      let keys = Set(device.components.map(\.key))
      let dropped = (kept[topic]?.components ?? [:]).filter { !keys.contains($0.key) }
      let components = Dictionary(
        device.components.map { ($0.key, $0.platform) }, uniquingKeysWith: { first, _ in first }
      ).merging(dropped) { now, _ in now }
      let messages = discovery.messages(device, dropped: dropped)
      kept[topic] = Kept(
        components: components, make: device.make, told: messages.first?.payload.hashValue)
      return messages
    case .component:
      let messages = discovery.messages(device)
      for message in messages {
        kept[message.topic] = Kept(make: device.make, told: message.payload.hashValue)
      }
      return messages
    }
  }
}

/// Clears retained messages that are not needed any more.
extension Announcer {
  /// Compares retained messages with the plan, and queues all differences. Returns the messages that must come first: they
  /// release what another discovery form announced.
  mutating func sweep(at time: MonotonicTime) -> [Message] {
    for subject in plan.standing { due.append(subject) }
    for name in heard.keys.sorted() { due.append(.beacon(name)) }
    let patience = TimeSpan.seconds(10 + Double(due.count) / 40)
    let topics = unjudged?.filter { kept[$0] != nil }.sorted() ?? kept.keys.sorted()
    unjudged = []
    var leaving: [String] = []
    for topic in topics where !obsolete.contains(topic) {
      judged += 1
      switch verdict(on: topic) {
      case .keep: continue
      case .remove: obsolete.append(topic)
      case .migrate: leaving.append(topic)
      }
    }
    let reductions = leaving.compactMap { reduction(of: $0) }
    if !reductions.isEmpty {
      unjudged = Set(leaving)
      sweepTime = time + Self.pause
      return reductions
    }
    for topic in leaving { obsolete.append(topic, from: time + patience) }
    if !leaving.isEmpty { announceTime = time + .seconds(2) }
    return leaving.map { Discovery.migration($0) }
  }

  /// Removes from a device of the other form the components that nothing replaces; otherwise Home Assistant would keep them for
  /// ever. nil: there are none.
  private mutating func reduction(of topic: String) -> Message? {
    guard let parsed = discovery.parse(topic), parsed.form == .device,
      let device = device(parsed.subject)
    else { return nil }
    let keys = Set(device.components.map(\.key))
    let dropped = (kept[topic]?.components ?? [:]).filter { !keys.contains($0.key) }
    if dropped.isEmpty { return nil }
    for key in dropped.keys { kept[topic]?.components[key] = nil }
    var discovery = discovery
    discovery.form = .device
    return discovery.messages(device, dropped: dropped).first
  }

  private enum Verdict { case keep, remove, migrate }

  private func verdict(on topic: String) -> Verdict {
    guard let parsed = discovery.parse(topic), let device = device(parsed.subject) else { return .remove }
    if let component = parsed.component,
      !device.components.contains(where: { $0.key == component.key && $0.platform == component.platform })
    {
      return .remove
    }
    return parsed.form == discovery.form ? .keep : .migrate
  }

  mutating func takeObsolete(at time: MonotonicTime) -> [Message] {
    var messages: [Message] = []
    for _ in 0..<Self.batch {
      guard let topic = obsolete.popFirst(at: time) else { break }
      judged += 1
      // The subject may be in the configuration again.
      if verdict(on: topic) == .keep { continue }
      kept[topic] = nil
      messages.append(Message(clearing: topic))
    }
    return messages
  }
}

/// Topics to clear, each once, in order; some not before a time. Removing one takes constant time.
struct ObsoleteTopics: Sendable {
  private var ready: Deque<String> = []
  private var later: Deque<(topic: String, from: MonotonicTime)> = []
  private var members: Set<String> = []

  var isEmpty: Bool { members.isEmpty }

  func contains(_ topic: String) -> Bool { members.contains(topic) }

  /// - Parameter time: when it may be removed; not earlier than the previous topic's time.
  mutating func append(_ topic: String, from time: MonotonicTime? = nil) {
    guard members.insert(topic).inserted else { return }
    if let time { later.append((topic, time)) } else { ready.append(topic) }
  }

  /// When the next topic can be cleared; nil: there is none.
  func readyTime(after time: MonotonicTime) -> MonotonicTime? { ready.isEmpty ? later.first?.from : time }

  mutating func popFirst(at time: MonotonicTime) -> String? {
    if later.first.map({ $0.from <= time }) == true, let next = later.popFirst() { ready.append(next.topic) }
    guard let topic = ready.popFirst() else { return nil }
    members.remove(topic)
    return topic
  }

  mutating func removeAll() { self = ObsoleteTopics() }
}

/// A retained discovery payload, announced by an earlier run. It may also be from any other client.
struct RetainedDiscovery {
  struct Component {
    var platform: String
    /// Whether it has options; without them it is a removal.
    var isThere: Bool
  }

  /// None in the component form.
  private(set) var components: [String: Component] = [:]
  private(set) var make: DeviceMake?

  /// All of ours are smaller.
  private static let limit = 1 << 20

  /// nil for payloads that are not ours.
  init?(_ payload: [UInt8]) {
    guard payload.count <= Self.limit, let tree = try? JSONTree(payload, limit: payload.count) else {
      return nil
    }
    if !tree.lacks("components") {
      guard case .object(let members)? = tree["components"] else { return nil }
      for member in members where components[member.name] == nil {
        guard let platform = member.value.text("platform") else { return nil }
        let isThere = member.value["unique_id"] != nil || member.value["automation_type"] != nil
        components[member.name] = Component(platform: platform, isThere: isThere)
      }
    }
    guard let device = tree["device"], device != .null else { return }
    guard case .object = device,
      ["manufacturer", "model"].allSatisfy({ device.lacks($0) || device.text($0) != nil })
    else { return nil }
    make = device.text("model").map { DeviceMake(manufacturer: device.text("manufacturer"), model: $0) }
  }
}
