import RangingPolicy

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
