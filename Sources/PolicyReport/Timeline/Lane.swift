import RangingPolicy

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
