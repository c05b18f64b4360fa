import Configuration
import Contract
import Core
import Logging
import Mosquitto
import Outbox
import ServiceLifecycle
import Synchronization

/// Clears what this gateway left at the broker under a former name, and then its former outbox. Otherwise a zone of that name
/// would stay occupied for ever.
///
/// An outbox is of this gateway if its configuration file is the same, and nobody else is online under its name.
final class FormerNameService: Feature {
  /// How long the broker may take to send what it retains.
  private static let patience = Duration.seconds(3)
  /// Home Assistant removes entities in this time. An entity logs an error about an empty state.
  private static let settling = Duration.seconds(4)

  private struct State {
    /// The topics of the former name that is being cleared, and what the broker retains there; empty: none is being cleared.
    var topics: [Topics] = []
    var found: [String: [UInt8]] = [:]
  }

  private let state = Mutex(State())
  /// How often the gateway was connected.
  private let connections = Mutex(0)
  private let connection = Alarm()
  private let former: [FormerOutbox]
  private let configuration: Configuration
  private let discovery: Discovery
  private let delivery: Delivery
  private let leftovers: LeftoverService
  private let logger: Logger

  /// - Parameter file: the path of the configuration file; nil: there is none.
  init(
    _ former: [FormerOutbox], _ configuration: Configuration, _ file: String?, _ delivery: Delivery,
    _ leftovers: LeftoverService, _ logger: Logger
  ) {
    self.former = former.filter { $0.configuration != nil && $0.configuration == file }
    self.configuration = configuration
    discovery = AnnouncementPlan(configuration).discovery
    self.delivery = delivery
    self.leftovers = leftovers
    self.logger = logger
    for outbox in former where outbox.configuration == nil {
      logger.warning("\(Self.words(on: outbox)); \(Self.remedy(for: outbox, configuration))")
    }
  }

  static func words(on outbox: FormerOutbox) -> String {
    let waiting = outbox.waiting > 0 ? ", and \(outbox.waiting) transitions wait in it" : ""
    return "\(outbox.path) is of a gateway called \(outbox.gateway), which does not run here\(waiting)"
  }

  static func remedy(for outbox: FormerOutbox, _ configuration: Configuration) -> String {
    let topics = topics(
      of: outbox.gateway, RememberedTopics(path: outbox.topics).all, root: configuration.topics.root)
    let filters = filters(of: topics, AnnouncementPlan(configuration).discovery)
    let subscriber: String
    var needs = ""
    if case .remote(let broker) = configuration.broker {
      subscriber = broker.subscriber
      needs = broker.subscriberNeeds.map { " (\($0))" } ?? ""
    } else {
      subscriber = "mosquitto_sub"
    }
    let topicOptions = filters.map { "-t \(shellWord($0))" }.joined(separator: " ")
    // Some brokers send no retained messages to a subscription with wildcards.
    let publisher = subscriber.replacing("mosquitto_sub", with: "mosquitto_pub", maxReplacements: 1)
    // mosquitto_sub ends with 27 when its time is up, and with another status if it failed.
    return "if that was this gateway's name, clear what it left\(needs): "
      + "cat \(shellWord(outbox.topics)) | while read -r t; do \(publisher) -r -n -t \"$t\"; done; "
      + "\(subscriber) \(topicOptions) --retained-only --remove-retained -W 3; "
      + "[ $? = 27 ] && rm \(shellWord(outbox.path))* \(shellWord(outbox.topics))"
  }

  /// The topics below each base where a gateway retained anything: `base_topic` may have been changed together with the name.
  ///
  /// - Parameter root: where it is looked for if none is remembered.
  static func topics(of gateway: String, _ remembered: Set<String>, root: String) -> [Topics] {
    let ending = "/" + topicLevel(gateway)
    let bases = Set(remembered.compactMap(Topics.base)).filter { $0.hasSuffix(ending) }
    let roots = bases.isEmpty ? [root] : bases.sorted().map { String($0.dropLast(ending.count)) }
    return roots.map { Topics(gateway: gateway, root: $0) }
  }

  private static func filters(of topics: [Topics], _ own: Discovery) -> [String] {
    topics.map { $0.base + "/#" } + topics.prefix(1).map { discovery(of: $0, own).filter }
  }

  func connected() {
    connections.withLock { $0 += 1 }
    connection.ring()
  }

  func received(_ message: ReceivedMessage) -> Bool {
    state.withLock { state in
      guard isOwn(message.topic, state.topics) else { return false }
      if message.payload.isEmpty {
        state.found[message.topic] = nil
      } else if message.retain {
        state.found[message.topic] = message.payload
      }
      return true
    }
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      for outbox in self.former {
        // If the connection was lost meanwhile, the answers are incomplete.
        do { while try await !self.clear(outbox) {} } catch { return }
      }
      while !Task.isCancelled { await self.connection.wait() }
    }
  }

  /// Returns false if the connection was lost before the end.
  private func clear(_ outbox: FormerOutbox) async throws -> Bool {
    while !delivery.client.isConnected {
      await connection.wait()
      try Task.checkCancellation()
    }
    let count = connections.withLock(\.self)
    let isStillConnected = { self.delivery.client.isConnected && self.connections.withLock(\.self) == count }
    let remembered = RememberedTopics(path: outbox.topics).all
    let topics = Self.topics(of: outbox.gateway, remembered, root: configuration.topics.root)
    let found = try await retained(of: topics)
    // After a power cut our own `online` is still retained. A gateway that came after us would have replaced the `instance`.
    if topics.contains(where: { isAnotherOnline(at: $0, found, besides: outbox.instance) }) {
      logger.warning(
        "another gateway is online as \(outbox.gateway), which was this one's name, or lost its power as that; what it retains is left alone. If nobody runs as \(outbox.gateway): \(Self.remedy(for: outbox, configuration))"
      )
      return true
    }
    guard isStillConnected() else { return false }
    // Some brokers send no retained messages to a subscription with wildcards.
    let all = Set(found.keys).union(remembered.filter { isOwn($0, topics) }).union(
      topics.flatMap { [$0.status, $0.instance, $0.health] })
    let announcements = all.filter { topic in topics.contains { discovery(of: $0).isOwn(topic) } }
    remove(announcements)
    if !announcements.isEmpty { try await Task.sleep(for: Self.settling) }
    remove(all.subtracting(announcements))
    let left = try await retained(of: topics)
    guard isStillConnected() else { return false }
    // If not even the status could be read, an empty answer proves nothing.
    guard left.isEmpty, topics.contains(where: { found[$0.status] != nil }) else {
      logger.warning(
        "this gateway was called \(outbox.gateway), and cannot see or clear what it retained under that name; \(Self.remedy(for: outbox, configuration))"
      )
      return true
    }
    leftovers.expectWills(at: topics.map(\.status))
    let waiting = outbox.waiting
    if waiting == 0 { outbox.remove() }
    logger.notice("this gateway was called \(outbox.gateway): its retained messages are cleared")
    if waiting > 0 {
      logger.warning(
        "\(waiting) transitions of \(outbox.gateway) were never delivered; they stay in \(outbox.path)")
    }
    return true
  }

  /// Whether a topic belongs to a gateway that has one of these sets of topics.
  private func isOwn(_ topic: String, _ topics: [Topics]) -> Bool {
    topics.contains { topic.hasPrefix($0.base + "/") || discovery(of: $0).isOwn(topic) }
  }

  private func remove(_ topics: some Collection<String>) {
    delivery.send(topics.sorted().map(Message.init(clearing:)))
  }

  /// What the broker retains under a name.
  private func retained(of topics: [Topics]) async throws -> [String: [UInt8]] {
    let filters = topics.map(\.status) + Self.filters(of: topics, discovery)
    state.withLock { $0 = State(topics: topics) }
    defer {
      for filter in filters { delivery.client.unsubscribe(from: filter) }
      state.withLock { $0 = State() }
    }
    delivery.subscribe(to: filters.map { Filter(topics: $0, qos: .atMostOnce) })
    try await Task.sleep(for: Self.patience)
    return state.withLock { $0.found }
  }

  private func discovery(of topics: Topics) -> Discovery { Self.discovery(of: topics, discovery) }

  private static func discovery(of topics: Topics, _ own: Discovery) -> Discovery {
    Discovery(topics, version: version, prefix: own.prefix)
  }
}

/// Whether another gateway is online with these topics, by what the broker retains there.
///
/// - Parameter instance: of this gateway's last run; nil: unknown.
func isAnotherOnline(at topics: Topics, _ found: [String: [UInt8]], besides instance: String?) -> Bool {
  guard found[topics.status] == Array(Status.online.rawValue.utf8) else { return false }
  let there = found[topics.instance].flatMap { InstanceMessage($0)?.instance }
  return there == nil || there != instance
}
