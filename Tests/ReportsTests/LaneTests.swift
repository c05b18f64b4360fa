import Phones
import Testing

@testable import Reports

/// What happened becomes bars and signs.
@Suite struct LaneTests {
  private static func lanes(_ events: [(Int64, PhoneEvent)], _ strategy: String = "background-task") throws
    -> [Lane]
  {
    let profile = try #require(
      PhoneProfile.all(.seed).first { $0.os.name == "ios7" && $0.strategy.name == strategy })
    let timeline = Timeline(
      events: events.map { .init(time: $0.0 * 1000, event: $0.1) },
      waypoints: [.init(time: 0, distance: 20_000_000)], end: 400_000, start: .foreground)
    return Lane.all(
      of: Simulation(
        profile, near: NearDistances(near: 4_000_000, rearm: 6_000_000), timeline: timeline))
  }

  private static func spans(_ lanes: [Lane], _ kind: Lane.Kind) -> [Lane.Span] {
    lanes.filter { $0.kind == kind }.flatMap(\.rows).flatMap { $0 }
  }

  @Test func aHandlerEndsTheStrategysTask() throws {
    let spans = Self.spans(try Self.lanes([(10, .background)]), .tasks)
    #expect(spans == [Lane.Span(from: 10_000, to: 186_000, label: "held", ending: .handler)])
  }

  @Test func everyTaskHasABarAndOneNotEndedIsKilled() throws {
    let lanes = try Self.lanes([
      (5, .beginTask(TaskID(rawValue: 0), granted: true)),
      (6, .beginTask(TaskID(rawValue: 1), granted: true)),
      (8, .endTask(TaskID(rawValue: 1))), (9, .beginTask(TaskID(rawValue: 2), granted: false)),
      (10, .background),
    ])
    #expect(
      Self.spans(lanes, .tasks) == [
        Lane.Span(from: 5000, to: 191_000, label: "held", ending: .kill),
        Lane.Span(from: 6000, to: 8000, label: "held"),
        Lane.Span(from: 10_000, to: 186_000, label: "held", ending: .handler),
      ])
    let tasks = try #require(lanes.first { $0.kind == .tasks })
    #expect(tasks.rows.count == 2 && tasks.marks.map(\.sign).contains("⊘"))
  }

  @Test func anOverwrittenTaskIsMarkedAsLeaked() throws {
    let task = TaskID(rawValue: 0)
    let spans = Self.spans(
      try Self.lanes([
        (5, .beginTask(task, granted: true)), (6, .beginTask(task, granted: true)), (7, .endTask(task)),
      ]), .tasks)
    #expect(spans.map(\.label) == ["leaked", "held"] && spans.map(\.ending) == [.leak, .none])
  }

  @Test func samplesKeepOneTaskAtATime() throws {
    let lanes = try Self.lanes(
      [(10, .background), (50, .foreground), (60, .background)], "task-list-sampled")
    let lane = try #require(lanes.first { $0.kind == .tasks })
    #expect(lane.rows.count == 1 && lane.rows[0].count == 2)
  }

  @Test func unusualStatesOfThePhoneHaveTheirLanes() throws {
    let lanes = try Self.lanes([
      (10, .background), (20, .audio(true)), (30, .audio(false)), (40, .bluetooth(false)),
      (50, .bluetooth(true)),
      (60, .permission(.whenInUse)), (70, .permission(.denied)), (80, .permission(.always)),
      (90, .screen(true)),
    ])
    #expect(Self.spans(lanes, .audio) == [Lane.Span(from: 20_000, to: 30_000, label: "playing")])
    #expect(Self.spans(lanes, .bluetooth) == [Lane.Span(from: 40_000, to: 50_000, label: "off")])
    #expect(Self.spans(lanes, .permission).map(\.label) == ["when in use", "denied"])
    #expect(Self.spans(lanes, .phone).map(\.label) == ["on"])
    #expect(!lanes.contains { $0.name == "Debugger" || $0.kind == .scans })
  }

  @Test func manyTasksAtOnceAreCounted() {
    let spans = (0..<8).map { Lane.Span(from: $0, to: 100, label: "held") }
    let lane = Lane(.tasks, "Background tasks", spans: spans)
    #expect(lane.rows.count == 8 && lane.title == "Background tasks (+5 more at once)")
  }

  @Test func theCountdownIsASawtooth() throws {
    let profile = try #require(
      PhoneProfile.all(.seed).first { $0.os.name == "ios7" && $0.strategy.name == "background-task" })
    let near = NearDistances(near: 4_000_000, rearm: 6_000_000)
    let timeline = Timeline(approachFrom: 50_000_000, speed: 1_000_000)
    let curve = try #require(RemainingCurve(Simulation(profile, near: near, timeline: timeline)))
    // Ten seconds without limit after the enter, then 180 s that go down.
    #expect(curve.most == 180_000 && curve.pieces.first?.left == nil && curve.pieces.first?.to == 10_000)
    #expect(curve.pieces.dropFirst().first?.left == 180_000)
    // Between two windows there is none: they are not joined.
    let apart = Timeline(
      events: [],
      waypoints: [(0, 2), (50, 70), (100, 70), (101, 2)].map {
        .init(time: $0.0 * 1000, distance: $0.1 * 1_000_000)
      },
      end: 200_000)
    let stock = try #require(
      PhoneProfile.all(.seed).first { $0.os.name == "ios7" && $0.strategy.name == "stock" })
    let pieces = try #require(RemainingCurve(Simulation(stock, near: near, timeline: apart))).pieces
    #expect(pieces.count == 3 && pieces.allSatisfy { $0.left == nil && $0.to - $0.from == 10_000 })
    let android = try #require(PhoneProfile.all(.seed).first { $0.os.family == .android })
    #expect(RemainingCurve(Simulation(android, near: near, timeline: timeline)) == nil)
  }

  @Test func labelsGoWhereNothingElseStands() {
    var room = LabelRoom()
    let frame = LabelRoom.Box(x: 0, y: 0, width: 100, height: 100)
    let places = [0.0, 10, 20, 30].map { LabelRoom.Box(x: 5, y: $0, width: 40, height: 16) }
    #expect(room.place(places, within: frame)?.y == 0)
    #expect(room.place(places, within: frame)?.y == 20)
    #expect(room.place(places, within: frame) == nil)
    #expect(room.place([LabelRoom.Box(x: 90, y: 80, width: 40, height: 16)], within: frame) == nil)
  }
}
