import Configuration
import Contract
import Core
import Mosquitto
import ServiceLifecycle
import Synchronization

/// Corrects retained messages that an earlier run or configuration left at the broker, after each connection and each reload.
///
/// States of beacons that are unknown to this run are corrected at once. Topics that are no longer configured are cleared only
/// after Home Assistant has removed their entities, because an entity logs an error about an empty state.
///
/// Its subscriptions come and go with each search, so they are not among its `filters`: subscribing once more makes the broker
/// send again what it retains.
final class LeftoverService: Feature {
  /// How long the broker may take to send its retained messages.
  private static let patience = TimeSpan.seconds(10)
  /// Between two rounds, so that a burst is corrected together.
  private static let pause = Duration.seconds(1)
  /// Topics are cleared after this time without announcements to Home Assistant.
  private static let settling = TimeSpan.seconds(4)
  /// How many times at most the broker is asked again if messages came faster than they were read.
  private static let repetitions = 20
  /// The largest number of corrections that may wait, because each needs memory.
  private static let correctionLimit = 1_000

  private struct State {
    var leftovers: Leftovers
    var discovery: Discovery
    /// The broker is connected, but its retained states of beacons are not checked yet.
    var isConnected = false
    /// Obsolete topics have not been searched yet.
    var isDue = true
    /// The broker's retained messages are checked until then.
    var end: MonotonicTime?
    /// Whether obsolete topics may be cleared.
    var mayClear = false
    /// How many messages the client had dropped when the broker was asked.
    var dropped: UInt64 = 0
    /// How often it was asked since the connection or the reload.
    var asked = 0
    var corrections: [String: Leftovers.Correction] = [:]
    /// Where last wills of former sessions may still come, and until when.
    var wills: Set<String> = []
    var willsEnd: MonotonicTime?
  }

  private let state: Mutex<State>
  /// Rings when there may be work again.
  private var alarm: Alarm { homeAssistant.settlement }
  private let decisions: DecisionLoop
  private let delivery: Delivery
  private let homeAssistant: HomeAssistantLink
  private let willDelay: TimeSpan

  init(_ configuration: Configuration, _ decisions: DecisionLoop, _ homeAssistant: HomeAssistantLink) {
    state = Mutex(
      State(leftovers: Leftovers(configuration), discovery: AnnouncementPlan(configuration).discovery))
    self.decisions = decisions
    delivery = decisions.delivery
    self.homeAssistant = homeAssistant
    willDelay = configuration.willDelay
  }

  /// Clears the status below former names or bases again later. If the gateway lost its power there, or was killed on the far side
  /// of a dead link, the broker publishes its last will when it misses the session's keepalive.
  func expectWills(at topics: [String]) {
    if topics.isEmpty { return }
    // If the gateway is started again meanwhile, it finds them there.
    for topic in topics { delivery.remembered.note(topic, isCleared: false) }
    state.withLock { state in
      state.wills.formUnion(topics)
      state.willsEnd = LiveClock.now + willDelay
    }
    alarm.ring()
  }

  private func clearWills() {
    let wills = state.withLock { state -> Set<String> in
      guard let end = state.willsEnd, LiveClock.now >= end else { return [] }
      state.willsEnd = nil
      defer { state.wills = [] }
      return state.wills
    }
    delivery.send(wills.sorted().map(Message.init(clearing:)))
    for topic in wills { delivery.remembered.note(topic, isCleared: true) }
  }

  func configure(_ new: Configuration) {
    let (leftovers, discovery) = (Leftovers(new), AnnouncementPlan(new).discovery)
    state.withLock { state in
      state.leftovers = leftovers
      state.discovery = discovery
    }
    lookAgain()
  }

  /// Searches once more, as after a reload.
  func lookAgain() {
    state.withLock { state in
      state.isDue = true
      state.asked = 0
    }
    alarm.ring()
  }

  func connected() {
    state.withLock { state in
      state.isConnected = true
      state.isDue = true
      state.asked = 0
    }
    alarm.ring()
  }

  func received(_ message: ReceivedMessage) -> Bool {
    let (isOwn, removal, count) = state.withLock { state in
      guard state.leftovers.isOwn(message.topic) else { return (false, nil as Message?, 0) }
      // A message that is not retained is an echo of our own; an empty one is a removal.
      guard message.retain, !message.payload.isEmpty, state.end != nil else { return (true, nil, 0) }
      if let correction = state.leftovers.correction(of: message.topic, message.payload) {
        state.corrections[message.topic] = correction
      }
      return (
        true, state.mayClear ? state.leftovers.removal(of: message.topic) : nil, state.corrections.count
      )
    }
    if let removal {
      delivery.send([removal])
    } else if isOwn, message.retain, !message.payload.isEmpty {
      // The file that an earlier run kept may be gone.
      delivery.remembered.note(message.topic, isCleared: false)
    }
    if count >= Self.correctionLimit {
      correct()
    } else if count > 0 {
      alarm.ring()
    }
    return isOwn
  }

  private func correct() {
    let corrections = state.withLock { state in
      defer { state.corrections.removeAll() }
      return state.corrections
    }
    if !corrections.isEmpty { decisions.correct(Array(corrections.values)) }
  }

  private func beginLook() {
    let settledSince = homeAssistant.settledSince
    let dropped = delivery.client.events.lostMessages
    let (filters, removals): ([String], [Message]) = state.withLock { state in
      let now = LiveClock.now
      if state.isConnected {
        state.isConnected = false
        state.mayClear = false
        state.dropped = dropped
        state.end = now + Self.patience
        return (state.leftovers.claims, [])
      }
      guard state.isDue, let settledSince, now - settledSince >= Self.settling else { return ([], []) }
      state.isDue = false
      state.mayClear = true
      state.dropped = dropped
      state.asked += 1
      state.end = now + Self.patience
      let remembered = delivery.remembered.all.sorted()
      return (
        state.leftovers.filters,
        remembered.compactMap { state.leftovers.removal(ofRemembered: $0, state.discovery) }
      )
    }
    if !removals.isEmpty { delivery.send(removals) }
    expectWills(at: removals.map(\.topic).filter { $0.hasSuffix("/status") })
    // With QoS 1, mosquitto forgets all but some thousand retained messages at once (`max_queued_messages`).
    delivery.subscribe(to: filters.map { Filter(topics: $0, qos: .atMostOnce, options: .withoutOwn) })
  }

  func run() async throws {
    await cancelWhenGracefulShutdown {
      while !Task.isCancelled {
        await self.alarm.wait(until: self.nextTime)
        self.beginLook()
        self.correct()
        self.endLook()
        self.clearWills()
        // Topics that the broker did not let us clear stay remembered; the next search tries them again.
        let (wills, leftovers, discovery) = self.state.withLock { ($0.wills, $0.leftovers, $0.discovery) }
        self.delivery.remembered.forgetCleared(
          at: LiveClock.now, isKept: { leftovers.isElsewhere($0, discovery) },
          except: { self.delivery.unsettled(among: $0).union(wills) })
        try? await Task.sleep(for: Self.pause)
      }
    }
  }

  /// The time of the next work if no event comes before.
  private var nextTime: MonotonicTime? {
    let settledSince = homeAssistant.settledSince
    return state.withLock { state in
      let look = state.isDue ? settledSince.map { $0 + Self.settling } : nil
      return [state.end, look, state.willsEnd].compactMap { $0 }.min()
    }
  }

  private func endLook() {
    let dropped = delivery.client.events.lostMessages
    let filters: [String] = state.withLock { state in
      guard let end = state.end, LiveClock.now >= end else { return [] }
      state.end = nil
      // Messages that the client dropped are still at the broker. Each search leaves fewer.
      if state.mayClear, dropped != state.dropped, state.asked < Self.repetitions { state.isDue = true }
      state.mayClear = false
      return state.leftovers.filters
    }
    for filter in filters { delivery.client.unsubscribe(from: filter) }
  }
}

extension Configuration {
  /// After this time the broker has published the last will of any former session.
  fileprivate var willDelay: TimeSpan {
    guard case .remote(let broker) = broker else { return .zero }
    return .seconds(broker.keepAlive.seconds * 1.5 + 10)
  }
}
