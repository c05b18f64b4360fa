import Beacons
import Core
import Proximity

/// The way of a beacon through rooms, as one self-contained HTML page.
package struct RoomReport: Sendable {
  /// Its name in transitions.
  package var beacon: String
  package var gateway: String
  /// Names of files.
  package var recordings: [String]
  /// A description of the calibration; nil: none.
  package var calibration: String?
  package var plan: RoomPlan
  /// The names of the plan's rooms, receivers and floors.
  package var names: RoomCalibrator.Names
  package var journey: RoomJourney
  /// The wall time at the journey's time zero.
  package var start: WallTime
  package var version: String

  package init(
    beacon: String, gateway: String, recordings: [String], calibration: String?, plan: RoomPlan,
    names: RoomCalibrator.Names, journey: RoomJourney,
    start: WallTime, version: String
  ) {
    self.beacon = beacon
    self.gateway = gateway
    self.recordings = recordings
    self.calibration = calibration
    self.plan = plan
    self.names = names
    self.journey = journey
    self.start = start
    self.version = version
  }

  /// UTF-8 text. The same journey gives the same bytes.
  package var html: String {
    let page = Page(
      title: title, version: version, sheet: RoomStyle(rooms: plan.rooms.count).sheet,
      caution: "What the gateway would have reported, from a recording. Times are UTC.")
    return page.html { page in
      writeHead(into: &page)
      RoomSummary(report: self).write(into: &page)
      PlanSection(report: self).write(into: &page)
      TimeSection(self).write(into: &page)
      ConfusionTable(report: self).write(into: &page)
      EventSection(report: self).write(into: &page)
    }
  }

  private var title: String { "Which room was \(beacon) in?" }

  private func writeHead(into page: inout Markup) {
    page.element("header") { page in
      page.element("h1", ["class": "name"], title)
      let (from, to) = (self.calendar(journey.start ?? .zero), self.calendar(journey.end))
      let scenario = [
        ("gateway", gateway), ("recording", recordings.joined(separator: ", ")),
        ("calibration", calibration ?? "none"), ("from", TimeWords.minute(from)),
        ("to", TimeWords.minute(to)),
        ("rooms", "\(plan.rooms.count)"), ("receivers", "\(plan.hearers.count)"),
        ("geometry", plan.hasGeometry ? "outlines" : "names only"),
      ]
      Page.scenario(scenario, into: &page)
    }
  }

  func calendar(_ time: MonotonicTime) -> WallTime { start + (time - .zero) }

  func name(of room: RoomIndex?) -> String {
    guard let room, names.rooms.indices.contains(Int(room.rawValue)) else { return "no room" }
    return names.rooms[Int(room.rawValue)]
  }

  /// By receiver; receivers outside the rooms have no name here.
  func name(of receiver: ReceiverIndex) -> String {
    let place = plan.hearers.firstIndex { $0.receiver == receiver }
    return place.flatMap { names.receivers.indices.contains($0) ? names.receivers[$0] : nil } ?? "?"
  }
}
