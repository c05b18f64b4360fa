import Messages

/// Devices to announce, each once, in order.
struct SubjectQueue: Sendable {
  typealias Subject = DiscoveryDevice.Subject

  private var waiting: [Subject] = []
  private var head = 0
  private var members: Set<Subject> = []
  /// Those whose time has not come.
  private var early: [Subject] = []

  var count: Int { members.count }

  mutating func append(_ subject: Subject) {
    if members.insert(subject).inserted { waiting.append(subject) }
  }

  mutating func popFirst() -> Subject? {
    guard head < waiting.count else { return nil }
    let subject = waiting[head]
    head += 1
    members.remove(subject)
    return subject
  }

  /// Keeps one that was taken for the next round.
  mutating func putBack(_ subject: Subject) { early.append(subject) }

  /// Ends a round.
  mutating func restore() {
    waiting.removeFirst(head)
    head = 0
    for subject in early { append(subject) }
    early.removeAll(keepingCapacity: true)
  }
}
