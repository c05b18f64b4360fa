import Contract
import Core
import Pipeline

/// The members of each zone and room of a site, added up from the partitions' messages. A function of those messages and of
/// time.
package struct SiteOccupancy: Sendable {
  private struct Place {
    var kind: PlaceKind
    var name: String
    var parts: [Part]

    var count: Int { parts.reduce(0) { $0 + $1.members.count } }
  }

  /// The members in one partition. Messages come more often than the place is published, so only the last one is parsed.
  private struct Part {
    var unread: [UInt8]?
    /// nil: nothing yet.
    var list: OccupancyList?

    var members: [OccupancyMessage.Member] { list?.members ?? [] }
  }

  private let topics: Topics
  private let partitions: Int
  private var places: [Place]
  private let known: [String: Int]
  private var pace: CrowdPace
  /// Places to be published at once.
  private var ready: Set<Int> = []
  /// Beacons that were in some place.
  private var met: Set<String> = []
  private var newlyMet: [String] = []
  private static let metLimit = 200_000

  /// - Parameter names: of the configured zones and rooms. Others are ignored.
  package init(site: String, partitions: Int, zones: [String], rooms: [String]) {
    topics = Topics(gateway: site)
    self.partitions = partitions
    let parts = Array(repeating: Part(), count: partitions)
    let places =
      zones.map { Place(kind: .zone, name: $0, parts: parts) }
      + rooms.map { Place(kind: .room, name: $0, parts: parts) }
    self.places = places
    known = Dictionary(
      uniqueKeysWithValues: places.indices.map { (Self.key(places[$0].kind, places[$0].name), $0) })
    pace = CrowdPace(places: places.count, .site)
  }

  private static func key(_ kind: PlaceKind, _ name: String) -> String { "\(kind.rawValue)/\(name)" }

  /// The topics to subscribe to.
  package var filter: String { topics.base + "/partition/+/+/+/occupancy" }

  /// Processes a partition's message about a place.
  package mutating func take(_ payload: [UInt8], topic: String, at time: MonotonicTime) {
    let levels = topic.dropFirst(topics.base.utf8.count + 1).split(
      separator: "/", omittingEmptySubsequences: false)
    guard levels.count == 5, levels[0] == "partition", let partition = Int(levels[1]),
      (0..<partitions).contains(partition), let kind = PlaceKind(rawValue: String(levels[2])),
      let name = name(ofTopicLevel: levels[3]), let place = known[Self.key(kind, name)]
    else { return }
    places[place].parts[partition].unread = payload
    if pace.isToBeTold(place, members: places[place].count, at: time) { ready.insert(place) }
  }

  /// When `takeDue` returns something; nil: not before another message.
  package var nextDeadline: MonotonicTime? { ready.isEmpty ? pace.next : MonotonicTime(nanoseconds: .min) }

  /// The messages to publish by now, in the order of the places.
  package mutating func takeDue(at time: MonotonicTime) -> [Message] {
    let due = ready.union(pace.takeDue(at: time)).sorted()
    ready.removeAll()
    return due.map { place in
      read(place)
      return message(places[place])
    }
  }

  /// The beacons that were in a place for the first time since the last call.
  package mutating func takeMet() -> [String] {
    defer { newlyMet.removeAll() }
    return newlyMet
  }

  private mutating func read(_ place: Int) {
    for partition in places[place].parts.indices {
      guard let payload = places[place].parts[partition].unread else { continue }
      places[place].parts[partition].unread = nil
      // An empty payload clears a retained message.
      let list = OccupancyList(payload)
      if list != nil || payload.isEmpty { places[place].parts[partition].list = list }
      for member in list?.members ?? [] where met.count < Self.metLimit {
        if met.insert(member.beacon).inserted { newlyMet.append(member.beacon) }
      }
    }
  }

  private func message(_ place: Place) -> Message {
    let members = place.parts.flatMap(\.members).sorted { ($0.since, $0.beacon) < ($1.since, $1.beacon) }
    // If one partition is blind, all are, because they have the same receivers.
    let isUnknown = place.parts.contains { $0.list?.state == "unknown" }
    let state = isUnknown ? "unknown" : members.isEmpty ? "empty" : "occupied"
    let occupancy =
      place.kind == .zone
      ? OccupancyMessage(zone: place.name, state: state, members: members)
      : OccupancyMessage(room: place.name, state: state, members: members)
    return occupancy.message(topics: topics)
  }
}

/// The members of a place in one partition; see `OccupancyMessage`. A large site reads hundreds of these a second, so they are
/// read without building a tree.
struct OccupancyList {
  var state = ""
  var members: [OccupancyMessage.Member] = []

  /// nil for anything else.
  init?(_ payload: [UInt8]) {
    do throws(JSONCursor.Malformed) {
      let bytes = payload.span
      var cursor = JSONCursor()
      var isListed = false
      try cursor.members(bytes) { name, cursor throws(JSONCursor.Malformed) in
        switch name {
        case "state": state = try Self.text(bytes, &cursor) ?? ""
        case "beacons":
          isListed = true
          try cursor.elements(bytes) { cursor throws(JSONCursor.Malformed) in
            if let member = try Self.member(bytes, &cursor) { members.append(member) }
          }
        default: try cursor.skipValue(bytes)
        }
      }
      guard cursor.peek(bytes) == nil, isListed, ["occupied", "empty", "unknown"].contains(state) else {
        return nil
      }
    } catch {
      return nil
    }
  }

  /// nil: beacon or time is missing.
  private static func member(
    _ bytes: Span<UInt8>, _ cursor: inout JSONCursor
  ) throws(JSONCursor.Malformed) -> OccupancyMessage.Member? {
    var beacon: String?
    var since: WallTime?
    var displayName: String?
    var isNear: Bool?
    try cursor.members(bytes) { name, cursor throws(JSONCursor.Malformed) in
      switch name {
      case "beacon": beacon = try text(bytes, &cursor)
      case "since": since = try text(bytes, &cursor).flatMap { WallTime(rfc3339: $0) }
      case "name": displayName = try text(bytes, &cursor)
      case "near" where cursor.takeWord("true", bytes): isNear = true
      case "near" where cursor.takeWord("false", bytes): isNear = false
      default: try cursor.skipValue(bytes)
      }
    }
    guard let beacon, let since else { return nil }
    return OccupancyMessage.Member(beacon: beacon, displayName: displayName, since: since, isNear: isNear)
  }

  /// Reads a text; nil: the value has another type.
  private static func text(
    _ bytes: Span<UInt8>, _ cursor: inout JSONCursor
  ) throws(JSONCursor.Malformed) -> String? {
    guard cursor.peek(bytes) == UInt8(ascii: "\"") else {
      try cursor.skipValue(bytes)
      return nil
    }
    return try JSONString.decode(cursor.string(bytes), of: bytes)
  }
}
