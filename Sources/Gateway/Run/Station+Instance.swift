import JSON
import Outbox
import Pipeline
import Machine
import Beacons
import Messages
import Mosquitto
import Radio
import Synchronization

/// Under whose name the station speaks.
extension Station {
  var instanceTopic: String { state.withLock { $0.pipeline.topics.instance } }
  var statusTopic: String { state.withLock { $0.pipeline.topics.status } }

  /// Asks for what gateways of our name say of themselves.
  func watchForRivals() {
    for topic in [instanceTopic, statusTopic] {
      do throws(PublishError) {
        try client.subscribe(to: topic)
      } catch {
        onNotice("no subscription to \(topic): \(error)")
      }
    }
  }

  func sayOnline(_ state: inout State) {
    state.isStatusWrong = false
    state.outbox.add(Status.online.message(topics: state.pipeline.topics))
  }

  /// Takes in what somebody says of us while we are there: the last will of a connection that we gave up, or of a rival that gave way.
  func hear(status payload: [UInt8]) {
    guard payload != Array(Status.online.rawValue.utf8) else { return }
    state.withLock { state in
      state.isStatusWrong = true
      correctStatus(&state)
      guard state.isStatusWrong, !state.hasToldStatusLies else { return }
      state.hasToldStatusLies = true
      onNotice(
        "somebody says again and again on \(state.pipeline.topics.status) that this gateway is not there")
    }
  }

  /// Says that we are there, if somebody said otherwise; not at each lie, for who lies often is not to make us speak as often.
  func correctStatus(_ state: inout State) {
    guard state.isStatusWrong, state.statusCorrections.take(at: LiveClock.now) else { return }
    sayOnline(&state)
    send(&state)
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
