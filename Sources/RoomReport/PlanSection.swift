import Pages
import Proximity

/// The plan of each floor, with the beacon's path.
struct PlanSection {
  private let report: RoomReport

  init(_ report: RoomReport) { self.report = report }

  func write(into page: inout Markup) {
    page.element("section", ["aria-labelledby": "plan"]) { page in
      page.element("h2", ["id": "plan"], "Plan")
      guard report.plan.hasGeometry else {
        page.element(
          "p", ["class": "note"],
          "The rooms have no outlines, or no receiver has a place: there is no plan, and no positions are estimated."
        )
        return
      }
      page.element("ul", ["class": "key", "aria-label": "Key to the plan"]) { page in
        page.element("li", "line: estimated positions, in the colour of the reported room")
        if !report.journey.trueTrack.entries.isEmpty { page.element("li", "dots: the true way") }
        page.element("li", "○ first position, ● last")
        page.element("li", "□ receiver")
        if !report.plan.doors.isEmpty { page.element("li", "gap: door") }
      }
      for floor in floors {
        page.element("figure") { page in
          if floors.count > 1, let name = floorName(floor) { page.element("figcaption", name) }
          PlanDrawing(report, floor: floor).write(into: &page)
        }
      }
    }
  }

  /// Those that have a room.
  private var floors: [Int] { Set(report.plan.rooms.map(\.floor)).sorted() }

  private func floorName(_ floor: Int) -> String? {
    report.names.floors.indices.contains(floor) ? report.names.floors[floor] : nil
  }
}
