import Phones

/// What the strips of a drawing have in common: their time axis. They stretch with the screen, and two properties of the page
/// zoom all of them together: `--from` is where the view begins, `--share` how much of the time it shows. Shapes are SVG. Words
/// are HTML, so that they keep their size, and are shown only where they fit.
struct Strips {
  /// The end of the axis, which begins at 0.
  let end: Milliseconds
  /// Beyond this many bars or signs, all are drawn as shapes without words.
  let limit: Int

  /// A span with a word on it.
  struct Bar {
    var span: Range<Milliseconds>
    var style: String
    var label = ""
    /// A class for the sign at its end.
    var ending = ""
  }

  init(end: Milliseconds, limit: Int) {
    self.end = max(1, end)
    self.limit = limit
  }

  /// A time as a share of the axis.
  func share(_ time: Milliseconds) -> Double { min(max(Double(time) / Double(end), 0), 1) }

  /// A span that is shorter than this share of the axis is left out of shapes, because it would not be visible.
  var shortest: Double { 1 / Double(4 * limit) }

  /// A coordinate in a drawing, which is 1000 wide.
  func x(_ time: Milliseconds) -> String { Figures.number(share(time) * 1000, 3) }

  /// The position of an element.
  func place(_ span: Range<Milliseconds>) -> String {
    "--x:\(place(span.lowerBound));--w:\(Figures.number(share(span.upperBound) - share(span.lowerBound), 6))"
  }

  private func place(_ time: Milliseconds) -> String { Figures.number(share(time), 6) }

  /// A strip; `side` writes beside it, outside the zoom.
  func write(
    _ style: String, into page: inout Markup, side: (inout Markup) -> Void = { _ in },
    _ content: (inout Markup) -> Void
  ) {
    page.element("div", ["class": "row \(style)"]) { page in
      side(&page)
      page.element("div", ["class": "strip"]) { page in
        page.element("div", ["class": "in"], content)
      }
    }
  }

  /// Shapes, 1000 wide and 100 high, whatever the size of the strip.
  func draw(into page: inout Markup, _ content: (inout Markup) -> Void) {
    page.element(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "viewBox": "0 0 1000 100", "preserveAspectRatio": "none",
        "aria-hidden": "true",
      ], content)
  }

  /// Bars, in the order of time.
  func write(_ bars: [Bar], into page: inout Markup) {
    guard bars.count > limit else {
      for bar in bars {
        let ending = bar.ending.isEmpty ? "" : " " + bar.ending
        page.element("span", ["class": "bar \(bar.style)\(ending)", "style": place(bar.span)]) { page in
          if !bar.label.isEmpty { page.element("b", bar.label) }
        }
      }
      return
    }
    draw(into: &page) { page in
      for (style, bars) in Dictionary(grouping: bars, by: \.style).sorted(by: { $0.key < $1.key }) {
        page.element("path", ["d": path(bars.map(\.span)), "class": style])
      }
    }
  }

  /// Spans as one shape.
  func path(_ spans: [Range<Milliseconds>]) -> String {
    var path = ""
    var drawn = -1.0
    for span in spans where share(span.upperBound) - drawn > shortest {
      drawn = share(span.upperBound)
      path += "M\(x(span.lowerBound)) 0V100H\(x(span.upperBound))V0z"
    }
    return path
  }

  /// A stroke at each time.
  func strokes(_ times: some Sequence<Milliseconds>) -> String {
    var path = ""
    var drawn = -1.0
    for time in times where share(time) - drawn > shortest {
      drawn = share(time)
      path += "M\(x(time)) 0V100"
    }
    return path
  }

  /// Words at times, each with the space up to the next. The last one is on the left of its time, if that is late.
  func write(_ words: [(time: Milliseconds, words: String)], style: String, into page: inout Markup) {
    let words = words.sorted { $0.time < $1.time }
    var ends = words.dropFirst().map(\.time) + [end]
    let isLeft = words.last.map { share($0.time) > 0.5 } ?? false
    if isLeft, words.count > 1 {
      ends[words.count - 2] = (words[words.count - 2].time + ends[words.count - 2]) / 2
    }
    for (index, word) in words.enumerated() {
      let turns = isLeft && index == words.count - 1
      let span =
        turns ? (index > 0 ? ends[index - 1] : 0)..<word.time : word.time..<max(word.time, ends[index])
      page.element("span", ["class": "word \(style)\(turns ? " turned" : "")", "style": place(span)]) {
        page in
        page.element("b", word.words)
      }
    }
  }

  /// Signs at times, each if there is space up to the next.
  func write(_ signs: [(time: Milliseconds, sign: String, style: String)], into page: inout Markup) {
    for (index, sign) in signs.enumerated() {
      let next = index + 1 < signs.count ? signs[index + 1].time : end
      page.element(
        "span", ["class": "sign \(sign.style)", "style": place(sign.time..<max(sign.time, next))]
      ) { $0.element("b", sign.sign) }
    }
  }

  /// Lines at round times through all strips, each with its figure below. The script replaces them when the view changes.
  func writeTicks(into page: inout Markup) {
    let seconds = Double(end) / 1000
    let unit = seconds > 7200 ? 3600.0 : seconds > 600 ? 60 : 1
    page.element("div", ["class": "ticks", "aria-hidden": "true"]) { page in
      let scale = Scale(from: 0, to: seconds, start: 0, end: 100)
      for tick in scale.ticks(5, steps: Scale.timeSteps) {
        page.element(
          "span", ["style": "left:\(Figures.number(scale(tick), 3))%"], Figures.number(tick / unit, 1))
      }
    }
  }

  /// The unit below the figures.
  func writeUnit(seconds: String, into page: inout Markup) {
    let unit = end > 7_200_000 ? "hours" : end > 600_000 ? "minutes" : seconds
    page.element("div", ["class": "unit"], unit)
  }
}
