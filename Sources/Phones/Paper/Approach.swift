/// One visit of a phone to a beacon, simulated or from a recording.
public struct Approach: Hashable, Sendable {
  /// A readable name, such as `50m@1m/s` or `van, 21:49:00`.
  public var name: String
  public var near: NearDistances
  public var timeline: Timeline

  public init(name: String, near: NearDistances, timeline: Timeline) {
    self.name = name
    self.near = near
    self.timeline = timeline
  }

  /// The same visit as part of a day: afterwards the phone is out of range and its app in the background until
  /// `span` is over. A longer visit stays unchanged.
  public func followedByAbsence(until span: Milliseconds) -> Timeline {
    var day = timeline
    guard span > timeline.end else { return day }
    day.leave(until: span)
    return day
  }
}

extension Timeline {
  /// Adds that the phone leaves at the end and stays away.
  fileprivate mutating func leave(until span: Milliseconds) {
    let leaving = end
    if endsInForeground { append(.background, at: leaving) }
    if liesStill { append(.still(false), at: leaving) }
    for beacon in beacons.indices { append(.motion(nil, of: beacon), at: leaving) }
    if givesRegionEvents, isGivenInside { append(.regionExit, at: leaving) }
    end = span
  }

  private var endsInForeground: Bool {
    for entry in entries.reversed() {
      switch entry.event {
      case .foreground, .userLaunch: return true
      case .background, .forceQuit, .lowMemory, .reboot: return false
      default: continue
      }
    }
    return start == .foreground
  }

  /// Whether the phone lies still at the end. Leaving moves it.
  private var liesStill: Bool {
    for entry in entries.reversed() { if case .still(let isStill) = entry.event { return isStill } }
    return false
  }

  private var isGivenInside: Bool {
    let last = entries.last { $0.event == .regionEnter || $0.event == .regionExit }
    return last?.event == .regionEnter
  }
}
