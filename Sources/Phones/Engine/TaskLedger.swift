import Beacons
import Core

/// An app's background tasks: those it holds, and counts of the others.
///
/// `begins = ends + leaks + held`, always. The system refuses more than `limit` tasks at once.
public struct TaskLedger: Hashable, Sendable {
  static let limit = 256

  public struct Held: Hashable, Sendable {
    public var id: TaskID
    /// Whether its expiration handler ends it.
    public var hasHandler: Bool
  }

  public internal(set) var begins = 0
  public internal(set) var ends = 0
  /// Tasks whose identifier was overwritten, or which were still held when the app was killed because of them.
  public internal(set) var leaks = 0
  public internal(set) var refusals = 0
  /// Ends of identifiers that are not held. They have no effect apart from a warning.
  public internal(set) var unknownEnds = 0
  /// In the order in which they were begun.
  public internal(set) var held: [Held] = []
  /// Leaked tasks of the current process: nothing can end them.
  var lost = 0

  public init() {}

  public var isEmpty: Bool { held.isEmpty && lost == 0 }
  public func holds(_ id: TaskID) -> Bool { held.contains { $0.id == id } }
  /// Whether a handler will end any of the tasks held.
  var hasHandler: Bool { held.contains(where: \.hasHandler) }

  /// Returns whether the task was granted. Beginning a task under a name in use leaks the task that had the name.
  mutating func begin(_ id: TaskID, granted: Bool = true, hasHandler: Bool = false) -> Bool {
    guard granted, held.count + lost < Self.limit else {
      refusals += 1
      return false
    }
    begins += 1
    if let index = held.firstIndex(where: { $0.id == id }) {
      leaks += 1
      lost += 1
      held[index].hasHandler = hasHandler
    } else {
      held.append(Held(id: id, hasHandler: hasHandler))
    }
    return true
  }

  /// Returns whether the name was in use.
  mutating func end(_ id: TaskID) -> Bool {
    guard let index = held.firstIndex(where: { $0.id == id }) else {
      unknownEnds += 1
      return false
    }
    held.remove(at: index)
    ends += 1
    return true
  }

  mutating func endAll(except kept: TaskID) {
    let before = held.count
    held.removeAll { $0.id != kept }
    ends += before - held.count
  }

  /// The process and its tasks are gone; `forLeak`: it was killed because of them.
  mutating func processEnded(forLeak: Bool) {
    if forLeak { leaks += held.count } else { ends += held.count }
    held.removeAll(keepingCapacity: true)
    lost = 0
  }
}

/// `begins` is not written, because it follows from the rest.
extension TaskLedger: StateElement {
  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder(tally: "ends", &ends)
    try coder(tally: "leaks", &leaks)
    try coder(tally: "refusals", &refusals)
    try coder(tally: "unknown_ends", &unknownEnds)
    try coder("lost", &lost, in: 0...Self.limit)
    try coder("held", &held, atMost: Self.limit - lost)
    try coder.check(Set(held.map(\.id)).count == held.count)
    if coder.isReading { begins = ends + leaks + held.count }
  }
}

extension TaskLedger.Held: StateElement {
  public init() { self.init(id: TaskID(rawValue: 0), hasHandler: false) }

  public mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("id", &id)
    try coder("has_handler", &hasHandler)
  }
}

extension TaskID: StateCoded {
  public func write(to coder: inout StateCoder) { coder.write(rawValue) }
  public init(reading coder: inout StateCoder) throws(StateError) {
    self.init(rawValue: try coder.read())
  }
}
