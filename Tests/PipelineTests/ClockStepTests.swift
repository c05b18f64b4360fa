import Beacons
import Contract
import Core
import Proximity
import Scenes
import Testing

@testable import Pipeline

/// The clock of a board without a battery is set while somebody is in a place.
@Suite struct ClockStepTests {
  private static let step = TimeSpan.seconds(86_400)
  /// As `RandomSite` has it.
  private static let offset = TimeSpan(nanoseconds: 1_795_211_400_000_000_000)

  @Test(arguments: 0..<8 as Range<UInt64>) func `every wall time of the state is right by the new clock`(
    seed: UInt64
  ) throws {
    var site = RandomSite(seed: seed)
    var pipeline = Pipeline(site)
    for _ in 0..<500 { _ = pipeline.say(to: site.next()) }
    let step = ClockStep(Self.step, from: Self.offset, wrong: .zero...(site.time + .seconds(60)))
    let wrong = try #require(step.wrong)
    var (before, after): ([String: WallTime], [String: WallTime]) = ([:], [:])
    Self.walk(pipeline, "", &before)
    pipeline.correct(step)
    Self.walk(pipeline, "", &after)
    #expect(before.values.contains { wrong.contains($0) })
    for (path, time) in before where wrong.contains(time) {
      #expect(after[path] == time + Self.step, "\(path)")
    }
  }

  @Test func `a stay that began before the run keeps its beginning`() {
    let step = ClockStep(
      .seconds(50), from: .seconds(1000), wrong: (.zero + .seconds(100))...(.zero + .seconds(160)))
    func corrected(_ second: Int64) -> Int64 {
      step.corrected(WallTime(nanoseconds: second * 1_000_000_000)).nanoseconds / 1_000_000_000
    }
    #expect([1099, 1100, 1160, 1161].map(corrected) == [1099, 1150, 1210, 1161])
    #expect(step.moved(.seconds(1001)) == .seconds(1051))
    #expect(step.moved(.seconds(2000)) == .seconds(2000))
  }

  /// What is told next has the right time although nothing was heard since.
  @Test func `an exit by silence has the time of the new clock`() throws {
    var scene = try Scene(
      """
      beacons: [{ name: tag, address: "C1:00:00:00:00:01" }]
      zones: [{ name: desk, enter: { signal: -80 dBm, dwell: 1 s }, exit: { signal: -90 dBm, lost: 10 s } }]
      """)
    try scene.hear(Scene.doorbell(number: 1, isOpen: true, button: 0), rssi: -60, for: 5)
    let last = try #require(scene.pipeline.engine.lastSighting(of: BeaconIndex(rawValue: 0)))
    let offset = last.wallTime - WallTime(nanoseconds: last.time.nanoseconds)
    scene.pipeline.correct(ClockStep(Self.step, from: offset, wrong: nil))
    var output = Pipeline.Output()
    scene.pipeline.advance(to: last.time + .seconds(60), into: &output)
    let exit = try #require(output.transitions.first { $0.word == "exit" })
    #expect(exit.wallTime == WallTime(nanoseconds: exit.time.nanoseconds) + offset + Self.step)
  }

  /// Wall times by where they are. What keeps the past, as it was decided, is left out.
  private static func walk(_ value: Any, _ path: String, _ found: inout [String: WallTime], depth: Int = 0) {
    if let time = value as? WallTime {
      found[path] = time
      return
    }
    guard depth < 14 else { return }
    let mirror = Mirror(reflecting: value)
    // The order of a table's entries is its own until it changes, and mapping values keeps it.
    for (place, child) in mirror.children.enumerated() where !["history", "scratch"].contains(child.label) {
      walk(child.value, "\(path).\(child.label ?? "\(place)")", &found, depth: depth + 1)
    }
  }
}
