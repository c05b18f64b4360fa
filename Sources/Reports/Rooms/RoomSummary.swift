import Beacons
import Core
import Proximity

/// How often the rooms were right, and how long the beacon was in each.
struct RoomSummary {
  let report: RoomReport

  func write(into page: inout Markup) {
    page.element("section", ["aria-labelledby": "summary"]) { page in
      page.element("h2", ["id": "summary"], "Summary")
      if let assessment = report.journey.assessment { writeFigures(assessment, into: &page) }
      page.element("div", ["class": "scroll"]) { page in
        page.element("table") { table.write(times, into: &$0) }
      }
    }
  }

  private func writeFigures(_ assessment: RoomAssessment, into page: inout Markup) {
    let errors = report.journey.errors
    let seconds = assessment.confusion.reduce(0) { $0 + $1.reduce(0, +) }
    var figures: [(name: String, value: String, note: String)] = [
      ("right", Figures.number(assessment.right * 100, 1) + " %", "of \(TimeWords.length(seconds))"),
      (
        "changes", "\(assessment.changes)",
        "\(assessment.trueChanges) true \(assessment.trueChanges == 1 ? "one" : "ones")"
      ),
      ("delay", assessment.delay.map { TimeWords.length($0) } ?? "–", "median of the reported changes"),
      ("missed", "\(assessment.missed)", "of the true changes"),
    ]
    if let middle = errors.error(ofShare: 0.5), let most = errors.error(ofShare: 0.9) {
      figures.append(
        (
          "position", Figures.number(middle, 2) + " m",
          "off in the median; 90 %: \(Figures.number(most, 2)) m"
        ))
      figures.append(
        (
          "within 1 sd", Figures.percent(errors.shareWithinOneDeviation),
          "of coordinates; within 2 sd: \(Figures.percent(errors.shareWithinTwoDeviations)) (68 % and 95 % are right)"
        ))
    }
    if report.journey.unheard > .zero {
      figures.append(("not heard", TimeWords.length(report.journey.unheard.seconds), "which do not count"))
    }
    page.element("dl", ["class": "figures"]) { page in
      for figure in figures {
        page.element("div") { page in
          page.element("dt", figure.name)
          page.element("dd", figure.value)
          page.element("dd", ["class": "what"], figure.note)
        }
      }
    }
  }

  private struct Time {
    /// nil: in no room.
    var room: RoomIndex?
    var told = 0.0
    var stays = 0
    var truth = 0.0
  }

  /// No room comes last.
  private var times: [Time] {
    var times: [Int32: Time] = [:]
    for stay in report.journey.told {
      times[stay.room?.rawValue ?? .max, default: Time(room: stay.room)].told += (stay.to - stay.from).seconds
      times[stay.room?.rawValue ?? .max]?.stays += 1
    }
    // Only the time that was judged: a beacon that is not heard is in no room.
    for (room, told) in (report.journey.assessment?.confusion ?? []).enumerated() {
      let (room, seconds) = (RoomIndex(rawValue: Int32(room)), told.reduce(0, +))
      if seconds > 0 { times[room.rawValue, default: Time(room: room)].truth += seconds }
    }
    return times.sorted { $0.key < $1.key }.map(\.value)
  }

  private var table: Table<Time> {
    var columns: [Table<Time>.Column] = [
      .init("room") {
        report.name(of: $0.room)
      } write: { time, page in
        page.element("span", ["class": "swatch \(RoomStyle.name(time.room))", "aria-hidden": "true"])
        page.say(report.name(of: time.room))
      },
      .number("reported for") { TimeWords.length($0.told) },
      .number("stays") { "\($0.stays)" },
    ]
    if report.journey.truth != nil {
      columns.append(.number("true for, while heard") { TimeWords.length($0.truth) })
    }
    return Table(columns)
  }
}
