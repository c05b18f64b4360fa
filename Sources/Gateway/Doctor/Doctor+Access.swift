import Beacons
import Configuration
import Contract
import Core
import Mosquitto

extension Doctor {
  /// The largest number of topics to ask about; the rest is skipped.
  private static let topicLimit = 200
  private static let toldLimit = 10

  /// Asks the broker, topic by topic, what the gateway may publish and subscribe to. So rules for single topics are found,
  /// too.
  func permissions(at remote: RemoteBroker) async -> [DoctorFinding] {
    let options = Options(remote, gateway: configuration.gatewayName)
    let probe = AccessProbe(options)
    let instance = Topics(gateway: configuration.gatewayName).instance
    let who = remote.username.map { "the user \($0)" } ?? "a client without user name"
    let catalogue = TopicCatalogue(configuration)
    let (topics, filters) = (catalogue.published, catalogue.filters)
    let asked = topics.prefix(Self.topicLimit)
    var refused: [(text: String, rule: String)] = []
    do throws(InvalidOptions) {
      if try await probe.isPassedOn(options, instanceTopic: instance) {
        return [
          DoctorFinding(
            "access", .warning,
            "this broker delivers a QoS 2 message before it is released; asking about each topic would disturb subscribers"
          )
        ]
      }
      let answers = try await probe.mayPublish(asked.map { ($0, []) })
      for (topic, answer) in zip(asked, answers) {
        switch answer {
        case .allowed: continue
        case .refused(let reason):
          refused.append(("\(who) may not publish to \(topic): \(reason)", "topic write \(topic)"))
        case .closed:
          refused.append(
            (
              "the broker does not answer, or closes the connection, when \(who) publishes to \(topic)",
              "topic write \(topic)"
            ))
        case .unreachable(let failure): return [cannotAsk(failure)]
        }
      }
      for filter in filters {
        switch try await probe.maySubscribe(to: filter) {
        case .allowed: continue
        case .refused(let reason):
          refused.append(("\(who) may not subscribe to \(filter): \(reason)", "topic read \(filter)"))
        case .closed:
          refused.append(
            ("the broker closes the connection when \(who) subscribes to \(filter)", "topic read \(filter)"))
        case .unreachable(let failure): return [cannotAsk(failure)]
        }
      }
    } catch {
      return [DoctorFinding("access", .warning, "not asked: \(error)")]
    }
    guard !refused.isEmpty else {
      let rest = topics.count > asked.count ? " (of \(topics.count), the first)" : ""
      return [
        DoctorFinding(
          "access", .ok,
          "\(who) may publish to all \(asked.count) topics\(rest) and subscribe to all \(filters.count) filters"
        )
      ]
    }
    let told = refused.prefix(Self.toldLimit).map {
      DoctorFinding(
        "access", .fault, $0.text,
        remedy:
          "allow it in the broker's access list; in mosquitto's: \($0.rule) (the example mosquitto.acl has all)"
      )
    }
    guard refused.count > told.count else { return told }
    return told + [DoctorFinding("access", .fault, "and \(refused.count - told.count) more")]
  }

  private func cannotAsk(_ failure: ConnectionFailure) -> DoctorFinding {
    DoctorFinding(
      "access", .warning,
      failure.kind == .unsupportedProtocol
        ? "the broker speaks MQTT 3.1.1 only and never says what it forbids; neither doctor nor run can find out what the gateway may publish"
        : "cannot find out what the gateway may publish: \(failure)")
  }
}
