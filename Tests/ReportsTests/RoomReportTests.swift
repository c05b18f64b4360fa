import Beacons
import Core
import Reports
import TestSupport
import Testing

@testable import Proximity

/// One page about one beacon's way.
@Suite struct RoomReportTests {
  private static let rooms = [
    RoomPlan.Room(outline: [Point(x: 0, y: 0), Point(x: 4, y: 0), Point(x: 4, y: 3), Point(x: 0, y: 3)]),
    RoomPlan.Room(outline: [Point(x: 4, y: 0), Point(x: 9, y: 0), Point(x: 9, y: 3), Point(x: 4, y: 3)]),
  ]
  private static let hearers = [
    RoomPlan.Hearer(receiver: ReceiverIndex(rawValue: 0), position: Position(x: 1, y: 1)),
    RoomPlan.Hearer(receiver: ReceiverIndex(rawValue: 1), position: Position(x: 8, y: 2)),
  ]
  private static let plan = RoomPlan(
    rooms: rooms, hearers: hearers, doors: [.init(from: Point(x: 4, y: 1), to: Point(x: 4, y: 2))])

  /// From the first room to the second and back, half a minute each.
  private static func journey(seconds: Double = 90, truth: Bool = true, positions: Bool = true) -> RoomJourney
  {
    let marks = [(0.0, 0), (30, 1), (60, 0)].map { second, room in
      MarkedWalk.Mark(
        time: .zero + .seconds(second), room: RoomIndex(rawValue: Int32(room)),
        point: Point(x: second / 10, y: 1))
    }
    var journey = RoomJourney(rooms: 2, truth: truth ? RoomTruth(marks) : nil)
    journey.note(nil, at: .zero)
    while let moment = journey.nextMoment(upTo: .zero + .seconds(seconds)) {
      let second = (moment - .zero).seconds
      let room = RoomIndex(rawValue: second.truncatingRemainder(dividingBy: 60) < 32 ? 0 : 1)
      for receiver in UInt16(0)..<2 {
        journey.hear(-60 - Int8(Int(second) % 20), by: ReceiverIndex(rawValue: receiver), at: moment)
      }
      if let last = journey.told.last, let left = last.room, left != room {
        note(&journey, .exit, left, at: moment)
      }
      if journey.told.last?.room != room { note(&journey, .enter, room, at: moment) }
      journey.note(
        RoomEstimate(
          room: room, probability: 0.9, since: WallTime(nanoseconds: 0),
          position: positions ? Point(x: second / 10, y: 1.5) : nil, positionDeviation: positions ? 0.5 : nil),
        at: moment)
    }
    return journey
  }

  private static func note(
    _ journey: inout RoomJourney, _ event: RoomTransition.Event, _ room: RoomIndex, at time: MonotonicTime
  ) {
    journey.note(
      RoomTransition(
        event: event, room: room, beacon: BeaconIndex(rawValue: 0), time: time,
        wallTime: WallTime(nanoseconds: 1_700_000_000_000_000_000 + time.nanoseconds), probability: 0.9,
        evidence: [
          RoomEvidence(receiver: ReceiverIndex(rawValue: 1), rssi: -61.4, expected: -58, samples: 3)
        ],
        receiver: ReceiverIndex(rawValue: 1)))
  }

  private static func report(
    _ journey: RoomJourney = journey(), plan: RoomPlan = plan, name: String = "van",
    rooms: [String] = ["kitchen", "hall"],
    receivers: [String] = ["esp-1", "esp-2"], calibration: String? = "rooms.json of 2026-11-26"
  ) -> RoomReport {
    RoomReport(
      beacon: name, gateway: name, recordings: [name], calibration: calibration, plan: plan,
      names: RoomCalibrator.Names(rooms: rooms, receivers: receivers, floors: [nil]), journey: journey,
      start: WallTime(nanoseconds: 1_700_000_000_000_000_000), version: "test")
  }

  @Test func thePageIsWellFormedAndPointsOnlyAtItself() throws {
    let page = try #require(PageReader(Self.report().html))
    #expect(page.references == [] && page.elements["script"] == nil && page.elements["img"] == nil)
    #expect(Set(page.ids).count == page.ids.count && Set(page.targets).isSubset(of: page.ids))
    #expect(page.elements["h1"] == 1)
    // The plan, two rooms and no room at the start, two receivers.
    #expect(page.elements["svg"] == 6)
    #expect(Self.report().html.contains("default-src &#39;none&#39;"))
  }

  @Test func itShowsDecisionsBesideTheTruth() throws {
    let page = try #require(PageReader(Self.report().html))
    for words in [
      "Which room was van in?", "kitchen", "esp-2", "entered kitchen", "from kitchen to hall", "90 % sure",
      "esp-2 heard −61 dBm (expected −58)", "Told and true", "2 true ones", "22:13:",
    ] { #expect(page.text.contains(words), "\(words)") }
  }

  @Test func itSaysWhatItWasMadeFrom() throws {
    let page = try #require(PageReader(Self.report().html))
    #expect(page.text.contains("recording") && page.text.contains("rooms.json of 2026-11-26"))
    let without = try #require(PageReader(Self.report(calibration: nil).html))
    #expect(without.text.contains("calibration") && without.text.contains("none"))
  }

  /// A receiver's place in the middle of its room, another close to it, and one on the wall.
  @Test func noNameCoversAnother() throws {
    var plan = Self.plan
    let places = [(2.0, 1.5), (2.3, 1.6), (3.95, 1.5), (4.05, 1.5), (0, 0), (9, 3)]
    plan.hearers = places.enumerated().map { number, place in
      RoomPlan.Hearer(
        receiver: ReceiverIndex(rawValue: UInt16(number)), position: Position(x: place.0, y: place.1))
    }
    let names = places.indices.map { "receiver-\($0)" }
    let html = Self.report(plan: plan, receivers: names).html
    // x, y, class, anchor, name.
    let texts = html.matches(
      of: /<text x="([\d.]+)" y="([\d.]+)" class="(room|receiver)name" text-anchor="(\w+)">([^<]*)</)
    #expect(texts.count == 8)
    let boxes = try texts.map { text in
      let (x, y) = (try #require(Double(text.1)), try #require(Double(text.2)))
      let size = text.3 == "room" ? 24.0 : 19
      let length = Double(text.5.count) * size * 0.55
      let left = text.4 == "start" ? x : text.4 == "end" ? x - length : x - length / 2
      return (left: left, right: left + length, top: y - size * 0.75, bottom: y + size * 0.2)
    }
    for (number, box) in boxes.enumerated() {
      #expect(box.left >= 0 && box.right <= 640 && box.top >= 0)
      for other in boxes.dropFirst(number + 1) {
        #expect(
          box.right <= other.left || other.right <= box.left || box.bottom <= other.top
            || other.bottom <= box.top)
      }
    }
  }

  @Test func withoutTruthThereIsNoComparison() throws {
    let page = try #require(PageReader(Self.report(Self.journey(truth: false)).html))
    #expect(!page.text.contains("Told and true") && page.text.contains("kitchen"))
  }

  @Test func namesAloneMakeAPageWithoutPlan() throws {
    let plan = RoomPlan(
      rooms: [RoomPlan.Room(receivers: [Self.hearers[0].receiver]), RoomPlan.Room()],
      hearers: [RoomPlan.Hearer(receiver: Self.hearers[0].receiver)])
    let page = try #require(PageReader(Self.report(Self.journey(positions: false), plan: plan).html))
    #expect(page.text.contains("there is no plan") && page.elements["polygon"] == nil)
    #expect(page.text.contains("Told and true"))
  }

  @Test func floorsHaveAPlanEach() throws {
    var plan = Self.plan
    plan.rooms[1].floor = 1
    plan.floorHeights = [0, 3]
    var report = Self.report(plan: plan)
    report.names.floors = ["ground", "attic"]
    let page = try #require(PageReader(report.html))
    #expect(page.elements["polygon"] == 2 && page.text.contains("attic"))
    #expect(page.elements["svg"] == 7)
  }

  @Test(arguments: [
    "</title><script>alert(1)</script>", "\" onload=\"x", "a&b<c>'d'", "\u{0}\u{8}\u{1B}[31m",
    "\u{202E}gnp.exe",
    "]]>", "&#0;", "", String(repeating: "long ", count: 400),
  ])
  func noNameBreaksThePage(name: String) throws {
    let html = Self.report(name: name, rooms: [name, name], receivers: [name, name]).html
    let page = try #require(PageReader(html))
    #expect(page.elements["script"] == nil && page.references == [])
    #expect(!html.contains("<script"))
  }

  @Test func namesThatAreMissingTrapNothing() {
    #expect(PageReader(Self.report(rooms: [], receivers: []).html) != nil)
  }

  @Test func anEmptyJourneyMakesAPage() throws {
    let page = try #require(PageReader(Self.report(RoomJourney(rooms: 2)).html))
    #expect(page.text.contains("came into no room"))
  }

  @Test func aLongJourneyMakesABoundedPage() {
    let html = Self.report(Self.journey(seconds: 100_000)).html
    #expect(html.utf8.count < 600_000, "\(html.utf8.count)")
  }

  @Test func theSameJourneyMakesTheSamePage() { #expect(Self.report().html == Self.report().html) }

  @Test func wildCoordinatesAreDrawnWithinTheFrame() throws {
    var plan = Self.plan
    plan.rooms[0].outline[2] = Point(x: 1e5, y: -1e5)
    #expect(PageReader(Self.report(plan: plan).html) != nil)
  }
}
