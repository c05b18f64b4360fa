import Contract
import Core

/// Devices to announce, each once, in order.
struct SubjectQueue: Sendable {
  typealias Subject = DiscoveryDevice.Subject

  private var waiting: [Subject] = []
  private var head = 0
  private var members: Set<Subject> = []
  /// Devices that are not due yet.
  private var early: [Subject] = []
  /// When the first of `early` may be announced.
  private var earlyTime: MonotonicTime?
  /// When there is one to announce: nil: at once, if there is any.
  private(set) var readyTime: MonotonicTime?

  var count: Int { members.count }

  mutating func append(_ subject: Subject) {
    guard members.insert(subject).inserted else { return }
    waiting.append(subject)
    readyTime = nil
  }

  mutating func popFirst() -> Subject? {
    guard head < waiting.count else { return nil }
    let subject = waiting[head]
    head += 1
    members.remove(subject)
    return subject
  }

  /// Puts a device back for a later round, at that time.
  mutating func putBack(_ subject: Subject, until time: MonotonicTime) {
    early.append(subject)
    earlyTime = min(earlyTime ?? time, time)
  }

  /// Ends a round.
  mutating func restore() {
    waiting.removeFirst(head)
    head = 0
    let isAllEarly = waiting.isEmpty
    for subject in early { append(subject) }
    early.removeAll(keepingCapacity: true)
    readyTime = isAllEarly ? earlyTime : nil
    earlyTime = nil
  }
}
