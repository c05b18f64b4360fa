import Beacons
import Core
import Proximity

/// The axis of all lanes; long pauses are cut out of it. Lanes stretch with the screen, so their text is beside them, not in
/// them.
struct TimeFrame {
  private let report: RoomReport
  /// The parts between the cuts, from seconds to coordinates.
  private let pieces: [Scale]

  /// The width of a lane, in its own units.
  static let width = 1000.0
  private static let cutWidth = 12.0
  private static let cutLimit = 20
  private static let tickCount = 8.0

  init(_ report: RoomReport) {
    self.report = report
    let from = (report.journey.start ?? .zero).seconds
    let to = max(report.journey.end.seconds, from + 1)
    // Shorter pauses stay, because that shows more.
    let long = report.journey.pauses.filter { ($0.to - $0.from).seconds > (to - from) / 20 }
    let cuts = long.prefix(Self.cutLimit).map { ($0.from.seconds, $0.to.seconds) }
    let starts = [from] + cuts.map(\.1)
    let ends = cuts.map(\.0) + [to]
    let kept = zip(starts, ends).reduce(0) { $0 + max($1.1 - $1.0, 0) }
    let unit = (Self.width - Double(cuts.count) * Self.cutWidth) / max(kept, 1e-3)
    var place = 0.0
    pieces = zip(starts, ends).map { from, to in
      defer { place += max(to - from, 0) * unit + Self.cutWidth }
      return Scale(from: from, to: max(to, from), start: place, end: place + max(to - from, 0) * unit)
    }
  }

  var hasCuts: Bool { pieces.count > 1 }

  func x(_ time: MonotonicTime) -> Double { x(time.seconds) }

  private func x(_ seconds: Double) -> Double {
    let piece = pieces.last { $0.from <= seconds } ?? pieces[0]
    return piece(seconds)
  }

  private var kept: Double { pieces.reduce(0) { $0 + $1.to - $1.from } }

  /// Round times of day, as seconds of the journey.
  private var ticks: [Double] {
    let start = Double(report.start.nanoseconds) / 1e9
    return pieces.flatMap { piece in
      let count = Int((Self.tickCount * (piece.to - piece.from) / max(kept, 1e-3)).rounded())
      let calendar = Scale(from: start + piece.from, to: start + piece.to, start: 0, end: 1)
      return calendar.ticks(max(count, 1), steps: Scale.timeSteps.filter { $0 >= 1 }).map { $0 - start }
    }
  }

  /// Draws the background of all lanes: lines at the ticks, and the cuts.
  func writeBack(_ height: Double, into page: inout Markup) {
    for tick in ticks { page.line(x(tick), 0, x(tick), height, "upright") }
    for piece in pieces.dropLast() {
      page.element(
        "rect",
        [
          "x": Figures.at(piece.end), "y": "0", "width": Figures.at(Self.cutWidth),
          "height": Figures.at(height),
          "class": "cut",
        ])
      page.line(piece.end, 0, piece.end, height, "cutedge")
      page.line(piece.end + Self.cutWidth, 0, piece.end + Self.cutWidth, height, "cutedge")
    }
  }

  func writeTicks(into page: inout Markup) {
    page.element("div", ["class": "lane", "aria-hidden": "true"]) { page in
      page.element("span", ["class": "lanename"])
      page.element("div", ["class": "ticks"]) { page in
        var free = -1.0
        var freeOnPhones = -1.0
        for tick in ticks {
          let share = x(tick) / Self.width * 100
          // The width of a label, in hundredths of the lane, on a small desktop and on a phone.
          guard share >= free else { continue }
          let isCoarse = share >= freeOnPhones
          free = share + 9
          if isCoarse { freeOnPhones = share + 24 }
          let edge = share < 3 ? " atstart" : share > 97 ? " atend" : ""
          page.element(
            "span",
            [
              "class": (isCoarse ? "coarse" : "fine") + edge, "style": "left:\(Figures.number(share, 2))%",
            ], words(tick))
        }
      }
    }
  }

  private func words(_ tick: Double) -> String {
    let text = report.calendar(.zero + .seconds(tick.rounded())).rfc3339
    let time = text.dropFirst(11)
    if report.journey.end.seconds > 86_400 { return "\(text.dropFirst(5).prefix(5)) \(time.prefix(5))" }
    return String(time.prefix(kept > 600 ? 5 : 8))
  }
}

extension MonotonicTime {
  /// Since the clock's start.
  var seconds: Double { Double(nanoseconds) / 1e9 }
}

/// Times and lengths of time, for people.
enum TimeWords {
  /// `2026-11-20 21:50`.
  static func minute(_ time: WallTime) -> String {
    let text = time.rfc3339
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5))"
  }

  /// `21:50:03`.
  static func second(_ time: WallTime) -> String { String(time.rfc3339.dropFirst(11).prefix(8)) }

  /// `0.9 s`, `46 s`, `3 min 5 s`, `2 h 10 min`; never finer than useful.
  static func length(_ seconds: Double) -> String {
    if seconds < 60 { return Figures.number(seconds, seconds < 10 ? 1 : 0) + " s" }
    guard seconds < 1e9 else { return "years" }
    let whole = Int(seconds.rounded())
    let (hours, minutes) = (whole / 3600, whole / 60 % 60)
    if hours == 0 { return "\(minutes) min" + (whole % 60 > 0 ? " \(whole % 60) s" : "") }
    return "\(hours) h" + (minutes > 0 ? " \(minutes) min" : "")
  }
}
