import Contract
import Core
import Fleet
import Mosquitto
import Synchronization

/// A simulated gateway's connection. Batches wait for it; if it is lost, it connects to the next broker of the list.
final class CrowdLine: Sendable {
  private static let keepAlive = Duration.seconds(5)
  /// The longest wait before another attempt.
  private static let patience = 5.0

  private struct State {
    var queue = WaitingBatches()
    var client: Client?
    /// How many connections were tried; the events of earlier ones do not count.
    var attempt = 0
    var failures = 0
    var isClosed = false
  }

  private let topics: Topics
  private let brokers: [Options]
  private let number: Int
  private let start: MonotonicTime
  private let state = Mutex(State())

  /// - Parameters:
  ///   - number: its index among the gateways, which are spread over the brokers.
  ///   - start: when the crowd began to walk.
  init(_ name: String, number: Int, _ brokers: [Options], start: MonotonicTime) {
    topics = Topics(gateway: name)
    self.number = number
    self.start = start
    let will = Status.offline.message(topics: topics)
    self.brokers = brokers.map { broker in
      var options = broker
      options.clientID = "crowd-" + name
      options.keepAlive = Self.keepAlive
      options.window = WaitingBatches.window
      options.will = Will(topic: will.topic, payload: will.payload)
      return options
    }
  }

  func add(_ batches: [CrowdBatch]) {
    state.withLock { state in for batch in batches { state.queue.add(batch) } }
    send()
  }

  struct Figures {
    var isConnected = false
    var waiting = 0
    var batches: UInt64 = 0
    var observations: UInt64 = 0
    var lost: UInt64 = 0
  }

  var figures: Figures {
    state.withLock { state in
      Figures(
        isConnected: state.client?.isConnected ?? false, waiting: state.queue.count,
        batches: state.queue.acknowledged, observations: state.queue.acknowledgedObservations,
        lost: state.queue.lost)
    }
  }

  /// Connects, and processes the connection's events until `close`.
  func connect() throws(InvalidOptions) {
    let attempt = state.withLock { $0.attempt }
    let client = try Client(brokers[(number + attempt) % brokers.count])
    let isWanted = state.withLock { state in
      guard state.attempt == attempt, !state.isClosed else { return false }
      state.client = client
      return true
    }
    guard isWanted else { return }
    let events = client.events
    client.start()
    let online = Status.online.message(topics: topics)
    try? client.publish(online.payload, to: online.topic, retain: true)
    Task { [weak self] in
      for await event in events {
        guard let self, self.take(event, of: attempt) else { return }
      }
    }
  }

  /// Returns false once the connection is abandoned.
  private func take(_ event: Event, of attempt: Int) -> Bool {
    switch event {
    case .connected:
      let isOurs = state.withLock { state in
        guard state.attempt == attempt else { return false }
        state.failures = 0
        state.queue.connected()
        return true
      }
      if isOurs { send() }
      return isOurs
    case .acknowledged(let id):
      if id > 0 { state.withLock { $0.queue.acknowledge(id) } }
      send()
    case .rejected(let message, _):
      if message.id > 0 { state.withLock { $0.queue.refuse(message.id) } }
      send()
    case .refused, .disconnected:
      giveUp(attempt)
      return false
    case .message, .subscribed, .subscriptionRefused: break
    }
    return true
  }

  private func giveUp(_ attempt: Int) {
    let wait = state.withLock { state -> Double? in
      guard state.attempt == attempt, !state.isClosed else { return nil }
      state.attempt += 1
      state.failures += 1
      state.client = nil
      state.queue.disconnected()
      return min(Self.patience, Double(state.failures)) * .random(in: 0.1...1)
    }
    guard let wait else { return }
    Task { [weak self] in
      try await Task.sleep(for: .seconds(wait))
      try self?.connect()
    }
  }

  /// Sends as much as the connection accepts.
  private func send() {
    let now = MonotonicTime.zero + (LiveClock.now - start)
    state.withLock { state in
      guard let client = state.client else { return }
      while let (number, batch) = state.queue.next() {
        // A client accepts more than a window.
        try? client.publish(batch.payload(at: now), to: batch.message.topic, id: number)
      }
    }
  }

  /// Publishes that the gateway is offline, and disconnects.
  func close() async {
    let client = state.withLock { state in
      state.isClosed = true
      return state.client
    }
    let offline = Status.offline.message(topics: topics)
    try? client?.publish(offline.payload, to: offline.topic, retain: true)
    await client?.stop()
  }
}
