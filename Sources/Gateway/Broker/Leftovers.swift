import Beacons
import Configuration
import Contract
import Core
import Pipeline

/// Finds retained messages at the broker about things that are no longer configured, and those that place a beacon in a zone or a
/// room.
///
/// It reads from the broker what an earlier run left, so it needs no file. Of a region's member only the region is checked; the
/// state of a member that is no longer heard expires by itself.
struct Leftovers: Sendable {
  private let topics: Topics
  /// Names as topic levels.
  private let zones: Set<Substring>
  private let rooms: Set<Substring>
  private let phones: Set<Substring>
  private let beacons: Set<Substring>
  private let regions: Set<Substring>
  /// Whether beacons have a place in Home Assistant.
  private let hasPlaces: Bool

  init(_ configuration: Configuration) {
    topics = configuration.topics
    zones = Set(configuration.zones.map { Substring(topicLevel($0.name)) })
    rooms = Set(configuration.rooms.map { Substring(topicLevel($0.name)) })
    phones = Set(configuration.phones.map { Substring(topicLevel($0.name)) })
    let levels = configuration.beacons.map { (Substring(topicLevel($0.name)), $0.pattern.isRegion) }
    beacons = Set(levels.lazy.filter { !$0.1 }.map(\.0))
    regions = Set(levels.lazy.filter(\.1).map(\.0))
    hasPlaces = configuration.homeAssistant.hasPlaces
  }

  /// The filters to subscribe to, to read what the broker retains.
  var filters: [String] { RetainedTopic.allCases.map(topics.all) }

  /// The filters for where beacons are.
  var claims: [String] { RetainedTopic.ofBeacons.map(topics.all) }

  /// The other filters.
  var places: [String] {
    RetainedTopic.allCases.filter { !RetainedTopic.ofBeacons.contains($0) }.map(topics.all)
  }

  /// Whether the topic is one of ours.
  func isOwn(_ topic: String) -> Bool { topics.retained(topic) != nil }

  /// A longer message about a beacon's room is not ours.
  private static let roomLimit = 1 << 12

  /// The correction for a beacon's retained topic if this run does not know the beacon.
  struct Correction {
    var beacon: String
    /// The room, zone or place that the retained message names. nil for the beacon's state: the next sighting replaces it anyway.
    var claim: String?
    var message: Message
  }

  /// nil if the message does not place one of our beacons anywhere.
  func correction(of topic: String, _ payload: [UInt8]) -> Correction? {
    guard let (kind, level) = topics.retained(topic), removal(of: topic) == nil,
      let name = name(ofTopicLevel: level)
    else { return nil }
    switch kind {
    case .zoneOccupancy, .roomOccupancy, .phoneWindow, .phoneRecord: return nil
    case .beaconState:
      guard let now = BeaconStateMessage(elsewhere: name, retained: payload) else { return nil }
      return Correction(beacon: name, claim: nil, message: now.message(topics: topics))
    case .beaconRoom:
      guard payload.count <= Self.roomLimit, let tree = try? JSONTree(payload), let room = tree.text("room")
      else { return nil }
      let seen = tree.text("last_seen_at").flatMap { WallTime(rfc3339: $0) }
      let now = RoomMessage(beacon: name, room: nil, lastRoom: room, lastSeen: seen)
      return Correction(beacon: name, claim: room, message: now.message(topics: topics))
    case .beaconZone, .beaconPlace:
      if payload.elementsEqual(WhereaboutsMessage.nowhere.utf8) { return nil }
      return nowhere(at: topic).map {
        Correction(beacon: name, claim: String(decoding: payload, as: UTF8.self), message: $0)
      }
    }
  }

  /// The message for a beacon's topic which says that the beacon is nowhere, and that nothing is known about it; nil: the topic
  /// is not a beacon's.
  func nowhere(at topic: String) -> Message? {
    guard let (kind, level) = topics.retained(topic), let name = name(ofTopicLevel: level) else { return nil }
    switch kind {
    case .zoneOccupancy, .roomOccupancy, .phoneWindow, .phoneRecord: return nil
    case .beaconState: return Message(clearing: topic)
    case .beaconRoom: return RoomMessage(beacon: name, room: nil).message(topics: topics)
    case .beaconZone, .beaconPlace:
      let now = WhereaboutsMessage(beacon: name, kind: kind == .beaconZone ? .zone : .place, name: nil)
      return now.message(topics: topics)
    }
  }

  /// The message that clears a topic; nil if the topic is still configured, or is not ours.
  func removal(of topic: String) -> Message? {
    guard let (kind, name) = topics.retained(topic) else { return nil }
    let isKnown =
      switch kind {
      case .zoneOccupancy: zones.contains(name)
      case .roomOccupancy: rooms.contains(name)
      case .phoneWindow, .phoneRecord: phones.contains(name)
      case .beaconPlace where !hasPlaces: false
      case .beaconRoom where rooms.isEmpty: false
      case .beaconState, .beaconZone, .beaconPlace, .beaconRoom:
        beacons.contains(name) || region(of: name).map(regions.contains) ?? false
      }
    return isKnown ? nil : Message(clearing: topic)
  }

  /// The same for a topic that only this gateway has retained. It may be below another `base_topic`. Topics of Home Assistant are
  /// left to `Announcer`.
  func removal(ofRemembered topic: String, _ discovery: Discovery) -> Message? {
    if !isElsewhere(topic, discovery) { return removal(of: topic) }
    return Message(clearing: topic)
  }

  /// Whether the topic is below another `base_topic`, where this run does not read what the broker retains.
  func isElsewhere(_ topic: String, _ discovery: Discovery) -> Bool {
    !topic.hasPrefix(topics.base + "/") && !discovery.isOwn(topic)
  }

  /// The region of a member such as `fleet:1.2`, as a topic level.
  private func region(of name: Substring) -> Substring? {
    var end = name.endIndex
    while let percent = name[..<end].lastIndex(of: "%") {
      if name[percent...].hasPrefix("%3A") { return name[..<percent] }
      end = percent
    }
    return nil
  }
}

extension BeaconStateMessage {
  /// Our own messages are smaller.
  private static let retainedLimit = 1 << 16

  /// A state retained from an earlier run, corrected for a beacon that is nowhere and no longer heard. Any client may have
  /// published the payload.
  ///
  /// nil if it is not a beacon's state with a place or a distance.
  init?(elsewhere beacon: String, retained payload: [UInt8]) {
    guard payload.count <= Self.retainedLimit, let tree = try? JSONTree(payload, limit: payload.count),
      case .list(let zones)? = tree["zones"],
      zones.allSatisfy({ if case .text = $0 { true } else { false } }),
      case let room = tree.text("room"), room != nil || tree.lacks("room"),
      room != nil || !zones.isEmpty || !tree.lacks("distance_m"),
      let seen = tree.text("last_seen").flatMap({ WallTime(rfc3339: $0) }),
      let receiver = tree.text("receiver"), case .object(let readings)? = tree["readings"]
    else { return nil }
    let latest = Dictionary(readings.map { ($0.name, $0.value) }) { first, _ in first }
    self.init(
      beacon: beacon, zones: [], room: tree["room"] == nil ? nil : .some(nil), estimate: nil, lastSeen: seen,
      receiver: receiver,
      readings: latest.sorted { $0.key < $1.key }.compactMap { name, value in
        switch value {
        case .number(let number): SavedReading(name: name, number: number).reading
        case .flag(let flag): SavedReading(name: name, flag: flag).reading
        default: nil
        }
      })
  }
}
