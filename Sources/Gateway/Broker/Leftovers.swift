import MQTT
import Beacons
import JSON
import Settings
import Messages

/// Finds retained messages at the broker that are of things no longer configured, and those that place a beacon in a zone or a
/// room.
///
/// It reads from the broker what an earlier run left, so it needs no file. Of a region's member only the region is checked; the
/// state of a member that is no longer heard expires by itself.
struct Leftovers: Sendable {
  private let topics: Topics
  /// As topic levels.
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

  /// The filters to subscribe to, to read what the broker retains.
  var filters: [String] { places + claims }

  /// Those of `filters` that are not about beacons.
  var places: [String] { [topics.occupancies, topics.roomOccupancies, topics.windows] }

  /// Those of `filters` for the places of beacons.
  var claims: [String] {
    [topics.beaconStates, topics.beaconZones, topics.beaconPlaces, topics.beaconRooms]
  }

  /// Whether the topic is one of ours.
  func isOwn(_ topic: String) -> Bool { parse(topic) != nil }

  /// A message about a beacon's room is shorter.
  private static let roomLimit = 1 << 12

  /// The correction for a beacon's retained topic if this run does not know the beacon.
  struct Correction {
    var beacon: String
    /// The room, zone or place that it names; nil for the beacon's state, which has more fields and is replaced as soon as the
    /// beacon is heard.
    var claim: String?
    var message: Message
  }

  /// nil if the message does not place one of our beacons anywhere.
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

  /// The message that clears a topic; nil if the topic is still configured, or is not ours.
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
