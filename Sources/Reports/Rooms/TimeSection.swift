import Beacons
import Core
import Proximity

/// Reported rooms over time beside the true ones, and the levels at each receiver, on one axis.
struct TimeSection {
  private let report: RoomReport
  private let frame: TimeFrame
  /// The reported or true rooms of the beacon; no room comes last.
  private let rooms: [RoomIndex?]

  init(_ report: RoomReport) {
    self.report = report
    frame = TimeFrame(report)
    let told = Set(report.journey.told.map(\.room))
    let named = told.union(report.journey.trueStays.map(\.room)).compactMap(\.self).sorted()
    rooms = named.map { $0 } + (told.contains(nil) ? [nil] : [])
  }

  private var hasTruth: Bool { report.journey.truth != nil }

  func write(into page: inout Markup) {
    page.element("section", ["aria-labelledby": "time"]) { page in
      page.element("h2", ["id": "time"], "Over time")
      page.element("ul", ["class": "key", "aria-label": "Key to the bands"]) { page in
        page.element("li", "in the room's colour: reported")
        if hasTruth {
          page.element("li") { page in
            page.element("span", ["class": "bar", "aria-hidden": "true"])
            page.say("true")
          }
        }
        if frame.hasCuts {
          page.element("li", "between dashes: a pause in which no receiver heard the beacon, cut out")
        }
      }
      page.element("figure") { page in
        for room in rooms { writeLane(room, into: &page) }
        frame.writeTicks(into: &page)
      }
      page.element("h3", "What each receiver heard")
      page.element("figure") { page in
        for hearer in report.plan.hearers {
          LevelLane(report: report, receiver: hearer.receiver, frame: frame, scale: levels).write(into: &page)
        }
        frame.writeTicks(into: &page)
      }
    }
  }

  /// dBm, the same for all receivers.
  private var levels: Scale {
    let means = report.journey.levels.values.flatMap { $0.entries.map(\.value.mean) }
    let (low, high) = (means.min() ?? -100, means.max() ?? -40)
    return Scale(
      from: (low / 10).rounded(.down) * 10, to: max((high / 10).rounded(.up) * 10, low + 10),
      start: LevelLane.height - 3, end: 3)
  }

  private func writeLane(_ room: RoomIndex?, into page: inout Markup) {
    page.element("div", ["class": "lane"]) { page in
      page.element("span", ["class": "lanename"], report.name(of: room))
      page.element(
        "svg",
        [
          "xmlns": "http://www.w3.org/2000/svg", "class": "strip", "preserveAspectRatio": "none",
          "viewBox": "0 0 \(Figures.at(TimeFrame.width)) 28", "aria-hidden": "true",
        ]
      ) { page in
        frame.writeBack(28, into: &page)
        let told = room == nil ? "lack" : "told \(RoomStyle.name(room))"
        write(report.journey.told, room, 3, hasTruth ? 14 : 22, told, into: &page)
        if room != nil { write(report.journey.trueStays, room, 19, 6, "true", into: &page) }
      }
    }
  }

  /// If there are too many stays to see, the longest are drawn.
  private static let limit = 600
  /// A shorter stay would not be visible.
  private static let narrowest = 0.8

  private func write(
    _ stays: [RoomJourney.Stay], _ room: RoomIndex?, _ top: Int, _ height: Int, _ style: String,
    into page: inout Markup
  ) {
    var own = stays.filter { $0.room == room }
    if own.count > Self.limit {
      own.sort { ($1.to - $1.from, $0.from) < ($0.to - $0.from, $1.from) }
      own = own.prefix(Self.limit).sorted { $0.from < $1.from }
    }
    for stay in own {
      let (from, to) = (frame.x(stay.from), frame.x(stay.to))
      page.element(
        "path",
        [
          "d":
            "M\(Figures.at(from)) \(top)H\(Figures.at(max(to, from + Self.narrowest)))v\(height)H\(Figures.at(from))z",
          "class": style,
        ])
    }
  }
}

/// The levels of the beacon at one receiver, over time.
struct LevelLane {
  let report: RoomReport
  let receiver: ReceiverIndex
  let frame: TimeFrame
  /// dBm.
  let scale: Scale

  static let height = 42.0
  /// Longer silence breaks the line.
  private static let silence = TimeSpan.seconds(10)

  func write(into page: inout Markup) {
    page.element("div", ["class": "lane"]) { page in
      page.element("span", ["class": "lanename"]) { page in
        page.say(report.name(of: receiver))
        page.element("br")
        page.element("small", range)
      }
      page.element(
        "svg",
        [
          "xmlns": "http://www.w3.org/2000/svg", "class": "strip level", "preserveAspectRatio": "none",
          "viewBox": "0 0 \(Figures.at(TimeFrame.width)) \(Figures.at(Self.height))", "aria-hidden": "true",
        ]
      ) { page in
        frame.writeBack(Self.height, into: &page)
        if !line.isEmpty { page.element("path", ["d": line, "class": "curve"]) }
      }
    }
  }

  private var entries: [RoomJourney.Level] { report.journey.levels[receiver]?.entries.map(\.value) ?? [] }

  private var range: String {
    let means = entries.map(\.mean)
    guard let low = means.min(), let high = means.max() else { return "heard nothing" }
    return "\(whole(low)) … \(whole(high)) dBm"
  }

  private func whole(_ level: Double) -> String {
    let number = Int(level.rounded())
    return number < 0 ? "−\(-number)" : "\(number)"
  }

  private var line: String {
    var line = ""
    var last: MonotonicTime?
    let silence = max(Self.silence, (report.journey.levels[receiver]?.length ?? .zero) * 2.5)
    for level in entries {
      let (x, y) = (frame.x(level.time), scale(level.mean))
      let isJoined = last.map { level.time - $0 <= silence } ?? false
      // A single level is a dot.
      line += isJoined ? "L\(Figures.at(x)) \(Figures.at(y))" : "M\(Figures.at(x)) \(Figures.at(y))h.5"
      last = level.time
    }
    return line
  }
}
