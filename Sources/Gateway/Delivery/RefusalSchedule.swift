import Contract
import Core

/// When refused messages are offered to the broker again.
struct RefusalSchedule: Sendable {
  /// The pauses if a refusal costs one packet, and if it costs the connection.
  private static let cheap = (first: TimeSpan.seconds(60), limit: TimeSpan.seconds(600))
  private static let dear = (first: TimeSpan.seconds(600), limit: TimeSpan.seconds(3600))
  /// A connection that ends within this time after a refusal ended because of it.
  private static let consequence = TimeSpan.seconds(1)
  /// After this time a reconnection says nothing about the broker's rules.
  private static let patience = TimeSpan.seconds(30)

  private var closesConnections = false
  private var lastRefusal: MonotonicTime?
  /// The last refusal on the present connection.
  private var latest: MonotonicTime?
  private var due: MonotonicTime?
  private var pause: TimeSpan?
  /// Topics that are still to be tried in this round.
  private var left = 0

  private var pace: (first: TimeSpan, limit: TimeSpan) { closesConnections ? Self.dear : Self.cheap }

  mutating func isDue(at time: MonotonicTime) -> Bool {
    // The connection has outlived a refusal, so an earlier one ended by chance.
    if closesConnections, let latest, time - latest >= Self.consequence {
      closesConnections = false
      pause = nil
      due = min(due ?? latest + pace.first, latest + pace.first)
    }
    return due.map { $0 <= time } ?? false
  }

  mutating func refused(at time: MonotonicTime) {
    lastRefusal = time
    latest = time
    if due == nil { due = time + pace.first }
  }

  /// A retried message was refused again.
  mutating func failed(at time: MonotonicTime, topics: Int) {
    if left == 0 { left = topics }
    left -= 1
    if left > 0, !closesConnections { return }
    left = 0
    let pause = min(self.pause.map { $0 + $0 } ?? pace.first, pace.limit)
    self.pause = pause
    due = time + pause
  }

  /// The broker accepted a message that it had refused; it may accept others, too.
  mutating func succeeded(at time: MonotonicTime) {
    pause = nil
    left = 0
    due = time
  }

  /// Returns whether this is the first sign that the broker closes the connection when it refuses.
  mutating func disconnected(at time: MonotonicTime) -> Bool {
    latest = nil
    guard let lastRefusal, time - lastRefusal < Self.consequence else { return false }
    if !closesConnections {
      closesConnections = true
      pause = nil
      due = time + pace.first
    }
    return true
  }

  /// A presumed topic should be tried soon.
  mutating func check(at time: MonotonicTime) { due = min(due ?? time + .seconds(5), time + .seconds(5)) }

  mutating func retry(at time: MonotonicTime) {
    pause = nil
    if due != nil { due = time }
  }

  mutating func connected(at time: MonotonicTime) {
    latest = nil
    if let lastRefusal, time - lastRefusal >= Self.patience { retry(at: time) }
  }
}

/// Kinds of topics that are not tried one by one, because the broker closes the connection at each refusal.
///
/// A kind is a topic without its name: `zone/+/enter`. All of Home Assistant discovery is one kind, and so is all that is
/// retained below the base of another gateway, or a former base of this one.
struct RefusedKinds: Sendable {
  private enum Verdict {
    /// No topic of this kind is tried. It is not known yet whether all are forbidden.
    case presumed
    case confirmed
    /// Some topics of this kind are allowed and some are not: each is tried.
    case mixed
  }

  private let base: String
  private var refused: [String: Set<String>] = [:]
  private var verdicts: [String: Verdict] = [:]

  private static let discovery = "discovery"
  /// An access list that forbids this many topics of a kind probably forbids all. Discovery topics are allowed all together or
  /// not at all.
  private static let limit = 3

  init(base: String) { self.base = base + "/" }

  private func kind(_ topic: String) -> String {
    // Each topic of room presence is tried.
    guard topic.hasPrefix(base) else {
      return topic.hasSuffix("/config") ? Self.discovery : Topics.base(ofRetained: topic) ?? topic
    }
    let levels = topic.dropFirst(base.count).split(separator: "/", omittingEmptySubsequences: false)
    return levels.enumerated().map { $0.offset == 1 ? "+" : $0.element }.joined(separator: "/")
  }

  func isClosed(_ topic: String) -> Bool {
    if verdicts.isEmpty { return false }
    return switch verdicts[kind(topic)] {
    case .presumed, .confirmed: true
    case .mixed, nil: false
    }
  }

  func isPresumed(_ topic: String) -> Bool { verdicts[kind(topic)] == .presumed }
  var isPresuming: Bool { verdicts.values.contains(.presumed) }
  func isAlike(_ one: String, _ other: String) -> Bool { kind(one) == kind(other) }

  mutating func refused(_ topic: String) {
    let kind = kind(topic)
    if verdicts[kind] == .presumed { verdicts[kind] = .confirmed }
    if refused[kind, default: []].count < Self.limit { refused[kind, default: []].insert(topic) }
  }

  /// The broker closes the connection when it refuses a message.
  mutating func closeWhereRefused() {
    for (kind, topics) in refused where verdicts[kind] == nil {
      if kind == Self.discovery || topics.count >= Self.limit { verdicts[kind] = .presumed }
    }
  }

  /// A refused topic is accepted again. Returns whether other topics of its kind were presumed to be refused.
  mutating func opened(by topic: String) -> Bool {
    let kind = kind(topic)
    let wasClosed = isClosed(topic)
    refused[kind]?.remove(topic)
    verdicts[kind] = wasClosed ? .mixed : verdicts[kind]
    return wasClosed
  }
}
