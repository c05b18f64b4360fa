extension PhoneEngine {
  /// The name under which a strategy's own code holds its task.
  static let ownTask = TaskID(rawValue: -1)

  /// Tasks of the real app are reported. From the first report on the strategy therefore begins none by itself.
  public mutating func takeReportedTasks() { reportsTasks = true }

  /// The strategy's own `begin`.
  mutating func beginOwnTask() {
    if tasksAreReported || (rules[.guardsTask] && tasks.holds(Self.ownTask)) { return }
    begin(Self.ownTask, granted: rules[.taskGranted], hasHandler: rules[.endsTask])
  }

  /// `task-list-sampled`: begin a task, append it, end every other one.
  mutating func addTask(granted: Bool = true) {
    sampleTasks = sampleTasks == .min ? -2 : sampleTasks - 1
    let id = TaskID(rawValue: sampleTasks)
    if begin(id, granted: granted && rules[.taskGranted], hasHandler: rules[.endsTask]) {
      tasks.endAll(except: id)
    }
  }

  /// S3 holds a task beside its location session. It matters when the session ends.
  mutating func beginTaskBesideLocation() {
    guard rules.beginsTaskBesideLocation else { return }
    let isBeside = lifecycle == .background && isKeptAliveByLocation
    if isBeside && !wasBesideLocation { beginOwnTask() }
    wasBesideLocation = isBeside
  }

  /// A task that the timeline or the real app begins, beside those of the strategy. `task-list-sampled` adds it to its list.
  mutating func scriptedBegin(_ id: TaskID, granted: Bool, hasHandler: Bool) {
    guard isRunning, !rules.isAndroid, id.rawValue >= 0 else { return record(.notRunning) }
    if rules.mechanism == .sampledLocation { return addTask(granted: granted) }
    if reportsTasks && !tasksAreReported {
      tasksAreReported = true
      if tasks.holds(Self.ownTask) { _ = tasks.end(Self.ownTask) }
    }
    begin(id, granted: granted, hasHandler: hasHandler)
  }

  mutating func scriptedEnd(_ id: TaskID) {
    guard isRunning, !rules.isAndroid, id.rawValue >= 0 else { return record(.notRunning) }
    record(tasks.end(id) ? .taskEnded : .unknownEnd, id)
  }

  @discardableResult
  private mutating func begin(_ id: TaskID, granted: Bool, hasHandler: Bool) -> Bool {
    let overwrites = tasks.holds(id)
    let isGranted = tasks.begin(id, granted: granted, hasHandler: hasHandler)
    record(isGranted ? .taskBegun : .taskRefused, id)
    if !isGranted { wasTaskRefused = true }
    if isGranted && overwrites { record(.taskLeaked, id) }
    return isGranted
  }

  var handlerTime: Milliseconds { countdownEnd - rules.expirationMargin }

  /// Runs the expiration handlers that end their tasks, in the order in which the tasks were begun (S2).
  mutating func runHandlers() {
    guard lifecycle == .background, !isUnlimited, now >= handlerTime, tasks.hasHandler else { return }
    for task in tasks.held where task.hasHandler {
      _ = tasks.end(task.id)
      record(.handlerRan, task.id)
    }
    wasTaskExpired = true
  }

  var killTime: Milliseconds { countdownEnd + rules[.killDelay] }

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
