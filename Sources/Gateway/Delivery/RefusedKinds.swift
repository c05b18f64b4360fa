/// Kinds of topics that are not tried one by one, because the broker closes the connection at each refusal.
///
/// A kind is a topic without its name: `zone/+/enter`. All of Home Assistant discovery is one kind.
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
    guard topic.hasPrefix(base) else { return topic.hasSuffix("/config") ? Self.discovery : topic }
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
