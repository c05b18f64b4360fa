import Beacons
import Pages
import Proximity

/// The levels of the beacon at one receiver, over time.
struct LevelLane {
  private let report: RoomReport
  private let receiver: ReceiverIndex
  private let frame: TimeFrame
  /// dBm.
  private let scale: Scale

  static let height = 42.0
  /// Longer silence breaks the line.
  private static let silence = TimeSpan.seconds(10)

  init(_ report: RoomReport, _ receiver: ReceiverIndex, _ frame: TimeFrame, _ scale: Scale) {
    self.report = report
    self.receiver = receiver
    self.frame = frame
    self.scale = scale
  }

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
