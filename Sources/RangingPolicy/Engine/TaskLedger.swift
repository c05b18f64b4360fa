/// An app's background tasks: which it holds, and what became of the others.
///
/// `begins = ends + leaks + held`, always. Bounded: beyond `limit` tasks at once the system refuses.
public struct TaskLedger: Hashable, Sendable {
  static let limit = 256

  public private(set) var begins = 0
  public private(set) var ends = 0
  /// Tasks whose identifier was overwritten, or that were held when the app was killed for them.
  public private(set) var leaks = 0
  public private(set) var refusals = 0
  /// Ends of identifiers that nobody held: without effect, a warning.
  public private(set) var unknownEnds = 0
  public private(set) var held: [TaskID] = []
  /// Leaked tasks of the process that still lives: nobody can end them.
  private var lost = 0

  public var isEmpty: Bool { held.isEmpty && lost == 0 }
  public func holds(_ id: TaskID) -> Bool { held.contains(id) }

  /// Whether the task was granted. Beginning under a held name leaks the task that it stood for.
  mutating func begin(_ id: TaskID, granted: Bool = true) -> Bool {
    guard granted, held.count + lost < Self.limit else {
      refusals += 1
      return false
    }
    begins += 1
    if held.contains(id) {
      leaks += 1
      lost += 1
    } else {
      held.append(id)
    }
    return true
  }

  /// Whether the name stood for a task.
  mutating func end(_ id: TaskID) -> Bool {
    guard let index = held.firstIndex(of: id) else {
      unknownEnds += 1
      return false
    }
    held.remove(at: index)
    ends += 1
    return true
  }

  mutating func endAll(except kept: TaskID? = nil) {
    let before = held.count
    held.removeAll { $0 != kept }
    ends += before - held.count
  }

  /// The process is gone, and its tasks with it; `forLeak`: because of them.
  mutating func processEnded(forLeak: Bool) {
    if forLeak { leaks += held.count } else { ends += held.count }
    held.removeAll(keepingCapacity: true)
    lost = 0
  }
}
