import Phones

/// One row of a timeline below the distance: one property of the phone or the app over time.
struct Lane: Hashable {
  /// A state with a duration.
  struct Span: Hashable {
    /// How it ended, if that has a sign of its own.
    enum Ending: String, Hashable { case none, handler, kill, leak }

    var from: Milliseconds
    var to: Milliseconds
    var label: String
    var ending = Ending.none
  }

  /// An event.
  struct Mark: Hashable {
    var time: Milliseconds
    var sign: String
    var words: String
    /// Whether it had no effect.
    var isVoid = false
  }

  enum Kind: String, Hashable {
    case region, tasks, location, audio, bluetooth, permission, phone, app, scans
  }

  var kind: Kind
  var name: String
  /// Overlapping spans are in separate rows.
  var rows: [[Span]] = []
  var marks: [Mark] = []

  /// Further rows are only counted.
  static let rowLimit = 3

  init(_ kind: Kind, _ name: String, spans: [Span] = [], marks: [Mark] = []) {
    self.kind = kind
    self.name = name
    self.marks = marks
    // Each span goes into the first row that is free at its start.
    for span in spans {
      if let row = rows.firstIndex(where: { ($0.last?.to ?? .min) <= span.from }) {
        rows[row].append(span)
      } else {
        rows.append([span])
      }
    }
  }

  var isEmpty: Bool { rows.isEmpty && marks.isEmpty }

  /// The name, and how many of its rows are not drawn.
  var title: String {
    rows.count > Self.rowLimit ? "\(name) (+\(rows.count - Self.rowLimit) more at once)" : name
  }

  /// The lanes of a result that are not empty.
  static func all(of result: Simulation) -> [Lane] {
    let events = FactLanes(result)
    return
      ([events.region, TaskBars(result).lane, location(of: result), events.scans]
      + PhoneLanes(result).all + [events.app]).filter { !$0.isEmpty }
  }

  private static func location(of result: Simulation) -> Lane {
    var marks: [Mark] = []
    for fact in result.history.facts where fact.what == .autoPaused {
      marks.append(Mark(time: fact.time, sign: "‖", words: fact.what.rawValue))
    }
    return Lane(
      .location, "Location updates",
      spans: result.history.locating.map { Span(from: $0.lowerBound, to: $0.upperBound, label: "on") },
      marks: marks)
  }
}

/// The lanes of momentary events.
struct FactLanes {
  private(set) var region = Lane(.region, "Region events")
  private(set) var scans = Lane(.scans, "Scans")
  private(set) var app = Lane(.app, "App")

  init(_ result: Simulation) {
    for fact in result.history.facts {
      switch fact.what {
      case .regionEnter: region.marks.append(Self.mark(fact, "▲"))
      case .regionExit: region.marks.append(Self.mark(fact, "▼"))
      case .screenWake: region.marks.append(Self.mark(fact, "☀"))
      case .eventIgnored, .eventWithheld: region.marks.append(Self.mark(fact, "△", isVoid: true))
      case .scanStarted: scans.marks.append(Self.mark(fact, "◦"))
      case .scanRefused: scans.marks.append(Self.mark(fact, "⊘", isVoid: true))
      case .scanDowngraded, .serviceStopped: scans.marks.append(Self.mark(fact, "✗", isVoid: true))
      case .enteredForeground: app.marks.append(Self.mark(fact, "↑"))
      case .enteredBackground: app.marks.append(Self.mark(fact, "↓"))
      case .launched, .relaunched: app.marks.append(Self.mark(fact, "▶"))
      case .forceQuit, .lowMemory, .killed: app.marks.append(Self.mark(fact, "✗"))
      case .rebooted: app.marks.append(Self.mark(fact, "↻"))
      case .notRunning: app.marks.append(Self.mark(fact, "⊘", isVoid: true))
      default: break
      }
    }
    for callback in result.callbacks {
      region.marks.append(
        Lane.Mark(
          time: callback.time, sign: callback.isEnter ? "▲" : "▼",
          words: "wake region \(callback.region + 1) \(callback.isEnter ? "enter" : "exit")"))
    }
    // The library's sort need not keep the order of equal elements.
    region.marks = region.marks.enumerated().sorted {
      ($0.element.time, $0.offset) < ($1.element.time, $1.offset)
    }.map(\.element)
  }

  private static func mark(_ fact: Fact, _ sign: String, isVoid: Bool = false) -> Lane.Mark {
    Lane.Mark(time: fact.time, sign: sign, words: fact.what.rawValue, isVoid: isVoid)
  }
}

/// The phone's state according to the timeline: one lane for each property that is ever unusual.
struct PhoneLanes {
  private let entries: [Timeline.Entry]
  private let end: Milliseconds

  init(_ result: Simulation) {
    entries = result.timeline.entries
    end = result.end
  }

  var all: [Lane] {
    [
      lane(.audio, "Audio") { if case .audio(let isOn) = $0 { isOn ? "playing" : "" } else { nil } },
      lane(.bluetooth, "Bluetooth") { if case .bluetooth(let isOn) = $0 { isOn ? "" : "off" } else { nil } },
      lane(.permission, "Permission") {
        guard case .permission(let permission) = $0 else { return nil }
        return permission == .always ? "" : Self.words(permission)
      },
      lane(.permission, "Location switch") {
        if case .locationServices(let isOn) = $0 { isOn ? "" : "off" } else { nil }
      },
      lane(.phone, "Screen") { if case .screen(let isOn) = $0 { isOn ? "on" : "" } else { nil } },
      lane(.phone, "Lying still") {
        if case .still(let isStill) = $0 { isStill ? "still" : "" } else { nil }
      },
      lane(.phone, "Standby bucket") {
        guard case .bucket(let period) = $0 else { return nil }
        return period.map { "limited per \(Figures.time($0))" } ?? ""
      },
      lane(.phone, "Debugger") { if case .debugger(let isOn) = $0 { isOn ? "attached" : "" } else { nil } },
    ]
  }

  /// `label`: the event's effect on this property; empty: back to normal; nil: the event concerns another property.
  private func lane(_ kind: Lane.Kind, _ name: String, label: (PhoneEvent) -> String?) -> Lane {
    var spans: [Lane.Span] = []
    var open: (from: Milliseconds, label: String)?
    func close(at time: Milliseconds) {
      if let open, time > open.from {
        spans.append(Lane.Span(from: open.from, to: time, label: open.label))
      }
      open = nil
    }
    for entry in entries {
      guard let label = label(entry.event) else { continue }
      if open?.label == label { continue }
      close(at: entry.time)
      if !label.isEmpty { open = (entry.time, label) }
    }
    close(at: end)
    return Lane(kind, name, spans: spans)
  }

  private static func words(_ permission: Permission) -> String {
    switch permission {
    case .whenInUse: "when in use"
    case .notDetermined: "not determined"
    case .reducedAccuracy: "reduced accuracy"
    case .always, .denied, .restricted: permission.rawValue
    }
  }
}

/// The app's background tasks as bars from begin to end, from the events of the result.
struct TaskBars {
  private struct Held {
    var id: TaskID?
    var from: Milliseconds
    /// Its identifier was overwritten, so nothing can end it.
    var isLost = false
  }

  private let names: [TaskID: String]
  private var held: [Held] = []
  private var spans: [Lane.Span] = []
  private var marks: [Lane.Mark] = []

  init(_ result: Simulation) {
    names = result.timeline.taskNames
    for fact in result.history.facts { take(fact) }
    endAll(at: result.end) { _ in true }
  }

  var lane: Lane {
    Lane(
      .tasks, "Background tasks",
      spans: spans.enumerated().sorted { ($0.element.from, $0.offset) < ($1.element.from, $1.offset) }.map(
        \.element), marks: marks)
  }

  private mutating func take(_ fact: Fact) {
    switch fact.what {
    case .taskBegun: begin(fact)
    case .taskEnded: endAll(at: fact.time) { !$0.isLost && $0.id == fact.task }
    case .handlerRan:
      endAll(at: fact.time, by: .handler) { !$0.isLost && $0.id == fact.task }
    case .killed: endAll(at: fact.time, by: .kill) { _ in true }
    case .forceQuit, .rebooted, .lowMemory: endAll(at: fact.time) { _ in true }
    case .taskRefused: marks.append(mark(fact, "⊘"))
    case .unknownEnd: marks.append(mark(fact, "?"))
    case .countdownEnded: marks.append(mark(fact, "0"))
    case .spared: marks.append(mark(fact, "↷"))
    default: break
    }
  }

  private func mark(_ fact: Fact, _ sign: String) -> Lane.Mark {
    Lane.Mark(time: fact.time, sign: sign, words: fact.what.rawValue, isVoid: true)
  }

  private mutating func begin(_ fact: Fact) {
    let number = fact.task?.rawValue ?? -1
    if let old = held.firstIndex(where: { !$0.isLost && $0.id == fact.task }) {
      held[old].isLost = true
    }
    // The list of samples keeps only the newest task.
    if number < -1 { endAll(at: fact.time) { !$0.isLost && ($0.id?.rawValue ?? 0) < -1 } }
    held.append(Held(id: fact.task, from: fact.time))
  }

  private func label(of task: Held) -> String {
    (task.id.flatMap { names[$0] }.map { "\($0) " } ?? "") + (task.isLost ? "leaked" : "held")
  }

  private mutating func endAll(
    at time: Milliseconds, by ending: Lane.Span.Ending = .none, where isMeant: (Held) -> Bool
  ) {
    for task in held where isMeant(task) {
      let ending = ending == .none && task.isLost ? .leak : ending
      spans.append(
        Lane.Span(
          from: task.from, to: max(time, task.from + 1), label: label(of: task), ending: ending))
    }
    held.removeAll(where: isMeant)
  }
}
