import Beacons
import Contract
import Core
import Proximity
import Scenes
import Testing

@testable import Pipeline

/// The process did not run for a while: it was stopped, or the machine slept.
@Suite struct PauseTests {
  private func scene() throws -> Scene {
    var scene = try Scene()
    try scene.hear(rssi: -50, for: 15)
    #expect(scene.story.count == 3)
    return scene
  }

  @Test func nobodyLeavesInTimeInWhichNothingRan() throws {
    var scene = try scene()
    let told = scene.output.items.count
    let stop = scene.time
    scene.skip(35)
    scene.pipeline.pause(from: stop, to: scene.time, into: &scene.output)
    // The backlog says that it was there all the time.
    try scene.hear(rssi: -50, for: 5)
    scene.pass(3)
    #expect(scene.story.count == 3, "\(scene.story)")
    for item in scene.output.items[told...] {
      guard case .state(.occupancy(let occupancy)) = item else { continue }
      #expect(occupancy.state == "occupied", "that nobody knew is over when it is found out")
    }
  }

  @Test func whoIsNotHeardAfterwardsLeavesAFullIntervalLater() throws {
    var scene = try scene()
    let stop = scene.time
    scene.skip(35)
    let end = scene.time
    scene.pipeline.pause(from: stop, to: end, into: &scene.output)
    scene.pass(300)
    let exits = scene.output.transitions.filter { $0.event == .exit }
    #expect(Set(exits.map(\.place)) == ["pump-3", "shop"])
    #expect(exits.allSatisfy { $0.time >= end + .seconds(10) })
    #expect(exits.first { $0.place == "pump-3" }?.time == end + .seconds(10))
  }

  /// Half a minute in the kitchen, and then the process stands still, while a receiver is in doubt.
  private func pausedFlat(_ zone: String, doubted: KeyPath<Flat, ReceiverIndex>, for seconds: Double) throws
    -> (
      flat: Flat, count: Int
    )
  {
    var flat = try Flat(Flat.head + "zones: [\(zone)]")
    try flat.stay(inKitchen: true, seconds: 30)
    let count = flat.scene.story.count
    flat.scene.pipeline.setHealth(
      flat[keyPath: doubted], .doubted, at: flat.scene.time, into: &flat.scene.output)
    let stop = flat.scene.time
    flat.scene.skip(seconds)
    flat.scene.pipeline.pause(from: stop, to: flat.scene.time, into: &flat.scene.output)
    return (flat, count)
  }

  @Test func `one receiver that may have failed changes nothing about that`() throws {
    var (flat, count) = try pausedFlat("{ name: home }", doubted: \.door, for: 60)
    try flat.stay(inKitchen: true, seconds: 10)
    #expect(flat.scene.story.count == count, "\(flat.scene.story)")
  }

  /// Its last will waits at the broker until the process runs again.
  @Test func `who only a receiver heard that turns out to have failed has time to be heard again`() throws {
    var (flat, count) = try pausedFlat(
      "{ name: home, enter: { distance: 3 m }, exit: { distance: 5 m } }", doubted: \.cooker, for: 42)
    flat.scene.pipeline.setHealth(flat.cooker, .gone, at: flat.scene.time, into: &flat.scene.output)
    for _ in 0..<250 { try flat.scene.hear([], rssi: -90, for: 0.1, at: flat.door) }
    #expect(flat.scene.story.count == count, "\(flat.scene.story)")
  }

  /// In rooms, windows are judged after what was heard in them.
  @Test(arguments: [0, 0.3, 1], [0.5, 35, 7200]) func nobodyLeavesARoomEither(rest: Double, pause: Double)
    throws
  {
    var flat = try Flat(Flat.head + "zones: [{ name: cosy, rooms: [kitchen] }]")
    try flat.stay(inKitchen: true, seconds: 30)
    flat.wait(rest)
    let count = flat.scene.story.count
    #expect(flat.scene.story.contains("enter kitchen key"))
    let stop = flat.scene.time
    flat.scene.skip(pause)
    let end = flat.scene.time
    flat.scene.pipeline.pause(from: stop, to: end, into: &flat.scene.output)
    var quiet = flat
    try flat.stay(inKitchen: true, seconds: 30)
    flat.wait(3)
    #expect(flat.scene.story.count == count, "\(flat.scene.story)")
    // Who is not heard afterwards leaves a full interval later.
    quiet.wait(600)
    let exits = quiet.scene.output.transitions.filter { $0.event == .exit }
    #expect(Set(exits.map(\.place)) == ["kitchen", "cosy"])
    #expect(exits.allSatisfy { $0.time >= end + .seconds(5) }, "\(exits.map(\.time)) after \(end)")
  }

  /// A dwell needs somebody who listens.
  @Test func nobodyEntersInThatTimeEither() throws {
    var scene = try Scene()
    try scene.hear(rssi: -70, for: 0.3)
    let stop = scene.time
    scene.skip(35)
    scene.pipeline.pause(from: stop, to: scene.time, into: &scene.output)
    scene.pass(60)
    #expect(!scene.story.contains { $0.hasPrefix("enter pump-3") }, "\(scene.story)")
  }

  @Test func aReceiverThatWasBlindStaysSo() throws {
    var scene = try scene()
    scene.pipeline.setBlind(scene.receiver, true, at: scene.time, into: &scene.output)
    let stop = scene.time
    scene.skip(35)
    scene.pipeline.pause(from: stop, to: scene.time, into: &scene.output)
    #expect(scene.pipeline.occupancy(of: ZoneIndex(rawValue: 0)).state == "unknown")
    scene.pass(1000)
    #expect(scene.story.count == 3)
  }

  /// A recording has no word for it but that its receivers were deaf.
  @Test func itIsTheSameAsReceiversThatAreBlindMeanwhile() throws {
    var (live, replayed) = (try scene(), try scene())
    let stop = live.time
    live.skip(35)
    live.pipeline.pause(from: stop, to: live.time, into: &live.output)
    replayed.pipeline.setBlind(replayed.receiver, true, at: stop, into: &replayed.output)
    replayed.skip(35)
    replayed.pipeline.setBlind(replayed.receiver, false, at: replayed.time, into: &replayed.output)
    for rssi: Int8 in [-60, -90] {
      try live.hear(rssi: rssi, for: 12)
      try replayed.hear(rssi: rssi, for: 12)
    }
    live.pass(100)
    replayed.pass(100)
    #expect(live.output.transitions.map(\.time) == replayed.output.transitions.map(\.time))
    #expect(live.story == replayed.story)
  }
}
