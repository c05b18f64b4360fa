import Configuration
import Contract
import Mosquitto

extension Doctor {
  /// The largest number of topics to ask about; the rest is skipped.
  private static let topicLimit = 200
  private static let toldLimit = 10

  /// Something that the broker does not allow.
  private struct Refusal {
    let text: String
    let remedy: String

    /// - Parameters:
    ///   - what: such as `may not publish to …`.
    ///   - rule: for mosquitto's access list.
    init(_ what: String, _ reason: String? = nil, rule: String) {
      text = what + (reason.map { ": \($0)" } ?? "")
      remedy =
        Client.concernsSize(reason ?? "")
        ? "raise the broker's limit; in mosquitto's configuration: max_packet_size, message_size_limit"
        : "allow it in the broker's access list; in mosquitto's: \(rule) (the example mosquitto.acl has all)"
    }
  }

  /// Asks the broker, topic by topic, what the gateway may publish and subscribe to. So rules for single topics are found,
  /// too.
  ///
  /// - Parameter options: of a client that the broker accepts.
  func permissions(_ options: Options) async -> [DoctorFinding] {
    var probe = AccessProbe(options)
    let own = configuration.topics
    let who = options.credentials.map { "the user \($0.username)" } ?? "a client without user name"
    let catalogue = TopicCatalogue(configuration)
    let (topics, filters) = (catalogue.questions, catalogue.filters)
    let asked = Array(topics.prefix(Self.topicLimit))
    var refused: [Refusal] = []
    var remarks: [DoctorFinding] = []
    do throws(InvalidOptions) {
      switch try await probe.discretion(options.beside(), instanceTopic: own.instance) {
      case .discreet: break
      case .passedOn:
        return [
          DoctorFinding(
            "access", .warning,
            "this broker delivers a QoS 2 message before it is released; asking about each topic would disturb subscribers"
          )
        ]
      case .unadmitted(let failure):
        return [
          failure.mayConcernTheID
            ? DoctorFinding(
              "access", .warning,
              "cannot find out what the gateway may publish: that needs two connections, and the broker admits no other client id than the gateway's"
            ) : cannotAsk(failure)
        ]
      }
      var answers = try await probe.mayPublish(asked)
      // Every account that works may publish one of these. If neither is allowed, the broker may decide by client id
      // (mosquitto: `pattern write beaconkeeper/%c/#`).
      let isByID = zip(asked, answers).allSatisfy { question, answer in
        ![own.status, own.instance].contains(question.topic) || answer.isRefusal
      }
      if isByID, isGatewayRunning {
        remarks.append(
          DoctorFinding(
            "access", .warning,
            "asked with the client id \(options.clientID), because the gateway runs; a rule for the gateway's own may allow more",
            remedy: "stop the gateway, and look again"))
      } else if isByID, case .remote(let remote) = configuration.broker {
        probe = AccessProbe(Options(remote, gateway: configuration.gatewayName))
        answers = try await probe.mayPublish(asked)
      }
      for ((topic, _), answer) in zip(asked, answers) {
        let rule = "topic write \(topic)"
        switch answer {
        case .allowed: continue
        case .refused(let reason):
          refused.append(Refusal("\(who) may not publish to \(topic)", reason, rule: rule))
        case .closed:
          let what =
            "the broker does not answer, or closes the connection, when \(who) publishes to \(topic)"
          refused.append(Refusal(what, rule: rule))
        case .noRoom(let reason):
          return [
            DoctorFinding(
              "access", .warning, "the broker has no room for questions now: \(reason)",
              remedy: "look at the broker's limits, and look again")
          ]
        case .unreachable(let failure): return [cannotAsk(failure)]
        }
      }
      for filter in filters {
        let rule = "topic read \(filter)"
        switch try await probe.maySubscribe(to: filter) {
        case .allowed: continue
        case .refused(let reason), .noRoom(let reason):
          refused.append(Refusal("\(who) may not subscribe to \(filter)", reason, rule: rule))
        case .closed:
          refused.append(
            Refusal("the broker closes the connection when \(who) subscribes to \(filter)", rule: rule))
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
      DoctorFinding("access", .fault, $0.text, remedy: $0.remedy)
    }
    guard refused.count > told.count else { return told + remarks }
    return told + remarks + [DoctorFinding("access", .fault, "and \(refused.count - told.count) more")]
  }

  private func cannotAsk(_ failure: ConnectionFailure) -> DoctorFinding {
    DoctorFinding(
      "access", .warning,
      // The broker has just accepted a connection with MQTT 3.1.1.
      failure.mayConcernTheVersion
        ? "the broker speaks MQTT 3.1.1 only and never says what it forbids; neither doctor nor run can find out what the gateway may publish"
        : "cannot find out what the gateway may publish: \(failure)")
  }
}

extension AccessProbe.Answer {
  fileprivate var isRefusal: Bool { if case .refused = self { true } else { false } }
}
