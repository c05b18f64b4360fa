import Logging
import Beacons
import Machine
import Messages
import Mosquitto
import Pipeline
import Radio
import Synchronization

/// `health`, published at intervals and whenever something changes.
extension DecisionLoop {
  /// Publishes `health`.
  ///
  /// - Parameter span: time since the last call, over which rates are taken; nil keeps the previous rates.
  func publishHealth(over span: TimeSpan? = nil) {
    state.withLock { state in tell(&state, [healthMessage(&state, over: span)]) }
  }

  /// Notes the status of the broadcast of wake regions.
  func apply(_ status: BroadcastStatus) {
    state.withLock { state in
      if state.health.take(status) { tell(&state, [healthMessage(&state)]) }
    }
  }

  /// Observations do not wait any more. Those that were lost while they did still count.
  func endWaitingObservations(lost: UInt64) {
    state.withLock { state in
      onWaitingObservations.withLock { $0 = nil }
      state.pipeline.lostObservations? += lost
    }
  }

  /// `health` as it is now.
  var currentHealth: HealthMessage { state.withLock { health(&$0) } }

  /// The counters of this moment for Prometheus.
  func metrics() -> String {
    let isConnected = delivery.client.isConnected
    let message = state.withLock { state in health(&state) }
    return MetricsText.text(message, gateway: delivery.topics.gateway, isConnected: isConnected)
  }

  /// Reports missing receivers as soon as they are overdue.
  func tellMissing(_ state: inout State) {
    guard state.health.isTimeToMiss(at: LiveClock.now) else { return }
    state.health.hasToldMissing = true
    let health = health(&state)
    for receiver in health.receivers where receiver.isMissing {
      logger.warning("nothing heard from receiver \(receiver.name): \(receiver.reason)")
    }
    state.health.pace.published()
    tell(&state, [health.message(topics: delivery.topics)])
  }

  func healthMessage(
    _ state: inout State, at wallTime: WallTime = LiveClock.wallNow, over span: TimeSpan? = nil
  ) -> Message {
    state.health.pace.published()
    return health(&state, at: wallTime, over: span).message(topics: delivery.topics)
  }

  private func health(
    _ state: inout State, at wallTime: WallTime = LiveClock.wallNow, over span: TimeSpan? = nil
  ) -> HealthMessage {
    var message = state.health.message(
      of: state.pipeline, delivery.figures, at: LiveClock.now, wallTime, over: span)
    if let notice = state.health.movedNotice(of: state.pipeline) { logger.warning("\(notice)") }
    message.remote = onScannerFigures.withLock { $0 }?.call()
    message.waitingObservations = onWaitingObservations.withLock { $0 }?.call()
    return message
  }
}
