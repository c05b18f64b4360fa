import Configuration
import Contract
import Core
import Logging
import Mosquitto
import ServiceLifecycle
import Synchronization

/// Keeps the connection to the broker for as long as the gateway runs, subscribes to the features' filters,
/// and passes the broker's messages and answers on to them.
final class BrokerLink: Feature {
  private let features: [any Feature]
  private let delivery: Delivery
  private let onReady: @Sendable (String) -> Void
  private let logger: Logger
  private let watch: String
  private let broker: String
  private let clientID: String
  private let farewell: Farewell?
  /// The topics are being cleared, so they must not be published again.
  private let isLeaving = Atomic(false)
  /// The broker granted QoS 0 where 1 was asked for.
  private let isWithoutQoS1 = Atomic(false)
  /// What the features read at present.
  private let subscribed = Mutex<Set<Filter>>([])

  /// What is to be done if the gateway goes to another broker.
  struct Farewell: Sendable {
    /// Whether a topic is to be cleared before others.
    let isFirst: @Sendable (String) -> Bool
    /// The command that clears what stays.
    let remedy: String
    let isMeant: @Sendable () -> Bool
  }

  init(
    _ features: [any Feature], _ delivery: Delivery, _ logger: Logger,
    onReady: @escaping @Sendable (String) -> Void, watch: String, broker: String, clientID: String,
    farewell: Farewell? = nil
  ) {
    self.features = features
    self.delivery = delivery
    self.onReady = onReady
    self.logger = logger
    self.watch = watch
    self.broker = broker
    self.clientID = clientID
    self.farewell = farewell
  }

  /// The features have another configuration.
  func configure(_ new: Configuration) { subscribe() }

  /// Subscribes to all filters again: the broker may now allow what it refused, or have new retained messages.
  private func subscribe() {
    let wanted = features.flatMap(\.filters)
    let former = subscribed.withLock { subscribed in
      defer { subscribed = Set(wanted) }
      return subscribed.subtracting(wanted)
    }
    for filter in former { delivery.client.unsubscribe(from: filter.topics) }
    delivery.subscribe(to: wanted)
  }

  func report(into health: inout HealthMessage) {
    if isWithoutQoS1.load(ordering: .relaxed) { health.brokerLacks.append(.qos1) }
  }

  func run() async throws {
    subscribe()
    delivery.client.start()
    try await withGracefulShutdownHandler {
      try await follow()
    } onGracefulShutdown: { [self] in
      Task {
        await delivery.settle()
        if let farewell, farewell.isMeant() {
          isLeaving.store(true, ordering: .relaxed)
          if await !delivery.leave(clearingFirst: farewell.isFirst) {
            logger.warning(
              "the former broker at \(broker) has not taken leave; clear what stays there: \(farewell.remedy)"
            )
          }
        } else {
          delivery.sayOffline()
        }
        await delivery.client.stop()
      }
    }
  }

  private func follow() async throws {
    var wasConnected = false
    var lastRefusal: ConnectionFailure.Kind?
    var refusedFilters: Set<String> = []
    var quarrel = Quarrel()
    for await event in delivery.client.events {
      switch event {
      case .connected:
        isWithoutQoS1.store(false, ordering: .relaxed)
        if isLeaving.load(ordering: .relaxed) { break }
        for feature in features { feature.connected() }
        if wasConnected { logger.notice("reconnected to the broker") } else { onReady(watch) }
        wasConnected = true
        quarrel.connected(at: LiveClock.now)
        lastRefusal = nil
      case .refused(let failure):
        // A broker that accepted us before may have a temporary problem; one that never did has a permanent one.
        if failure.isPermanent, !wasConnected { throw BrokerRefusal(broker: broker, failure: failure) }
        if lastRefusal != failure.kind {
          logger.warning("cannot reach the broker at \(broker): \(failure); trying again")
        }
        lastRefusal = failure.kind
      case .disconnected where Task.isShuttingDownGracefully: break
      case .disconnected(let reason):
        for feature in features { feature.disconnected() }
        logger.warning("lost the broker: \(reason); trying again")
        if quarrel.isOne(lostAt: LiveClock.now) {
          logger.warning(
            "the broker closes each connection soon after it began; perhaps another client has this gateway's client id, \(clientID)"
          )
        }
      case .subscribed(let filter, qos: 0):
        let isAsked = subscribed.withLock { $0.contains { $0.topics == filter && $0.qos == .atLeastOnce } }
        if isAsked { isWithoutQoS1.store(true, ordering: .relaxed) }
      case .subscribed: break
      case .acknowledged(let id): delivery.acknowledged(id)
      case .rejected(let message, let reason): delivery.refused(message, reason: reason)
      case .subscriptionRefused(let filter, let reason):
        // The subscription is repeated with every connection.
        guard refusedFilters.insert(filter).inserted else { break }
        logger.warning("the broker refused the subscription to \(filter): \(reason)")
      case .message where isLeaving.load(ordering: .relaxed): break
      case .message(let message): _ = try features.contains { try $0.received(message) }
      }
    }
  }
}

/// Connections that end soon after they began, one after another. A broker ends a session when another client comes with its id, and
/// cannot say so in MQTT 3.1.1.
struct Quarrel {
  private static let soon = TimeSpan.seconds(10)
  private static let patience = 5

  private var began: MonotonicTime?
  private var count = 0

  mutating func connected(at time: MonotonicTime) { began = time }

  /// Whether to report the loss now; true only once.
  mutating func isOne(lostAt time: MonotonicTime) -> Bool {
    guard let began else { return false }
    count = time - began < Self.soon ? count + 1 : 0
    return count == Self.patience
  }
}
