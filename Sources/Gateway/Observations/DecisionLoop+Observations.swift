import MQTT
import Machine
import Messages
import Pipeline
import Settings
import Synchronization

/// Observations for other gateways.
extension DecisionLoop {
  /// What our radios heard since the last call, in batches with the number of observations in each; and how they are to be
  /// published: nil: not at all.
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
