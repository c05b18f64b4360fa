import Beacons
import JSON
import Messages

/// Who is in each zone and room of a site, put together from what the partitions say. A function of those messages and of time.
public struct SiteOccupancy: Sendable {
  private struct Place {
    var kind: PlaceKind
    var name: String
    /// What each partition says; nil: nothing yet.
    var parts: [Part?]
    var told: MonotonicTime?
    var due: MonotonicTime?

    var count: Int { parts.reduce(0) { $0 + ($1?.members.count ?? 0) } }
  }

  private struct Part {
    var state: String
    var members: [OccupancyMessage.Member]
  }

  /// After a crowd was published, it is not published again for this time a member, because all members are listed. In a large
  /// site somebody comes or goes in each room many times a second: without the pause, 200 rooms of 500 tags would say 40 MB a second.
  private static let pause = TimeSpan.milliseconds(1)
  private static let longestPause = TimeSpan.seconds(10)
  private static let few = 20

  private let topics: Topics
  private let partitions: Int
  private let known: Set<String>
  private var places: [String: Place] = [:]
  private var waiting: Set<String> = []
  /// Beacons that were in some place.
  private var met: Set<String> = []
  private static let metLimit = 200_000

  /// - Parameter names: of the configured zones and rooms. Others are passed over.
  public init(site: String, partitions: Int, zones: [String], rooms: [String]) {
    topics = Topics(gateway: site)
    self.partitions = partitions
    known = Set(zones.map { "zone/" + $0 } + rooms.map { "room/" + $0 })
  }

  /// What to subscribe to.
  public var filter: String { topics.base + "/partition/+/+/+/occupancy" }

  /// Takes in what a partition says of a place.
  ///
  /// - Returns: beacons that are met for the first time.
  @discardableResult
  public mutating func take(_ payload: [UInt8], topic: String, at time: MonotonicTime) -> [String] {
    let levels = topic.dropFirst(topics.base.utf8.count + 1).split(
      separator: "/", omittingEmptySubsequences: false)
    guard levels.count == 5, levels[0] == "partition", let partition = Int(levels[1]),
      (0..<partitions).contains(partition), let kind = PlaceKind(rawValue: String(levels[2])),
      let name = name(ofTopicLevel: levels[3]), known.contains("\(kind.rawValue)/\(name)")
    else { return [] }
    let key = "\(kind.rawValue)/\(name)"
    var place = places[key] ?? Place(kind: kind, name: name, parts: Array(repeating: nil, count: partitions))
    // An empty payload: what was retained is gone.
    place.parts[partition] = payload.isEmpty ? nil : Self.part(payload) ?? place.parts[partition]
    if place.due == nil {
      let count = place.count
      let pause =
        count > Self.few
        ? min(TimeSpan(nanoseconds: Self.pause.nanoseconds * Int64(count)), Self.longestPause) : .zero
      place.due = max(time, place.told.map { $0 + pause } ?? time)
      waiting.insert(key)
    }
    places[key] = place
    let members = place.parts[partition]?.members ?? []
    return members.map(\.beacon).filter { met.count < Self.metLimit && met.insert($0).inserted }
  }

  /// When `takeDue` next has something; nil: not before another message.
  public var nextDeadline: MonotonicTime? { waiting.compactMap { places[$0]?.due }.min() }

  /// What is to be published by now, in order of the names.
  public mutating func takeDue(at time: MonotonicTime) -> [Message] {
    let due = waiting.filter { places[$0].flatMap(\.due).map { $0 <= time } ?? false }.sorted()
    return due.compactMap { key in
      waiting.remove(key)
      places[key]?.due = nil
      places[key]?.told = time
      return places[key].map(message)
    }
  }

  /// Everything, for a broker that may have lost it.
  public func allStates() -> [Message] { places.keys.sorted().compactMap { places[$0].map(message) } }

  private func message(_ place: Place) -> Message {
    let parts = place.parts.compactMap(\.self)
    let members = parts.flatMap(\.members).sorted { ($0.since, $0.beacon) < ($1.since, $1.beacon) }
    // Where one partition is blind, all are: the same receivers serve them.
    let isUnknown = parts.contains { $0.state == "unknown" }
    let state = isUnknown ? "unknown" : members.isEmpty ? "empty" : "occupied"
    let occupancy =
      place.kind == .zone
      ? OccupancyMessage(zone: place.name, state: state, members: members)
      : OccupancyMessage(room: place.name, state: state, members: members)
    return occupancy.message(topics: topics)
  }

  /// nil for anything else.
  private static func part(_ payload: [UInt8]) -> Part? {
    guard let tree = try? JSONTree(payload, limit: 200_000), case .text(let state)? = tree["state"],
      ["occupied", "empty", "unknown"].contains(state), case .list(let beacons)? = tree["beacons"]
    else { return nil }
    let members = beacons.compactMap { beacon -> OccupancyMessage.Member? in
      guard case .text(let name)? = beacon["beacon"], case .text(let since)? = beacon["since"],
        let time = WallTime(rfc3339: since)
      else { return nil }
      var member = OccupancyMessage.Member(beacon: name, since: time)
      if case .text(let display)? = beacon["name"] { member.displayName = display }
      if case .flag(let near)? = beacon["near"] { member.isNear = near }
      return member
    }
    return Part(state: state, members: members)
  }
}
