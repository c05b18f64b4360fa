extension PhoneEngine {
  /// The name under which a strategy's own code holds its task.
  static let ownTask = TaskID(rawValue: -1)

  /// The strategy's own `begin`.
  mutating func beginOwnTask() {
    if rules.guardsTask && tasks.holds(Self.ownTask) { return }
    let overwrites = tasks.holds(Self.ownTask)
    begin(Self.ownTask, granted: rules.taskGranted)
    if overwrites { record(.taskLeaked, Self.ownTask) }
  }

  /// `task-list-sampled`: begin a task, append it, end every other one.
  mutating func addTask(granted: Bool = true) {
    sampleTasks = sampleTasks == .min ? -2 : sampleTasks - 1
    let id = TaskID(rawValue: sampleTasks)
    if begin(id, granted: granted && rules.taskGranted) { tasks.endAll(except: id) }
  }

  /// A task that the timeline or the real app begins. From then on the strategy begins none by itself, because the app's
  /// own tasks are reported. `task-list-sampled` adds it to its list instead.
  mutating func scriptedBegin(_ id: TaskID, granted: Bool) {
    guard isRunning, !rules.isAndroid, id.rawValue >= 0 else { return record(.notRunning) }
    if rules.mechanism == .sampledLocation { return addTask(granted: granted) }
    if !tasksAreScripted {
      tasksAreScripted = true
      if tasks.holds(Self.ownTask) { _ = tasks.end(Self.ownTask) }
    }
    let overwrites = tasks.holds(id)
    if begin(id, granted: granted) && overwrites { record(.taskLeaked, id) }
  }

  mutating func scriptedEnd(_ id: TaskID) {
    guard isRunning, !rules.isAndroid, id.rawValue >= 0 else { return record(.notRunning) }
    record(tasks.end(id) ? .taskEnded : .unknownEnd, id)
  }

  @discardableResult
  private mutating func begin(_ id: TaskID, granted: Bool) -> Bool {
    let isGranted = tasks.begin(id, granted: granted)
    record(isGranted ? .taskBegun : .taskRefused, id)
    if !isGranted { wasTaskRefused = true }
    return isGranted
  }

  /// Whether the strategy's own code holds a task that its handler will end.
  var hasOwnTask: Bool {
    guard rules.endsTask, !tasks.held.isEmpty else { return false }
    return rules.mechanism == .sampledLocation || tasks.holds(Self.ownTask)
  }

  var handlerTime: Milliseconds { countdownEnd - rules.margin }

  /// Runs the expiration handler of the strategy's own task.
  mutating func runHandler() {
    guard lifecycle == .background, !isUnlimited, now >= handlerTime, hasOwnTask else { return }
    if rules.mechanism == .sampledLocation { tasks.endAll() } else { _ = tasks.end(Self.ownTask) }
    wasTaskExpired = true
    record(.handlerRan)
  }

  var killTime: Milliseconds { countdownEnd + rules.killDelay }

  /// Kills an app that still holds a task after its time, unless a debugger is attached.
  mutating func killIfDue() {
    guard lifecycle == .suspended, !tasks.isEmpty, now >= killTime, sparedAt != countdownEnd else { return }
    if hasDebugger {
      sparedAt = countdownEnd
      record(.spared)
    } else {
      record(.killed)
      terminate(.taskLeakKilled, latched: true)
    }
  }
}
