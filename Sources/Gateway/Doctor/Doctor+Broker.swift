import Configuration
import Contract
import Core
import Mosquitto
import Synchronization

/// What a broker with MQTT 3.1.1 cannot do. It has no way to say so itself.
extension Doctor {
  /// How long a broker may take for all answers.
  private static let patience = Duration.seconds(3)

  private struct Trial {
    var qos: Int?
    var isAcknowledged = false
    var isHeard = false
    var isKept = false
    /// Whether the last message came back. RabbitMQ may acknowledge messages only after that.
    var isEndHeard = false
  }

  /// Publishes a retained message to a topic that nobody reads, subscribes to it, and clears it again.
  func shortcomings(_ options: Options) async -> [DoctorFinding] {
    var newer = options
    newer.protocolVersion = .v5
    // Its subscribers are left in peace.
    if case .accepted = await BrokerTrial(newer).run() { return [] }
    guard let client = try? Client(options) else { return [] }
    let topic = configuration.topics.doctor
    let (retained, last) = ([UInt8]("\(UInt64.random(in: 0 ... .max))".utf8), [UInt8]("end".utf8))
    let state = Mutex(Trial())
    try? client.subscribe(to: topic)
    let isComplete = await client.firstAnswer(within: Self.patience) { event -> Bool? in
      state.withLock { trial in
        switch event {
        case .subscribed(_, let qos) where trial.qos == nil:
          trial.qos = qos
          try? client.publish(retained, to: topic, retain: true, id: 1)
        case .subscribed:
          // A broker sends retained messages before those that are published later.
          try? client.publish([], to: topic, qos: .atMostOnce, retain: true)
          try? client.publish(last, to: topic, qos: .atMostOnce)
        case .acknowledged(1):
          trial.isAcknowledged = true
          if trial.isEndHeard { return true }
        case .rejected(let message, _) where message.id == 1: return false
        case .message(let message) where message.payload == retained:
          if message.retain { trial.isKept = true }
          if !trial.isHeard { try? client.subscribe(to: topic) }
          trial.isHeard = true
        case .message(let message) where message.payload == last:
          trial.isEndHeard = true
          if trial.isAcknowledged { return true }
        case .refused, .subscriptionRefused: return false
        default: break
        }
        return nil
      }
    }
    let trial = state.withLock { $0 }
    if !trial.isEndHeard, trial.qos != nil { await clear(topic, options) }
    var findings: [DoctorFinding] = []
    func add(_ state: DoctorFinding.State, _ words: String) {
      findings.append(
        DoctorFinding("broker", state, words, remedy: "use a broker that does, such as mosquitto"))
    }
    if isComplete != false, trial.qos != nil, !trial.isAcknowledged {
      add(
        .fault,
        "this broker acknowledged no message (QoS 1) within 3 s: the gateway's transitions would stay unconfirmed, and wait for ever"
      )
    }
    if trial.qos == 0 {
      add(
        .warning,
        "this broker delivers with QoS 0 only: a subscriber whose connection is broken misses what is published meanwhile"
      )
    }
    if trial.isEndHeard, !trial.isKept {
      add(
        .warning,
        "this broker retains no messages: a new subscriber learns the state of zones and beacons, and Home Assistant its devices, only when the gateway publishes them again"
      )
    }
    return findings
  }

  /// The test message must not stay, even if the broker was slow or delivers nothing.
  private func clear(_ topic: String, _ options: Options) async {
    guard let client = try? Client(options) else { return }
    try? client.subscribe(to: topic)
    _ = await client.firstAnswer(within: Self.patience) { event -> Bool? in
      switch event {
      case .subscribed: try? client.publish([], to: topic, retain: true, id: 1)
      case .acknowledged(1): return true
      case .refused, .subscriptionRefused, .rejected: return false
      default: break
      }
      return nil
    }
  }
}
