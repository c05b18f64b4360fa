import RangingPolicy

/// The app's background tasks as bars from begin to end, from the events of the result.
struct TaskBars {
  private struct Held {
    var id: TaskID?
    var from: Milliseconds
    /// Its identifier was overwritten, so nothing can end it.
    var isLost = false
  }

  private var held: [Held] = []
  private var spans: [Lane.Span] = []
  private var marks: [Lane.Mark] = []

  init(_ result: Simulation) {
    for fact in result.history.facts { take(fact) }
    endAll(at: result.end) { _ in true }
  }

  var lane: Lane {
    Lane(
      .tasks, "Background tasks",
      spans: spans.enumerated().sorted { ($0.element.from, $0.offset) < ($1.element.from, $1.offset) }.map(
        \.element), marks: marks)
  }

  private mutating func take(_ fact: Fact) {
    switch fact.what {
    case .taskBegun: begin(fact)
    case .taskEnded: endAll(at: fact.time) { !$0.isLost && $0.id == fact.task }
    case .handlerRan:
      endAll(at: fact.time, by: .handler) { !$0.isLost && $0.id == fact.task }
    case .killed: endAll(at: fact.time, by: .kill) { _ in true }
    case .forceQuit, .rebooted, .lowMemory: endAll(at: fact.time) { _ in true }
    case .taskRefused: marks.append(mark(fact, "⊘"))
    case .unknownEnd: marks.append(mark(fact, "?"))
    case .countdownEnded: marks.append(mark(fact, "0"))
    case .spared: marks.append(mark(fact, "↷"))
    default: break
    }
  }

  private func mark(_ fact: Fact, _ sign: String) -> Lane.Mark {
    Lane.Mark(time: fact.time, sign: sign, words: fact.what.rawValue, isVoid: true)
  }

  private mutating func begin(_ fact: Fact) {
    let number = fact.task?.rawValue ?? -1
    if let old = held.firstIndex(where: { !$0.isLost && $0.id == fact.task }) {
      held[old].isLost = true
    }
    // The list of samples keeps only the newest task.
    if number < -1 { endAll(at: fact.time) { !$0.isLost && ($0.id?.rawValue ?? 0) < -1 } }
    held.append(Held(id: fact.task, from: fact.time))
  }

  private mutating func endAll(
    at time: Milliseconds, by ending: Lane.Span.Ending = .none, where isMeant: (Held) -> Bool
  ) {
    for task in held where isMeant(task) {
      let ending = ending == .none && task.isLost ? .leak : ending
      spans.append(
        Lane.Span(
          from: task.from, to: max(time, task.from + 1), label: task.isLost ? "leaked" : "held",
          ending: ending))
    }
    held.removeAll(where: isMeant)
  }
}
