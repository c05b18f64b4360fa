/// The events of one phone in order, and the end of the simulation.
public struct Timeline: Hashable, Sendable {
  public struct Entry: Hashable, Sendable {
    public var time: Milliseconds
    public var event: PhoneEvent

    public init(time: Milliseconds, event: PhoneEvent) {
      self.time = time
      self.event = event
    }
  }

  /// A known distance from a beacon. The phone moves evenly between waypoints. nil: out of range from then on.
  public struct Waypoint: Hashable, Sendable {
    public var time: Milliseconds
    public var distance: Micrometres?
    /// Its index in `beacons`.
    public var beacon: Int

    public init(time: Milliseconds, distance: Micrometres?, beacon: Int = 0) {
      self.time = time
      self.distance = distance
      self.beacon = beacon
    }
  }

  /// A beacon on the way.
  public struct Beacon: Hashable, Sendable {
    /// As the timeline calls it; nil: the one without a name.
    public var name: String?
    /// The app's regions, from 0, that the beacon belongs to. The app never sees a beacon that belongs to none.
    public var regions: [Int]

    public init(name: String?, regions: [Int] = [0]) {
      self.name = name
      self.regions = regions
    }
  }

  /// By time; entries of the same time in the order in which they take effect.
  public private(set) var entries: [Entry]
  /// At least one.
  public private(set) var beacons = [Beacon(name: nil)]
  /// The app's own names for its tasks.
  public var taskNames: [TaskID: String] = [:]
  public var end: Milliseconds
  /// The recording ends here. What the phone did later is unknown.
  public var isCut = false
  public var start: PhoneEngine.Start
  /// For an app that is in the background from the start: since when.
  public var since = Since.timeline
  /// The entries include region events or wake regions. Distance then causes no events of the app's own region.
  public private(set) var givesRegionEvents: Bool

  /// `end`: nil for the time of the latest entry. `start`: nil to derive it. The app then starts in the foreground if its first
  /// event is that it leaves the foreground, or enters it at zero; otherwise in the background.
  public init(
    events: [Entry], waypoints: [Waypoint] = [], beacons: [Beacon] = [], end: Milliseconds? = nil,
    start: PhoneEngine.Start? = nil
  ) {
    let paths = Dictionary(grouping: waypoints, by: \.beacon).sorted { $0.key < $1.key }
    let legs = paths.flatMap { beacon, points in Self.legs(points, to: beacon) }
    if !beacons.isEmpty { self.beacons = beacons }
    let all = (events + legs).enumerated().sorted {
      ($0.element.time, $0.element.event.order, $0.offset) < (
        $1.element.time, $1.element.event.order, $1.offset
      )
    }
    entries = all.map(\.element)
    self.end = max(end ?? 0, entries.last?.time ?? 0)
    givesRegionEvents = entries.contains {
      switch $0.event {
      case .regionEnter, .regionExit, .onAir: true
      default: false
      }
    }
    self.start = start ?? Self.start(of: entries)
  }

  /// A phone that walks straight up to the beacon and stays there. `speed`: micrometres per second.
  public init(approachFrom distance: Micrometres, speed: Micrometres, stay: Milliseconds = 0) {
    let speed = min(max(speed, 1), Motion.farthest)
    let motion = Motion(start: 0, distance: distance, rate: -speed, per: 1000)
    let arrival = motion.first(from: 0, within: 0, is: true)
    entries = [
      Entry(time: 0, event: .motion(motion)),
      Entry(time: arrival, event: .motion(Motion(start: arrival, distance: 0))),
    ]
    end = arrival + stay
    start = .background
    givesRegionEvents = false
  }

  /// Appends an event. A time before the last entry counts as the time of that entry.
  mutating func append(_ event: PhoneEvent, at time: Milliseconds) {
    let time = max(time, entries.last?.time ?? time)
    entries.append(Entry(time: time, event: event))
    end = max(end, time)
  }

  private static func legs(_ waypoints: [Waypoint], to beacon: Int) -> [Entry] {
    let path = waypoints.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
      .map(\.element)
    return path.indices.map { index in
      let to = path.indices.contains(index + 1) ? path[index + 1] : nil
      let motion = leg(from: path[index], to: to)
      return Entry(time: path[index].time, event: .motion(motion, of: beacon))
    }
  }

  private static func leg(from: Waypoint, to: Waypoint?) -> Motion? {
    guard let distance = from.distance else { return nil }
    guard let to, let next = to.distance, to.time > from.time else {
      return Motion(start: from.time, distance: distance)
    }
    return Motion(from: (from.time, distance), to: (to.time, next))
  }

  private static func start(of entries: [Entry]) -> PhoneEngine.Start {
    for entry in entries {
      switch entry.event {
      case .background: return .foreground
      // The app was on the screen from the start.
      case .foreground where entry.time <= 0: return .foreground
      case .foreground, .userLaunch, .forceQuit, .lowMemory, .reboot: return .background
      default: continue
      }
    }
    return .background
  }

  /// Distance from a beacon in metres at a time; nil if unknown.
  public func distance(at time: Milliseconds, of beacon: Int = 0) -> Double? {
    var motion: Motion?
    for entry in entries {
      if entry.time > time { break }
      if case .motion(let next, beacon) = entry.event { motion = next }
    }
    return motion?.metres(at: time)
  }
}

extension Timeline {
  /// Timelines of one beacon after each other, each from its own beginning on.
  public init(joining pieces: [(begin: Milliseconds, timeline: Timeline)], beacon: String) {
    let entries = pieces.flatMap { begin, timeline in
      timeline.entries.map { entry in
        var entry = entry
        entry.time += begin
        if case .motion(var motion?, let index) = entry.event {
          motion.start += begin
          entry.event = .motion(motion, of: index)
        }
        return entry
      }
    }
    self.init(
      events: entries, beacons: [Beacon(name: beacon)], end: pieces.map { $0.begin + $0.timeline.end }.max(),
      start: .background)
  }
}
