import Phones

/// A drawing of one phone's approach: the distance with its thresholds and near triggers, the app's states, and a lane for
/// everything else that happened.
struct TimelineChart {
  let result: Simulation
  let near: NearDistances
  /// A prefix that keeps its element ids apart from those of other drawings on the page.
  let id: String
  let lanes: [Lane]
  let remaining: RemainingCurve?
  /// A curve for each beacon, as far as there is room.
  let curves: [[(time: Milliseconds, metres: Double?)]]
  private let strips: Strips
  private let metres: Scale

  /// More crossings than this would be indistinguishable.
  private static let markLimit = 200
  /// The times of further crossings are only in the table.
  private static let nameLimit = 12
  /// More curves than this would be a grey area.
  private static let curveLimit = 12
  /// More callbacks than this are drawn as bars.
  private static let callbackLimit: Milliseconds = 400

  /// `until`: where the time axis ends; nil: where the result ends.
  init(
    _ result: Simulation, near: NearDistances, id: String, until: Milliseconds? = nil,
    budget: Budget = Budget(cards: 20)
  ) {
    self.result = result
    self.near = near
    self.id = id
    lanes = Lane.all(of: result)
    remaining = RemainingCurve(result)
    let beacons = min(result.timeline.beacons.count, Self.curveLimit)
    curves = (0..<beacons).map {
      DistanceCurve(result.timeline, of: $0, until: result.knownUntil, limit: max(2, budget.points / beacons))
        .points
    }
    strips = Strips(end: max(until ?? 0, result.end), limit: budget.bars)
    let heard = Double(min(result.profile.strategy[.heardDistance], 200_000_000)) / 1e6
    let far = max(
      curves.joined().compactMap(\.metres).max() ?? heard, 2 * Double(near.near ?? 1_000_000) / 1e6)
    metres = Scale(from: 0, to: 1.05 * far, start: 0, end: 100)
  }

  func write(into page: inout Markup) {
    page.element(
      "p", ["id": "\(id)-t", "class": "unseen"], "Distance and app state under \(result.profile.name)")
    page.element("p", ["id": "\(id)-d", "class": "unseen"], Account(result: result).sentence)
    page.element("ul", ["class": "lines"]) { page in
      for line in thresholds {
        page.element("li", ["class": line.style], "\(line.name) \(Figures.metres(line.distance))")
      }
    }
    page.element(
      "div",
      ["class": "timeline", "role": "img", "aria-labelledby": "\(id)-t", "aria-describedby": "\(id)-d"]
    ) { page in
      strips.writeTicks(into: &page)
      strips.write("words", into: &page) { strips.write(names, style: "name", into: &$0) }
      writePlot(into: &page)
      strips.write("band", into: &page) { strips.write(states, into: &$0) }
      for lane in lanes { write(lane, into: &page) }
      if let remaining { write(remaining, into: &page) }
      writeCallbacks(into: &page)
      page.element("div", ["class": "axis"], "")
      strips.writeUnit(seconds: "seconds from the start", into: &page)
      strips.write("over", into: &page) { page in
        for verdict in verdicts {
          page.element(
            "i", ["class": "crossing", "style": strips.place(verdict.crossed..<verdict.crossed)], "")
        }
        if let cut {
          page.element("i", ["class": "cut", "style": strips.place(cut..<cut)], "")
        }
        page.element("i", ["class": "cursor"], "")
      }
    }
  }

  private var markLimit: Int { min(Self.markLimit, strips.limit) }

  private var verdicts: ArraySlice<Verdict> { result.verdicts.prefix(markLimit) }

  /// Where a recording ended.
  private var cut: Milliseconds? { result.timeline.isCut ? result.timeline.end : nil }

  private var names: [(time: Milliseconds, words: String)] {
    let named = result.verdicts.count > Self.nameLimit ? [] : result.verdicts
    return named.map { verdict in
      let beacon = result.timeline.name(of: verdict.beacon)
      let start = beacon.map { "\($0) " } ?? (named.count > 1 ? "" : "near at ")
      return (verdict.crossed, start + Figures.time(verdict.crossed))
    }
      + (cut.map { [($0, "end of the recording")] } ?? [])
  }

  private var thresholds: [(name: String, distance: Micrometres, style: String)] {
    var thresholds: [(String, Micrometres, String)] = []
    if let near = near.near { thresholds.append(("near", near, "nearline")) }
    if near.rearm != near.near { thresholds.append(("re-arm", near.rearm, "rearmline")) }
    thresholds.append(("heard", result.profile.strategy[.heardDistance], "heardline"))
    return thresholds.filter { Double($0.1) / 1e6 <= metres.to }
  }

  private func y(_ distance: Double) -> String { Figures.number(100 - metres(distance), 2) }

  private func writePlot(into page: inout Markup) {
    let ticks = metres.ticks(4, steps: Scale.distanceSteps)
    strips.write("plot", into: &page) { page in
      page.element("span", ["class": "unit"], "m")
      for tick in ticks {
        page.element(
          "span", ["class": "side", "style": "bottom:\(Figures.number(metres(tick), 2))%"],
          Figures.number(tick, 1))
      }
    } _: { page in
      strips.draw(into: &page) { page in
        for tick in ticks { page.element("path", ["d": "M0 \(y(tick))H1000", "class": "grid"]) }
        for line in thresholds {
          page.element("path", ["d": "M0 \(y(Double(line.distance) / 1e6))H1000", "class": line.style])
        }
        for curve in curves { page.element("path", ["d": path(curve), "class": "curve"]) }
        for (verdict, height) in marks {
          guard let delivered = verdict.delivered, delivered > verdict.crossed else { continue }
          page.element(
            "path",
            [
              "d": "M\(strips.x(verdict.crossed)) \(Figures.number(100 - height, 2))H\(strips.x(delivered))",
              "class": "delay",
            ])
        }
      }
      writeMarks(into: &page)
    }
  }

  private func path(_ curve: [(time: Milliseconds, metres: Double?)]) -> String {
    var path = ""
    var isDown = false
    for point in curve {
      guard let distance = point.metres else {
        isDown = false
        continue
      }
      path += "\(isDown ? "L" : "M")\(strips.x(point.time)) \(y(distance))"
      isDown = true
    }
    return path
  }

  /// Near triggers, each with its height in hundredths.
  private var marks: [(verdict: Verdict, height: Double)] {
    zip(verdicts, result.distances(ofFirst: markLimit)).map { ($0, $1.map { metres($0) } ?? 50) }
  }

  /// If they are too close for their signs, they are drawn small; the table below has the details.
  private func writeMarks(into page: inout Markup) {
    let placed = marks.map { (time: $0.verdict.delivered ?? $0.verdict.crossed, mark: $0) }.sorted {
      $0.time < $1.time
    }
    for (index, (time, (verdict, height))) in placed.enumerated() {
      let outcome = Outcome(verdict.outcome, wasNear: true)
      let next = index + 1 < placed.count ? placed[index + 1].time : strips.end
      page.element(
        "span",
        [
          "class": "mark \(outcome.style)\(index + 1 < placed.count ? "" : " last")",
          "style": strips.place(time..<max(time, next)) + ";bottom:\(Figures.number(height, 2))%",
        ]
      ) { $0.element("b", outcome.sign) }
    }
  }

  private var states: [Strips.Bar] {
    var bars = result.intervals.map { interval in
      Strips.Bar(
        span: interval.from..<max(interval.from, interval.to), style: interval.state.rawValue,
        label: interval.state.label)
    }
    if result.end < strips.end {
      bars.append(.init(span: result.end..<strips.end, style: "beyond", label: "not followed further"))
    }
    return bars
  }

  private func write(_ lane: Lane, into page: inout Markup) {
    page.element("div", ["class": "lanename"], lane.title)
    if !lane.marks.isEmpty {
      strips.write("lane", into: &page) { page in
        strips.draw(into: &page) { page in
          page.element("path", ["d": strips.strokes(lane.marks.map(\.time)), "class": "stroke"])
        }
        if lane.marks.count <= strips.limit {
          strips.write(lane.marks.map { ($0.time, $0.sign, $0.isVoid ? "void" : "") }, into: &page)
        }
      }
    }
    for row in lane.rows.prefix(Lane.rowLimit) {
      strips.write("lane", into: &page) { page in
        let bars = row.map { span in
          Strips.Bar(
            span: span.from..<max(span.from, span.to), style: lane.kind.rawValue, label: span.label,
            ending: span.ending == .none ? "" : span.ending.rawValue)
        }
        strips.write(bars, into: &page)
      }
    }
  }

  private func write(_ curve: RemainingCurve, into page: inout Markup) {
    page.element("div", ["class": "lanename"], curve.title)
    let most = Double(max(1, curve.most))
    func height(_ left: Milliseconds) -> String { Figures.number(100 - Double(left) / most * 94, 2) }
    var path = ""
    var drawn = -1.0
    for piece in curve.pieces {
      guard let left = piece.left, strips.share(piece.to) - drawn > strips.shortest else { continue }
      drawn = strips.share(piece.to)
      let empty = min(piece.to, piece.from + left)
      path +=
        "M\(strips.x(piece.from)) 100V\(height(left))L\(strips.x(empty)) \(height(max(0, left - (piece.to - piece.from))))V100z"
    }
    strips.write("remaining", into: &page) { page in
      strips.draw(into: &page) { $0.element("path", ["d": path, "class": "left"]) }
      let unlimited = curve.pieces.filter { $0.left == nil }
      strips.write(
        unlimited.map { Strips.Bar(span: $0.from..<$0.to, style: "unlimited", label: "∞") }, into: &page)
    }
  }

  /// Draws one stroke per callback that saw the beacon, or bars if there are too many.
  private func writeCallbacks(into page: inout Markup) {
    page.element("div", ["class": "lanename"], "Ranging callbacks with the beacon")
    let period = max(1, result.profile.os[.tickPeriod])
    let spans = result.seeingSpans
    let isFew = spans.reduce(0) { $0 + $1.upperBound - $1.lowerBound } / period <= Self.callbackLimit
    strips.write("lane", into: &page) { page in
      strips.draw(into: &page) { page in
        if isFew {
          let ticks = spans.flatMap { span in
            stride(
              from: (span.lowerBound + period - 1) / period * period, to: span.upperBound, by: Int(period))
          }
          page.element("path", ["d": strips.strokes(ticks), "class": "callback"])
        } else {
          page.element("path", ["d": strips.path(spans), "class": "callbackbar"])
        }
      }
    }
  }
}
