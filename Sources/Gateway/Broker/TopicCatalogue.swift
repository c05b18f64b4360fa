import Configuration
import Contract

/// Everything that a gateway of a configuration publishes to and reads. `doctor` asks the broker about it, and the access list
/// that ships allows it.
struct TopicCatalogue {
  /// The largest number of devices for Home Assistant.
  private static let deviceLimit = 200

  private let configuration: Configuration
  private let topics: Topics
  private let plan: AnnouncementPlan

  init(_ configuration: Configuration) {
    self.configuration = configuration
    topics = configuration.topics
    plan = AnnouncementPlan(configuration)
  }

  /// The topics to which it publishes: each class of topics for each configured name.
  var published: [String] { questions.map(\.topic) }

  /// The same topics, with the payload where it is known. Descriptions for Home Assistant are the largest of all payloads.
  var questions: [(topic: String, payload: [UInt8])] {
    names.map { ($0, []) } + discovery.map { ($0.topic, $0.payload) }
  }

  private var names: [String] {
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
      all += [
        topics.verdict(phone: phone.name), topics.window(phone: phone.name), topics.record(phone: phone.name),
      ]
    }
    for beacon in configuration.beacons {
      all.append(topics.event(beacon: beacon.name))
      all += topics.retained(
        beacon: beacon.name, hasPlaces: configuration.homeAssistant.hasPlaces,
        hasRooms: !configuration.rooms.isEmpty)
    }
    if let observations = configuration.publish.observations {
      all += (0..<observations.partitions).map { topics.observations(partition: $0) }
    }
    return all + roomPresences
  }

  /// For the configured receivers; without any, for the default one.
  private var roomPresences: [String] {
    guard let prefix = configuration.homeAssistant.rooms else { return [] }
    let named = Set(configuration.receivers.map(\.name) + configuration.zones.flatMap { $0.receivers ?? [] })
    let topics = (named.isEmpty ? ["hci0"] : named).flatMap { receiver in
      configuration.beacons.map {
        RoomPresenceMessage.topic(prefix: prefix, beacon: $0.name, receiver: receiver)
      }
    }
    return Set(topics).sorted()
  }

  private var discovery: [Message] {
    plan.standing.prefix(Self.deviceLimit).flatMap { subject in
      plan.device(subject, heard: nil).map { plan.discovery.messages($0) } ?? []
    }
  }

  /// The filters to which it subscribes.
  var filters: [String] {
    let scanners = ScannerIntake(
      configuration.resolvedScanners, ownGateway: configuration.gatewayName, expected: [])
    return [topics.status, topics.instance, "\(topics.base)/+/+/+"] + plan.discovery.filters
      + Leftovers(configuration).filters
      + (configuration.phones.isEmpty ? [] : topics.appReports) + scanners.filters
  }
}
