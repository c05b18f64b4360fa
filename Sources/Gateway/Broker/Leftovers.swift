import MQTT
import Beacons
import JSON
import Settings
import Messages

/// Which retained states at the broker are of things that the configuration does not know any more, and which say that a
/// beacon is in a zone or a room.
///
/// It learns from the broker what an earlier run left: that needs no file. Of a region's members only the region is
/// looked at; the state of one that is not heard any more expires by itself.
struct Leftovers: Sendable {
  private let topics: Topics
  /// As levels of topics.
  private let zones: Set<Substring>
  private let rooms: Set<Substring>
  private let phones: Set<Substring>
  private let beacons: Set<Substring>
  private let regions: Set<Substring>
  /// Whether beacons have a place in Home Assistant.
  private let hasPlaces: Bool

  init(_ configuration: Configuration) {
    topics = Topics(gateway: configuration.gatewayName)
    zones = Set(configuration.zones.map { Substring(topicLevel($0.name)) })
    rooms = Set(configuration.rooms.map { Substring(topicLevel($0.name)) })
    phones = Set(configuration.phones.map { Substring(topicLevel($0.name)) })
    let levels = configuration.beacons.map { (Substring(topicLevel($0.name)), $0.pattern.isRegion) }
    beacons = Set(levels.lazy.filter { !$0.1 }.map(\.0))
    regions = Set(levels.lazy.filter(\.1).map(\.0))
    hasPlaces = configuration.homeAssistant.hasPlaces
  }

  /// What to subscribe to, to see what the broker keeps.
  var filters: [String] { places + claims }

  /// Those of them that are not about beacons.
  var places: [String] { [topics.occupancies, topics.roomOccupancies, topics.windows] }

  /// Those of them that say where beacons are.
  var claims: [String] {
    [topics.beaconStates, topics.beaconZones, topics.beaconPlaces, topics.beaconRooms]
  }

  /// Whether the topic is one of ours.
  func isOwn(_ topic: String) -> Bool { parse(topic) != nil }

  /// More octets than a message about a beacon's room has.
  private static let roomLimit = 1 << 12

  /// The correction for a beacon's retained topic if this run does not know the beacon.
  struct Correction {
    var beacon: String
    /// The room, zone or place in which it is said to be; nil for its state, which says more, and which a beacon that is heard has replaced.
    var claim: String?
    var message: Message
  }

  /// nil if the retained messages place none of our beacons anywhere.
  func correction(of topic: String, _ payload: [UInt8]) -> Correction? {
    guard let (kind, level, what) = parse(topic), kind == "beacon", removal(of: topic) == nil,
      let name = name(ofTopicLevel: level)
    else { return nil }
    if what == "state" {
      guard let now = BeaconStateMessage(elsewhere: name, retained: payload) else { return nil }
      return Correction(beacon: name, claim: nil, message: now.message(topics: topics))
    }
    if what == "room" {
      guard payload.count <= Self.roomLimit, let room = (try? JSONTree(payload))?.text("room") else {
        return nil
      }
      return Correction(
        beacon: name, claim: room, message: RoomMessage(beacon: name, room: nil).message(topics: topics))
    }
    if payload.elementsEqual(WhereaboutsMessage.nowhere.utf8) { return nil }
    let now = WhereaboutsMessage(beacon: name, kind: what == "zone" ? .zone : .place, name: nil)
    return Correction(
      beacon: name, claim: String(decoding: payload, as: UTF8.self), message: now.message(topics: topics))
  }

  /// Takes back the state at a topic; nil for one that is to stay, and for topics that are not ours.
  func removal(of topic: String) -> Message? {
    guard let (kind, name, what) = parse(topic) else { return nil }
    let isKnown =
      switch kind {
      case "zone": zones.contains(name)
      case "room": rooms.contains(name)
      case "phone": phones.contains(name)
      case _ where what == "place" && !hasPlaces || what == "room" && rooms.isEmpty: false
      default: beacons.contains(name) || region(of: name).map(regions.contains) ?? false
      }
    return isKnown ? nil : Message(topic: topic, payload: [], qos: .atLeastOnce, retained: true)
  }

  private func parse(_ topic: String) -> (kind: Substring, name: Substring, what: Substring)? {
    guard topic.hasPrefix(topics.base + "/") else { return nil }
    let levels = topic.dropFirst(topics.base.count + 1).split(
      separator: "/", omittingEmptySubsequences: false)
    guard levels.count == 3 else { return nil }
    switch (levels[0], levels[2]) {
    case ("zone", "occupancy"), ("room", "occupancy"), ("beacon", "state"), ("beacon", "zone"),
      ("beacon", "place"), ("beacon", "room"), ("phone", "window"):
      return (levels[0], levels[1], levels[2])
    default: return nil
    }
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
