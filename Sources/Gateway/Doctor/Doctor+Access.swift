import Beacons
import Settings
import Messages
import Mosquitto
import Scanners

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
    let (topics, filters) = (self.topics, self.filters)
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

  /// The topics to which the gateway publishes: each class of topics for each configured name.
  private var topics: [String] {
    let topics = Topics(gateway: configuration.gatewayName)
    var all = [topics.status, topics.health, topics.instance]
    for zone in configuration.zones {
      all += ["enter", "near", "exit"].map { topics.transition(zone: zone.name, event: $0) }
      all.append(topics.occupancy(zone: zone.name))
    }
    for room in configuration.rooms {
      all += ["enter", "exit"].map { topics.transition(room: room.name, event: $0) }
      all.append(topics.occupancy(room: room.name))
    }
    for phone in configuration.phones {
      all += [topics.verdict(phone: phone.name), topics.window(phone: phone.name)]
    }
    for beacon in configuration.beacons {
      all += [topics.state, topics.event, topics.zone].map { $0(beacon.name) }
      if configuration.homeAssistant.hasPlaces { all.append(topics.place(beacon: beacon.name)) }
      if !configuration.rooms.isEmpty { all.append(topics.room(beacon: beacon.name)) }
    }
    if let observations = configuration.publish.observations {
      all += (0..<observations.partitions).map { topics.observations(partition: $0) }
    }
    return all + roomTopics + discoveryTopics
  }

  /// For the configured receivers; without any, for the default one.
  private var roomTopics: [String] {
    guard let prefix = configuration.homeAssistant.rooms else { return [] }
    let named = Set(configuration.receivers.map(\.name) + configuration.zones.flatMap { $0.receivers ?? [] })
    let topics = (named.isEmpty ? ["hci0"] : named).flatMap { receiver in
      configuration.beacons.map {
        RoomPresenceMessage.topic(prefix: prefix, beacon: $0.name, receiver: receiver)
      }
    }
    return Set(topics).sorted()
  }

  private var discoveryTopics: [String] {
    let plan = AnnouncementPlan(configuration)
    guard plan.isOn else { return [] }
    return plan.standing.prefix(Self.topicLimit).flatMap { subject -> [String] in
      guard let device = plan.device(subject, heard: nil) else { return [] }
      return plan.discovery.messages(device).map(\.topic)
    }
  }

  /// The filters to which the gateway subscribes.
  private var filters: [String] {
    let topics = Topics(gateway: configuration.gatewayName)
    let discovery = AnnouncementPlan(configuration).discovery
    var all = [topics.status, topics.instance, discovery.filter, discovery.birthTopic]
    all += Leftovers(configuration).filters
    if !configuration.phones.isEmpty { all.append(topics.appReports) }
    let scanners = ScannerIntake(
      configuration.resolvedScanners, ownGateway: configuration.gatewayName, expected: [])
    return all + scanners.filters
  }
}
