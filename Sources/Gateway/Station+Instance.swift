import Messages
import Mosquitto
import Radio
import Synchronization

/// Under whose name the station speaks.
extension Station {
  var instanceTopic: String { state.withLock { $0.pipeline.topics.instance } }

  /// Asks for what gateways of our name say of themselves.
  func watchForRivals() {
    do throws(PublishError) {
      try client.subscribe(to: instanceTopic)
    } catch {
      onNotice("no subscription to \(instanceTopic): \(error)")
    }
  }

  /// Says who speaks, with the time, which tells that it is alive.
  func announce(_ instance: InstanceMessage) {
    var instance = instance
    instance.time = LiveClock.wallNow.rfc3339
    state.withLock { state in
      state.outbox.add(instance.message(topics: state.pipeline.topics))
      send(&state)
    }
  }
}
