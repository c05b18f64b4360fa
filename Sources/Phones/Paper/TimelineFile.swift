import Core

/// An error in a line of a timeline file.
public struct TimelineFault: Error, Hashable, Sendable {
  /// From 1.
  public var line: Int
  /// In bytes, from 1.
  public var column: Int
  public var message: String
  public var hint: String?
}

/// Reads a timeline: one JSON object per line, `{"t":0,"distance_m":50}` or `{"t":3,"event":"background"}`, in any order.
/// `{"t":0,"beacon":"door","distance_m":8}` is the distance from one of several beacons. It may have a `uuid`, `major` and
/// `minor`, and `{"region":"UUID/MAJOR/MINOR"}` is a region that the app monitors.
/// Lines such as `{"t":50,"expect":"ranging"}` say what is expected.
public struct TimelineFile {
  /// At most this many faults are collected.
  static let faultLimit = 20

  private var entries: [Timeline.Entry] = []
  private var waypoints: [Timeline.Waypoint] = []
  private var vocabulary = EventVocabulary(isLive: false)
  private var beacons = TimelineBeacons()
  public private(set) var faults: [TimelineFault] = []
  /// What is expected of the simulation, with line and column.
  public private(set) var expectations: [ScopedExpectation] = []
  private var line = 0
  /// Where the object of this line begins, from 1.
  private var column = 1

  public init(_ bytes: [UInt8]) {
    for text in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      line += 1
      if text.allSatisfy({ $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }) { continue }
      column = text.prefix { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }.count + 1
      do throws(JSONCursor.Malformed) {
        try read(FlatObject(Array(text)))
      } catch {
        let all = "events: " + EventVocabulary.events.joined(separator: ", ")
        let hint = error.message.hasPrefix("no event") ? all : nil
        faults.append(TimelineFault(line: line, column: error.offset + 1, message: error.message, hint: hint))
      }
      if faults.count == Self.faultLimit { break }
    }
  }

  public var isEmpty: Bool { entries.isEmpty && waypoints.isEmpty }

  /// `end`: how long to simulate; nil: until the last line, expectations included. `regions`: those of the app; empty: those
  /// of the lines, or else the first UUID that a line names.
  public func timeline(until end: Milliseconds? = nil, regions: [BeaconRegion] = []) -> Timeline {
    let end = end ?? expectations.compactMap(\.expectation.time).max()
    var timeline = Timeline(
      events: entries, waypoints: waypoints, beacons: beacons.of(regions: regions), end: end)
    for (name, task) in vocabulary.tasks where !name.isEmpty { timeline.taskNames[task] = name }
    return timeline
  }

  private mutating func readExpectation(_ object: FlatObject) throws(JSONCursor.Malformed) {
    guard expectations.count < ScopedExpectation.most else {
      throw JSONCursor.Malformed(offset: 0, message: "more than \(ScopedExpectation.most) expectations")
    }
    var expectation = try ScopedExpectation(object, members: ScopedExpectation.timelineMembers)
    expectation.line = line
    expectation.column = column
    expectations.append(expectation)
  }

  private mutating func read(_ object: FlatObject) throws(JSONCursor.Malformed) {
    if object.members.contains(where: { $0.name == "expect" }) { return try readExpectation(object) }
    if object.members.contains(where: { $0.name == "region" }) {
      let members = try object.members(named: ["region"])
      return try members["region"].map { member throws(JSONCursor.Malformed) in try beacons.addRegion(member)
      }
        ?? ()
    }
    let members = try object.members(named: Self.names)
    guard let t = members["t"] else {
      throw JSONCursor.Malformed(offset: 0, message: "\"t\" (seconds) is missing")
    }
    let time = try ScopedExpectation.time(t)
    if let distance = members["distance_m"] {
      try readWaypoint(distance, of: beacons.index(members), at: time)
    } else if let stranger = TimelineBeacons.members.lazy.compactMap({ members[$0] }).first {
      throw stranger.misnamed("\"\(stranger.name)\" goes with \"distance_m\"")
    }
    if let event = members["event"] {
      entries.append(.init(time: time, event: try vocabulary.event(event, members)))
    } else if let stranger = members["id"] ?? members["value"] ?? members["granted"] ?? members["handler"] {
      throw stranger.misnamed("\"\(stranger.name)\" goes with \"event\"")
    } else if members["distance_m"] == nil {
      throw JSONCursor.Malformed(offset: 0, message: "\"distance_m\" or \"event\" is missing")
    }
  }

  private static let names =
    ["t", "distance_m", "event", "id", "value", "granted", "handler"] + TimelineBeacons.members

  private mutating func readWaypoint(
    _ member: FlatObject.Member, of beacon: Int, at time: Milliseconds
  ) throws(JSONCursor.Malformed) {
    switch member.value {
    case .null: waypoints.append(.init(time: time, distance: nil, beacon: beacon))
    case .number(let metres) where metres >= 0 && metres <= 1e6:
      waypoints.append(.init(time: time, distance: Micrometres((metres * 1e6).rounded()), beacon: beacon))
    default:
      throw member.malformed("\"distance_m\" is metres, from 0 to 1000000, or null: out of range")
    }
  }
}
