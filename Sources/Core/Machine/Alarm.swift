import Synchronization

/// Wakes a task that waits for an event or for a time. One task waits; any thread may ring.
package final class Alarm: Sendable {
  struct State {
    var sleeper: CheckedContinuation<Void, Never>?
    /// The alarm rang while nothing waited for it.
    var hasRung = false
  }

  let state = Mutex(State())

  package init() {}

  /// Never blocks. If nobody waits, the next wait ends at once.
  package func ring() {
    let sleeper = state.withLock { state in
      let sleeper = state.sleeper
      state.sleeper = nil
      state.hasRung = sleeper == nil
      return sleeper
    }
    sleeper?.resume()
  }

  /// Waits until it rings or the time has come; nil: until it rings. It may return early.
  package func wait(until time: MonotonicTime?) async {
    await wait(for: time.map { .nanoseconds(max(($0 - LiveClock.now).nanoseconds, 0)) })
  }

  /// Waits until it rings, for at most this long, or until the task is cancelled. It may return early, so check what there is
  /// to do.
  ///
  /// - Parameter duration: nil: until it rings.
  package func wait(for duration: Duration? = nil) async {
    let timer = duration.map { duration in
      Task {
        try await Task.sleep(for: duration)
        ring()
      }
    }
    await withTaskCancellationHandler {
      await withCheckedContinuation { sleeper in
        let isAwake = state.withLock { state in
          defer { state.hasRung = false }
          if state.hasRung || Task.isCancelled { return true }
          state.sleeper = sleeper
          return false
        }
        if isAwake { sleeper.resume() }
      }
    } onCancel: {
      ring()
    }
    timer?.cancel()
  }
}
