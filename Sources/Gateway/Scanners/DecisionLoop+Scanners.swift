import Beacons
import Logging
import Machine
import Messages
import Pipeline
import Scanners
import Settings
import Synchronization

/// Observations from scanners.
extension DecisionLoop {
  /// Processes the sightings in scanners' messages; `table` has the names of the receivers.
  func hear(_ hearing: borrowing Hearing, _ table: ReceiverTable) {
    state.withLock { state in
      noteWaking(&state)
      let receivers = state.learnRemote(table)
      var news: [Message] = []
      for change in hearing.changes {
        guard let receiver = receivers[change.receiver] else { continue }
        var change = change
        change.receiver = receiver
        state.health.receivers.set(change)
        state.pipeline.setBlind(receiver, change.health.isBlind, at: change.time, into: &state.output)
      }
      hearing.batch.forEach { advertisement, _ in
        guard let receiver = receivers[advertisement.receiver] else { return }
        state.health.receivers.heard(receiver, at: advertisement.wallTime)
      }
      for observation in hearing.observations {
        guard let receiver = receivers[observation.receiver] else { continue }
        state.health.receivers.heard(receiver, at: observation.wallTime)
      }
      if !hearing.batch.isEmpty || !hearing.observations.isEmpty {
        state.pipeline.observe(
          remote: hearing.batch, hearing.observations, from: receivers, into: &state.output)
        for notice in state.pipeline.takeNotices() { logger.warning("\(notice)") }
        if delivery.isKept { delivery.save(counters: state.pipeline.takeCounters()) }
      }
      if !hearing.changes.isEmpty || state.health.receivers.isMissingNoMore,
        state.health.pace.changed(at: LiveClock.now)
      {
        news.append(healthMessage(&state))
      }
      tell(&state, news)
    }
  }

  /// Every receiver that the configuration names or that has reported.
  var receiverNames: [String] { state.withLock { $0.pipeline.receivers.names } }
}
