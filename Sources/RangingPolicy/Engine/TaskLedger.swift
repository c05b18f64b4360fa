import Beacons

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

/// Without `begins`, which follow from the rest.
extension TaskLedger: StateCoded {
  public func write(to writer: inout StateWriter) {
    for count in [ends, leaks, refusals, unknownEnds, lost] { writer.write(count) }
    writer.count(held.count)
    for task in held {
      writer.write(task.id)
      writer.write(task.hasHandler)
    }
  }

  public init(reading reader: inout StateReader) throws(StateError) {
    self.init()
    ends = try reader.taskCount()
    leaks = try reader.taskCount()
    refusals = try reader.taskCount()
    unknownEnds = try reader.taskCount()
    lost = try reader.taskCount()
    for _ in 0..<(try reader.count()) {
      let task = Held(id: try reader.read(), hasHandler: try reader.read())
      guard held.count < Self.limit, !holds(task.id) else { throw reader.damaged }
      held.append(task)
    }
    guard lost <= Self.limit - held.count else { throw reader.damaged }
    begins = ends + leaks + held.count
  }
}

extension StateReader {
  /// Two of them can be added, and still grow.
  fileprivate mutating func taskCount() throws(StateError) -> Int {
    let count: Int = try read()
    guard (0..<(1 << 60)).contains(count) else { throw damaged }
    return count
  }
}

extension TaskID: StateCoded {
  public func write(to writer: inout StateWriter) { writer.write(rawValue) }
  public init(reading reader: inout StateReader) throws(StateError) {
    self.init(rawValue: try reader.read())
  }
}
