/// The timeline of what happened to a phone: the events in its log, and from another timeline what the log does not record.
struct LogInputs {
  let timeline: Timeline

  /// - Parameter reach: the tolerance between a predicted time and the log's.
  init(
    _ seen: [(time: Milliseconds, event: SeenEvent)], truth: Timeline?, predictsRegion: Bool,
    reach: Milliseconds
  ) {
    var entries: [Timeline.Entry] = []
    var waypoints: [Timeline.Waypoint] = []
    var names: [String?] = []
    let tellsRegion = seen.contains { $0.event.what.isRegionEvent }
    var isInForeground = false
    for (index, (time, event)) in seen.enumerated() {
      switch event.what {
      case .happened(let happened):
        if happened == .foreground { isInForeground = true }
        if happened == .background { isInForeground = false }
        if predictsRegion && happened.isRegion { continue }
        entries.append(.init(time: time, event: happened))
      // iOS reports the state at each event, and also when the app asks for it, which an app does in the foreground.
      case .inside(let isInside) where !tellsRegion && !predictsRegion && !isInForeground:
        entries.append(.init(time: time, event: isInside ? .regionEnter : .regionExit))
      case .ranged(let distance?, _) where truth == nil:
        guard let beacon = Self.place(of: event.beacon, in: &names) else { continue }
        waypoints.append(.init(time: time, distance: distance, beacon: beacon))
      // Just after the tolerance the end becomes a fact, so that the prediction is compared with it, and a dead process causes no
      // further divergence. If the process began again before that, the end counts just before its start.
      case .terminated:
        let next = seen[(index + 1)...].first { later in
          switch later.event.what {
          case .launched, .happened(.foreground): true
          default: false
          }
        }
        if isInForeground { entries.append(.init(time: time, event: .background)) }
        isInForeground = false
        entries.append(
          .init(time: max(time, min(time + reach + 1, next.map { $0.time - 1 } ?? .max)), event: .lowMemory))
      case .near, .ranged, .launched, .suspended, .resumed, .expiration, .remaining, .scan,
        .inside,
        .other:
        continue
      }
    }
    let told = Set(entries.map(\.event).filter { $0 != .lowMemory }.map(\.subject))
    let rest = truth?.entries.filter { !told.contains($0.event.subject) } ?? []
    timeline = Timeline(
      events: entries + rest, waypoints: waypoints, beacons: truth?.beacons ?? names.map { .init(name: $0) },
      end: max(seen.last?.time ?? 0, truth?.end ?? 0))
  }

  /// The index of a beacon; nil: there are too many.
  private static func place(of name: String?, in names: inout [String?]) -> Int? {
    if let known = names.firstIndex(of: name) { return known }
    guard names.count < BeaconView.limit else { return nil }
    names.append(name)
    return names.count - 1
  }
}

extension Timeline {
  var tellsDistances: Bool {
    entries.contains { if case .motion = $0.event { true } else { false } }
  }
}

extension PhoneEvent {
  var isRegion: Bool { self == .regionEnter || self == .regionExit }

  /// What the event is about. A log that has any event about a subject has them all.
  fileprivate var subject: String {
    switch self {
    case .bluetooth: "bluetooth"
    case .permission: "permission"
    case .locationServices: "location services"
    case .foreground, .background, .userLaunch, .forceQuit, .lowMemory, .reboot: "lifecycle"
    case .debugger: "debugger"
    case .motion(_, let beacon): "motion of \(beacon)"
    case .regionEnter, .regionExit, .onAir: "region"
    case .screen: "screen"
    case .audio: "audio"
    case .location: "location"
    case .backgroundFetch: "fetch"
    case .beginTask, .endTask: "tasks"
    case .still: "still"
    case .bucket: "bucket"
    case .near: "near"
    }
  }
}

extension SeenEvent {
  /// The event as a mark to align two clocks with; nil: of a kind that the timeline does not have.
  var mark: LogAlignment.Mark? {
    guard let time else { return nil }
    switch what {
    case .happened(let event): return event.markKind.map { .init(kind: $0, time: time) }
    case .near: return .init(kind: "near", time: time)
    default: return nil
    }
  }
}

extension PhoneEvent {
  fileprivate var markKind: String? {
    switch self {
    case .foreground: "foreground"
    case .background: "background"
    case .regionEnter: "region enter"
    case .regionExit: "region exit"
    case .screen(let isOn): isOn ? "screen on" : "screen off"
    case .audio(let isOn): isOn ? "audio on" : "audio off"
    case .bluetooth(let isOn): isOn ? "Bluetooth on" : "Bluetooth off"
    default: nil
    }
  }
}

extension Simulation {
  /// The timeline's own events, and the predicted ones of the region and of near.
  var marks: [LogAlignment.Mark] {
    var marks = timeline.entries.compactMap { entry in
      entry.event.markKind.map { LogAlignment.Mark(kind: $0, time: entry.time) }
    }
    if !timeline.givesRegionEvents {
      marks += history.facts.filter { $0.what == .regionEnter || $0.what == .regionExit }
        .map { .init(kind: $0.what.rawValue, time: $0.time) }
    }
    marks += verdicts.compactMap { verdict in verdict.delivered.map { .init(kind: "near", time: $0) } }
    return marks.sorted { $0.time < $1.time }
  }
}
