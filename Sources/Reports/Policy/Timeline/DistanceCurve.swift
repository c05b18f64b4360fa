import Phones

/// The distance over time, with as few points as a drawing needs.
struct DistanceCurve {
  /// nil: out of range from then on.
  private(set) var points: [(time: Milliseconds, metres: Double?)] = []

  /// A drawing of some hundred pixels cannot show more.
  static let limit = 600

  /// `beacon`: its index in the timeline.
  init(_ timeline: Timeline, of beacon: Int = 0, until end: Milliseconds, limit: Int = Self.limit) {
    var legs: [(start: Milliseconds, motion: Motion?)] = []
    for entry in timeline.entries {
      if case .motion(let motion, beacon) = entry.event { legs.append((entry.time, motion)) }
    }
    // Of many short legs, only one in each group is drawn: the nearest.
    let stride = max(1, (legs.count + limit / 2 - 1) / (limit / 2))
    var index = 0
    while index < legs.count {
      let group = legs[index..<min(index + stride, legs.count)]
      let leg = group.min { Self.metres($0) < Self.metres($1) } ?? legs[index]
      let last = group.last?.motion
      index += stride
      let next = index < legs.count ? legs[index].start : end
      points.append((leg.start, leg.motion?.metres(at: leg.start)))
      if let last, next > leg.start, stride == 1 || last.rate != 0 || index >= legs.count {
        points.append((next, last.metres(at: next)))
      } else if last == nil, stride > 1 {
        points.append((next, nil))
      }
    }
  }

  private static func metres(_ leg: (start: Milliseconds, motion: Motion?)) -> Double {
    leg.motion?.metres(at: leg.start) ?? .infinity
  }
}

extension Simulation {
  /// Until when the phone's position is known.
  var knownUntil: Milliseconds { timeline.isCut ? min(end, timeline.end) : end }

  /// The distance of the phone at the first crossings, computed in one pass.
  func distances(ofFirst limit: Int) -> [Double?] {
    // By beacon.
    var motions: [Int: Motion] = [:]
    var next = 0
    return verdicts.prefix(limit).map { verdict in
      while next < timeline.entries.count, timeline.entries[next].time <= verdict.crossed {
        if case .motion(let leg, let beacon) = timeline.entries[next].event { motions[beacon] = leg }
        next += 1
      }
      return motions[verdict.beacon]?.metres(at: verdict.crossed)
    }
  }

  /// The times when the app ranged and the beacon was within reach; half-open.
  var seeingSpans: [Range<Milliseconds>] {
    var spans: [Range<Milliseconds>] = []
    for (index, window) in windows.enumerated() where window.why == nil {
      let next = min(knownUntil, index + 1 < windows.count ? windows[index + 1].time : end)
      guard next > window.time else { continue }
      if let last = spans.last, last.upperBound == window.time {
        spans[spans.count - 1] = last.lowerBound..<next
      } else {
        spans.append(window.time..<next)
      }
    }
    return spans
  }
}

/// The remaining background time, as pieces between which it jumps.
struct RemainingCurve {
  struct Piece: Hashable {
    var from: Milliseconds
    var to: Milliseconds
    /// The remaining time at the beginning of the piece; it decreases as time passes. nil: unlimited.
    var left: Milliseconds?
  }

  private(set) var pieces: [Piece] = []
  /// The largest remaining time, apart from unlimited.
  private(set) var most: Milliseconds = 0

  /// Android has no background time, so there is nothing to draw.
  init?(_ result: Simulation) {
    guard result.profile.os.family == .iOS else { return nil }
    for (index, window) in result.windows.enumerated() {
      let to = index + 1 < result.windows.count ? result.windows[index + 1].time : result.end
      guard to > window.time else { continue }
      let left = window.remaining(at: window.time)
      if let last = pieces.last, last.left == nil, left == nil, last.to == window.time {
        pieces[pieces.count - 1].to = to
      } else if left != 0 {
        pieces.append(Piece(from: window.time, to: to, left: left))
      }
      most = max(most, left ?? 0)
    }
    if pieces.isEmpty { return nil }
  }

  var title: String {
    most > 0 ? "Background time left, at most \(Figures.time(most))" : "Background time left"
  }
}
