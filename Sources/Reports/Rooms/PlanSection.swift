import Beacons
import Core
import Proximity

/// The plan of each floor, with the beacon's path.
struct PlanSection {
  let report: RoomReport

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

  /// The floors that have a room.
  private var floors: [Int] { Set(report.plan.rooms.map(\.floor)).sorted() }

  private func floorName(_ floor: Int) -> String? {
    report.names.floors.indices.contains(floor) ? report.names.floors[floor] : nil
  }
}

/// One floor: outlines, doors, receivers, and the beacon's positions.
struct PlanDrawing {
  private let report: RoomReport
  private let floor: Int
  private let x: Scale
  private let y: Scale

  private static let width = 640.0
  private static let height = 720.0
  private static let margin = 24.0
  /// Positions that are farther apart in time are not joined.
  private static let gap = TimeSpan.seconds(5)
  /// Names are cut to this many letters.
  private static let letters = 22
  /// Font sizes on a phone, where they are largest in relation to the drawing: see `RoomStyle`.
  private static let roomSize = 24.0
  private static let receiverSize = 19.0

  init(_ report: RoomReport, floor: Int) {
    self.report = report
    self.floor = floor
    var points = report.plan.rooms.filter { $0.floor == floor }.flatMap(\.outline)
    points += report.plan.hearers.filter { $0.floor == floor }.compactMap { hearer in
      hearer.position.map { Point(x: $0.x, y: $0.y) }
    }
    points += report.plan.doors.filter { $0.floor == floor }.flatMap { [$0.from, $0.to] }
    let (left, right) = (points.map(\.x).min() ?? 0, points.map(\.x).max() ?? 1)
    let (low, high) = (points.map(\.y).min() ?? 0, points.map(\.y).max() ?? 1)
    let (wide, deep) = (max(right - left, 0.1), max(high - low, 0.1))
    let scale = min((Self.width - 2 * Self.margin) / wide, (Self.height - 2 * Self.margin) / deep)
    x = Scale(from: left, to: left + wide, start: Self.margin, end: Self.margin + wide * scale)
    // Coordinates increase upwards.
    y = Scale(from: low, to: low + deep, start: Self.margin + deep * scale, end: Self.margin)
  }

  func write(into page: inout Markup) {
    let height = y.start + Self.margin + 18
    page.element(
      "svg",
      [
        "xmlns": "http://www.w3.org/2000/svg", "class": "plan", "role": "img",
        "viewBox": "0 0 \(Figures.at(width)) \(Figures.at(height))",
        "aria-label": "Plan with the way of the beacon",
      ]
    ) { page in
      writeRooms(into: &page)
      for door in report.plan.doors where door.floor == floor {
        let (from, to) = (at(door.from), at(door.to))
        page.line(from.x, from.y, to.x, to.y, "gap")
        page.line(from.x, from.y, to.x, to.y, "leaf")
      }
      writeTracks(into: &page)
      writeNames(into: &page)
      writeMeasure(y.start + Self.margin + 4, into: &page)
    }
  }

  /// Units of the drawing per metre.
  private var scale: Double { (x.end - x.start) / max(x.to - x.from, 1e-9) }

  private var width: Double { max(x.end + Self.margin, 200) }

  private func at(_ point: Point) -> (x: Double, y: Double) { (x(point.x), y(point.y)) }

  private func list(_ points: some Sequence<Point>) -> String {
    points.map { "\(Figures.at(x($0.x))),\(Figures.at(y($0.y)))" }.joined(separator: " ")
  }

  private func writeRooms(into page: inout Markup) {
    for (index, room) in report.plan.rooms.enumerated() where room.floor == floor {
      page.element(
        "polygon",
        [
          "points": list(room.outline),
          "class": "outline \(RoomStyle.name(RoomIndex(rawValue: Int32(index))))",
        ])
    }
  }

  private func writeTracks(into page: inout Markup) {
    let places = report.journey.track.entries.map(\.value).filter { isHere($0.room) }
    for part in parts(places, report.journey.track.length, byRoom: true) {
      // The line continues to the start of the next one.
      page.element(
        "polyline", ["points": list(part.map(\.point)), "class": "track \(RoomStyle.name(part.first?.room))"])
    }
    let truth = report.journey.trueTrack.entries.map(\.value).filter { isHere($0.room) }
    for part in parts(truth, report.journey.trueTrack.length, byRoom: false) {
      page.element("polyline", ["points": list(part.map(\.point)), "class": "truth"])
    }
    for (place, style) in [(places.first, "first"), (places.last, "last")] {
      guard let place else { continue }
      let (x, y) = at(place.point)
      page.element("circle", ["cx": Figures.at(x), "cy": Figures.at(y), "r": "5", "class": style])
    }
  }

  /// Whether a room is on this floor; a beacon in no room is drawn on the lowest one.
  private func isHere(_ room: RoomIndex?) -> Bool {
    guard let room, report.plan.rooms.indices.contains(Int(room.rawValue)) else { return floor == 0 }
    return report.plan.rooms[Int(room.rawValue)].floor == floor
  }

  private func parts(_ places: [RoomJourney.Place], _ step: TimeSpan, byRoom: Bool) -> [[RoomJourney.Place]] {
    var parts: [[RoomJourney.Place]] = []
    for place in places {
      guard let last = parts.last?.last, place.time - last.time <= max(Self.gap, step * 2.5) else {
        parts.append([place])
        continue
      }
      parts[parts.count - 1].append(place)
      if byRoom, last.room != place.room { parts.append([place]) }
    }
    return parts
  }

  private func writeNames(into page: inout Markup) {
    var names = PlanNames(width: width, height: y.start + Self.margin)
    let mounted = report.plan.hearers.filter { $0.floor == floor }.compactMap { hearer in
      hearer.position.map { (cut(report.name(of: hearer.receiver)), at(Point(x: $0.x, y: $0.y))) }
    }
    for (_, (x, y)) in mounted {
      names.reserve(x: x, y: y, 5)
      page.element(
        "rect",
        [
          "x": Figures.at(x - 4), "y": Figures.at(y - 4), "width": "8", "height": "8", "class": "receiver",
        ])
    }
    for (index, room) in report.plan.rooms.enumerated() where room.floor == floor {
      let name = cut(report.name(of: RoomIndex(rawValue: Int32(index))))
      let outline = Outline(room.outline)
      let middle = outline.centroid
      // In the middle, or some lines above or below it.
      let points = [0, 1, -1, 2, -2].map { Point(x: middle.x, y: middle.y + $0 * Self.roomSize / scale) }
      let places = points.filter { $0 == middle || outline.contains($0) }.map { point in
        PlanNames.Place(x: at(point).x, y: at(point).y)
      }
      write(name, "roomname", names.place(name, size: Self.roomSize, in: places), into: &page)
    }
    for (name, (x, y)) in mounted {
      let (above, below) = (y - 10, y + 9 + Self.receiverSize * 0.75)
      let places: [PlanNames.Place] = [
        .init(x: x, y: above), .init(x: x, y: below), .init(x: x + 9, y: y + 6, anchor: .start),
        .init(x: x - 9, y: y + 6, anchor: .end), .init(x: x - 4, y: above, anchor: .start),
        .init(x: x + 4, y: above, anchor: .end), .init(x: x - 4, y: below, anchor: .start),
        .init(x: x + 4, y: below, anchor: .end),
      ]
      write(name, "receivername", names.place(name, size: Self.receiverSize, in: places), into: &page)
    }
  }

  private func write(_ name: String, _ style: String, _ place: PlanNames.Place?, into page: inout Markup) {
    guard let place else { return }
    page.text(name, place.x, place.y, style, place.anchor.rawValue)
  }

  private func cut(_ name: String) -> String {
    name.count > Self.letters ? name.prefix(Self.letters - 1) + "…" : name
  }

  /// A scale bar.
  private func writeMeasure(_ height: Double, into page: inout Markup) {
    let length = Scale.distanceSteps.last { $0 * scale <= 160 } ?? 0.1
    page.line(x.start, height, x.start + length * scale, height, "measure")
    page.text(Figures.metres(length), x.start + length * scale + 8, height + 5, "unit", "start")
  }
}

/// Finds places for the names on a plan, so that none covers another one or a receiver.
struct PlanNames {
  /// Where a text may be: a point of its baseline, and which part of the text is there.
  struct Place {
    enum Anchor: String { case start, middle, end }

    var x: Double
    var y: Double
    var anchor = Anchor.middle
  }

  private struct Box {
    var left: Double
    var right: Double
    var top: Double
    var bottom: Double

    /// The area that both cover.
    func overlap(_ other: Box) -> Double {
      max(0, min(right, other.right) - max(left, other.left))
        * max(0, min(bottom, other.bottom) - max(top, other.top))
    }
  }

  /// The width of a letter per unit of font size. The font is unknown; this is wide.
  private static let letter = 0.6
  private static let ascent = 0.8
  private static let descent = 0.25

  private let width: Double
  private let height: Double
  private var taken: [Box] = []

  /// - Parameters:
  ///   - width, height: of the drawing; names stay within it.
  init(width: Double, height: Double) {
    self.width = width
    self.height = height
  }

  /// Keeps names off a square around a point.
  mutating func reserve(x: Double, y: Double, _ reach: Double) {
    taken.append(Box(left: x - reach, right: x + reach, top: y - reach, bottom: y + reach))
  }

  /// The first free place, otherwise the one that covers least. The name is moved sideways into the drawing.
  mutating func place(_ name: String, size: Double, in places: [Place]) -> Place? {
    var best: (place: Place, box: Box, cost: Double)?
    for place in places {
      var (place, box) = (place, box(of: name, size, at: place))
      let shift = max(0, -box.left) - max(0, box.right - width)
      place.x += shift
      box.left += shift
      box.right += shift
      let outside = max(0, -box.top) + max(0, box.bottom - height)
      let cost = taken.reduce(outside * width) { $0 + $1.overlap(box) }
      if best.map({ cost < $0.cost }) ?? true { best = (place, box, cost) }
      if cost == 0 { break }
    }
    if let best { taken.append(best.box) }
    return best?.place
  }

  private func box(of name: String, _ size: Double, at place: Place) -> Box {
    let length = Double(name.count) * size * Self.letter
    let left =
      switch place.anchor {
      case .start: place.x
      case .middle: place.x - length / 2
      case .end: place.x - length
      }
    return Box(
      left: left, right: left + length, top: place.y - size * Self.ascent,
      bottom: place.y + size * Self.descent)
  }
}
