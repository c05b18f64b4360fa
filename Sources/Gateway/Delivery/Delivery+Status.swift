import Beacons
import JSON
import Machine
import Messages
import Mosquitto
import Outbox
import Synchronization

/// Whether what the broker says of our status is true.
struct OwnStatus: Sendable {
  /// How often a lie is put right at once; what is more waits for some seconds.
  var corrections = RateLimit(burst: 5, interval: .seconds(10))
  var isWrong = false
  var hasToldLies = false
}

/// Under whose name we speak, and whether we are there.
extension Delivery {
  /// Asks for what gateways of our name say of themselves.
  func watchForRivals() {
    for topic in [topics.instance, topics.status] {
      do throws(PublishError) {
        try client.subscribe(to: topic)
      } catch {
        onNotice("no subscription to \(topic): \(error)")
      }
    }
  }

  func sayOnline(_ state: inout State) {
    state.ownStatus.isWrong = false
    state.outbox.add(Status.online.message(topics: topics))
  }

  /// The last words before a proper good-bye, which keeps the last will from being published.
  func sayOffline() { send([Status.offline.message(topics: topics)]) }

  /// Takes in what somebody says of us while we are there: the last will of a connection that we gave up, or of a rival that gave way.
  func hear(status payload: [UInt8]) {
    guard payload != Array(Status.online.rawValue.utf8) else { return }
    state.withLock { state in
      state.ownStatus.isWrong = true
      correctStatus(&state)
      guard state.ownStatus.isWrong, !state.ownStatus.hasToldLies else { return }
      state.ownStatus.hasToldLies = true
      onNotice("another client keeps publishing `offline` on \(topics.status)")
    }
  }

  /// Says that we are there, if somebody said otherwise; not at each lie, for who lies often is not to make us speak as often.
  func correctStatus(_ state: inout State) {
    guard state.ownStatus.isWrong, state.ownStatus.corrections.take(at: LiveClock.now) else { return }
    sayOnline(&state)
    send(&state)
  }

  /// Says who speaks, with the time, which tells that it is alive.
  func announce(_ instance: InstanceMessage) {
    var instance = instance
    instance.time = LiveClock.wallNow.rfc3339
    send([instance.message(topics: topics)])
  }
}
