import MQTT
import Machine
import Messages
import Pipeline
import Settings
import Synchronization

/// Observations for other gateways.
extension DecisionLoop {
  /// The observations of our radios since the last call, in batches with the number of observations in each, and the settings
  /// for publishing; nil: they are not published.
  func takeObservations() -> (batches: [(message: Message, count: Int)], settings: ObservationSettings?) {
    state.withLock { state in
      let batches = state.observations + takeObservations(&state)
      state.observations = []
      return (batches, state.pipeline.configuration.publish.observations)
    }
  }

  func takeObservations(_ state: inout State) -> [(message: Message, count: Int)] {
    let isKept = state.pipeline.configuration.publish.observations?.buffer != nil
    let topics = state.pipeline.topics
    return state.pipeline.takeObservations(at: LiveClock.now).map {
      ($0.message(topics: topics, qos: isKept ? .atLeastOnce : .atMostOnce), $0.count)
    }
  }
}
