import Contract
import Core
import Logging
import Mosquitto
import Outbox
import Synchronization

/// Whether the retained status at the broker is our own.
struct OwnStatus: Sendable {
  /// How many false statuses are corrected at once; further ones wait some seconds.
  var corrections = RateLimit(burst: 5, interval: .seconds(10))
  var isWrong = false
  var hasToldLies = false
}

/// What we published last to each retained topic, to distinguish it from what other clients publish there.
struct OwnWords: Sendable {
  private static let limit = 20_000

  /// Hashes of the payloads, by topic.
  private var payloads: [String: (last: Int, earlier: Int)] = [:]

  /// Returns whether the message retains a topic that was not retained, or clears one that was.
  mutating func note(_ message: Message) -> Bool {
    let before = payloads[message.topic]
    guard message.retained else { return false }
    // Beyond the limit it is unknown what was retained before.
    guard payloads.count < Self.limit || before != nil else { return true }
    let hash = message.payload.hashValue
    payloads[message.topic] = (hash, before?.last ?? hash)
    return before.map { ($0.last == Self.nothing) != message.payload.isEmpty } ?? true
  }

  private static let nothing = [UInt8]().hashValue

  /// Whether a payload with this hash may be ours. The latest may still be on its way.
  func isOwn(_ hash: Int, at topic: String) -> Bool {
    payloads[topic].map { $0.last == hash || $0.earlier == hash } ?? (payloads.count >= Self.limit)
  }
}

/// The topics `instance` and `status`: which run publishes under this name, and whether it is online.
extension Delivery {
  /// A filter that is not valid is reported and ignored.
  func subscribe(to filters: [Filter]) {
    for filter in filters {
      do throws(PublishError) {
        try client.subscribe(to: filter.topics, qos: filter.qos, options: filter.options)
      } catch {
        logger.error("cannot subscribe to \(filter.topics): \(error)")
      }
    }
  }

  /// Whether a retained message may be ours, by the hash of its payload.
  func isOwn(_ hash: Int, at topic: String) -> Bool {
    state.withLock { $0.ownWords.isOwn(hash, at: topic) }
  }

  func sayOnline(_ state: inout State) {
    state.ownStatus.isWrong = false
    state.outbox.add(Status.online.message(topics: topics))
  }

  /// The last message before an orderly disconnect, after which the broker does not publish the last will.
  func sayOffline() { send([Status.offline.message(topics: topics)]) }

  /// Handles a status under our name while we are connected: the last will of an earlier connection of ours, or of a rival that
  /// left.
  func hear(status payload: [UInt8]) {
    guard payload != Array(Status.online.rawValue.utf8) else { return }
    state.withLock { state in
      state.ownStatus.isWrong = true
      correctStatus(&state)
      noteChores(&state)
      guard state.ownStatus.isWrong, !state.ownStatus.hasToldLies else { return }
      state.ownStatus.hasToldLies = true
      logger.warning("another client keeps publishing `offline` on \(topics.status)")
    }
  }

  /// Publishes our status again if another client has changed it. It is rate limited, so that a flood of false ones does not
  /// cause a flood of ours.
  func correctStatus(_ state: inout State) {
    guard state.ownStatus.isWrong, state.ownStatus.corrections.take(at: LiveClock.now) else { return }
    sayOnline(&state)
    send(&state)
  }

  /// Publishes which run is active, with the time as a sign of life.
  func announce(_ instance: InstanceMessage) {
    var instance = instance
    instance.time = LiveClock.wallNow.rfc3339
    send([instance.message(topics: topics)])
  }
}
