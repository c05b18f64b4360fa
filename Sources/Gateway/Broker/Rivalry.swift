import Contract
import Core
import Mosquitto
import ServiceLifecycle
import Synchronization

/// Follows the topics `instance` and `status`: says which run publishes under this name, stops for one that was there before us,
/// and corrects a false status.
final class Rivals: Feature {
  private let delivery: Delivery
  private let broker: String
  private let rivalry: Mutex<Rivalry>
  /// Whether the broker retains messages, as far as known.
  private let retention = Mutex(Retention.unknown)
  /// How often `instance` is published again at most, if other clients write something else there.
  private let corrections = Mutex(RateLimit(burst: 5, interval: .seconds(10)))

  private enum Retention {
    case unknown
    /// `status` was heard, and asked for again.
    case asked(at: MonotonicTime)
    case shown
  }
  /// How long a broker may take to send what it retains.
  private static let patience = TimeSpan.seconds(5)

  /// - Parameter broker: its address, for people.
  init(_ delivery: Delivery, _ own: InstanceMessage, broker: String) {
    rivalry = Mutex(Rivalry(own: own))
    self.delivery = delivery
    self.broker = broker
  }

  var filters: [Filter] { [delivery.topics.instance, delivery.topics.status].map { Filter(topics: $0) } }

  func connected() { delivery.announce(rivalry.withLock { $0.own }) }

  func received(_ message: ReceivedMessage) throws -> Bool {
    switch message.topic {
    case delivery.topics.status:
      look(message)
      // A retained message is from an earlier run, and at shutdown the message is our own.
      if !message.retain, !Task.isShuttingDownGracefully { delivery.hear(status: message.payload) }
    case delivery.topics.instance:
      switch rivalry.withLock({ $0.read(message.payload, isRetained: message.retain) }) {
      case .nothing:
        let isForeign = !message.retain && InstanceMessage(message.payload) == nil
        if isForeign, corrections.withLock({ $0.take(at: LiveClock.now) }) { connected() }
      case .older: connected()
      // If the other gateway is running, it answers what we publish now.
      case .unproven: if corrections.withLock({ $0.take(at: LiveClock.now) }) { connected() }
      case .newer(let since):
        // The other gateway keeps its session and its status, so we do not publish `offline`.
        throw GatewayNameInUse(topic: message.topic, broker: broker, since: since)
      }
    default: return false
    }
    return true
  }

  func disconnected() { retention.withLock { $0 = .unknown } }

  /// A subscriber gets retained messages at once. In MQTT 3.1.1 a broker that retains nothing does not say so.
  private func look(_ status: ReceivedMessage) {
    let isToAsk = retention.withLock { retention in
      if status.retain { retention = .shown }
      guard case .unknown = retention, !status.payload.isEmpty else { return false }
      retention = .asked(at: LiveClock.now)
      return true
    }
    if isToAsk { delivery.subscribe(to: [Filter(topics: status.topic)]) }
  }

  func report(into health: inout HealthMessage) {
    guard case .asked(let time) = retention.withLock({ $0 }), LiveClock.now - time > Self.patience else {
      return
    }
    health.brokerLacks.append(.retained)
  }
}

extension InstanceMessage {
  /// The message for a run that begins.
  static func beginning(at time: WallTime) -> InstanceMessage {
    let number = (0..<2).map { _ in String(UInt64.random(in: 1 << 63 ... .max), radix: 16) }.joined()
    return InstanceMessage(instance: number, started: time.rfc3339, time: time.rfc3339)
  }

  /// The retained payload; nil: not of this kind.
  init?(_ payload: [UInt8]) {
    guard payload.count <= 1000, let tree = try? JSONTree(payload), let instance = tree.text("instance"),
      let started = tree.text("started"), let time = tree.text("time")
    else { return nil }
    let isText = [instance, started, time].allSatisfy { text in
      (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    }
    guard isText, WallTime(rfc3339: started) != nil, WallTime(rfc3339: time) != nil else { return nil }
    self.init(instance: instance, started: started, time: time)
  }
}

/// Detects another gateway of the same name at the broker, by the retained `instance` that each publishes.
///
/// Two gateways with the same client id keep taking over each other's session; with different ids they contradict each other. The
/// one that started later stops. A retained message does not prove that the other gateway is running, because it may be from an
/// earlier run, and neither does a single message, which anybody can send. A second one of the same instance does.
struct Rivalry: Sendable {
  enum Verdict: Equatable {
    case nothing
    /// The other gateway came later, and must learn that we are here.
    case older
    /// We came later, if the other gateway is there.
    case unproven
    /// We came later, and the other gateway is still running.
    case newer(since: String)
  }

  let own: InstanceMessage
  private var rival: InstanceMessage?

  init(own: InstanceMessage) { self.own = own }

  /// Processes a message on the topic.
  mutating func read(_ payload: [UInt8], isRetained: Bool) -> Verdict {
    guard let other = InstanceMessage(payload), other.instance != own.instance else { return .nothing }
    let earlier = rival.flatMap { $0.instance == other.instance ? $0 : nil }
    // A broker that was killed may return with old retained messages, so only a later time counts as new.
    let isLater = earlier.map { other.time > $0.time } ?? false
    let isKnown = rival == other
    if earlier == nil || isLater { rival = other }
    guard !isRetained || isLater, !isKnown else { return .nothing }
    guard (other.started, other.instance) < (own.started, own.instance) else { return .older }
    return isLater ? .newer(since: other.started) : .unproven
  }
}

/// Another gateway of our name was at the broker before us.
package struct GatewayNameInUse: Error, CustomStringConvertible {
  let topic: String
  let broker: String
  let since: String

  package var description: String {
    "another gateway with this name (\(topic)) is connected to the broker at \(broker), since \(since); rename one of them "
      + "with gateway: { name: … }"
  }
}
