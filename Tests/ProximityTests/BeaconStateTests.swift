import Beacons
import Core
import Testing

@testable import Proximity

@Suite struct BeaconStateTests {
  private let beacon = BeaconIndex(rawValue: 0)

  /// As it comes back from a file, on a clock that is ahead by so much.
  private func reread(
    _ state: BeaconState?, ahead span: TimeSpan = .zero, receivers: [Int32: Int32]? = nil,
    zones: [Int32: Int32]? = nil
  ) throws -> BeaconState {
    var writer = StateCoder.body
    writer.mentions = StateCoder.Mentions()
    try #require(state).write(to: &writer)
    func same(_ kind: StateCoder.Kind) -> [Int32: Int32] {
      Dictionary(uniqueKeysWithValues: (writer.mentions?[kind] ?? []).map { ($0, $0) })
    }
    var heirs = StateCoder.Heirs(clock: span)
    heirs[.receiver] = receivers ?? same(.receiver)
    heirs[.zone] = zones ?? same(.zone)
    var reader = StateCoder(body: writer.written())
    reader.heirs = heirs
    let back = try BeaconState(reading: &reader)
    try reader.finish()
    return back
  }

  @Test func anotherWorkerGoesOnAsIfNothingHadHappened() throws {
    for seed in 0..<50 as Range<UInt64> {
      let story = RandomStory(seed: seed, beacons: 1)
      var whole = story.scene()
      for step in story.steps { step.play(in: &whole) }

      let cut = Int(seed) * story.steps.count / 50
      var first = story.scene()
      for step in story.steps.prefix(cut) { step.play(in: &first) }
      var second = story.scene()
      second.engine.see(
        first.engine.sight, at: .zero + .seconds(first.lastTime), into: &second.transitions)
      second.engine.restore(try reread(first.engine.state(of: beacon)), of: beacon)
      second.engine.restorePlace(of: beacon, first.engine, as: beacon)
      second.transitions = first.transitions
      for step in story.steps.dropFirst(cut) { step.play(in: &second) }
      #expect(second.transitions == whole.transitions, "seed \(seed)")
    }
  }

  @Test func `a belief of another map of the same size is not taken over`() throws {
    func scene(east: Double) -> Scene {
      let corners = (0..<4).map { place in
        Position(x: east + Double(place % 2) * 5, y: Double(place / 2) * 5, z: 2)
      }
      let receivers = corners.enumerated().map { place, position in
        (ReceiverIndex(rawValue: UInt16(place)), Calibration(position: position))
      }
      return Scene([.simple(near: 2)], receivers: Dictionary(uniqueKeysWithValues: receivers))
    }
    var before = scene(east: 0)
    for receiver in 0..<4 as Range<UInt16> { before.hear(-70, at: Double(receiver), receiver: receiver) }
    let state = try #require(before.engine.state(of: beacon))
    func belief(_ scene: Scene) -> PlaceBelief? { scene.engine.places?.belief(of: 0) }
    func goOn(east: Double) -> Scene {
      var scene = scene(east: east)
      scene.engine.restore(state, of: beacon)
      scene.engine.restorePlace(of: beacon, before.engine, as: beacon)
      return scene
    }
    #expect(belief(before) != nil)
    #expect(belief(goOn(east: 0)) == belief(before))
    #expect(belief(goOn(east: 20)) == nil)
  }

  @Test func aRestartKeepsPresenceForAFullInterval() throws {
    var before = Scene([.simple(near: 2)])
    before.hear(Signal.at1m, from: 0, to: 30)
    // The machine was off for a while, its monotonic clock starts at zero: 1000 s there are 2 s here.
    let state = try reread(before.engine.state(of: beacon), ahead: .seconds(-998))
    var after = Scene([.simple(near: 2)])
    after.engine.restore(state, of: beacon, sightSince: .zero + .seconds(2))
    let occupancy = after.engine.occupancy(of: ZoneIndex(rawValue: 0))
    #expect(occupancy.members.map(\.isNear) == [true])
    #expect(occupancy.members.map(\.since.nanoseconds) == [Scene.hour])

    var heard = after
    heard.hear(Signal.at1m, from: 10, to: 30)
    #expect(heard.story == [])

    after.wait(until: 31.9)
    #expect(after.story == [])
    after.wait(until: 40)
    #expect(after.story == ["exit 32.0"])
    #expect(after.transitions.first?.wallTime.nanoseconds == 1_030_000_000_000 + Scene.hour)
  }

  /// Where it is among receivers with positions is not saved. One odd advertisement after the start decides nothing.
  @Test func aRestartMovesNobodyAmongReceiversWithPositions() throws {
    let corners = [(0.0, 0.0), (8.0, 0.0), (8.0, 8.0), (0.0, 8.0)]
    let receivers = Dictionary(
      uniqueKeysWithValues: corners.enumerated().map { place, corner in
        (
          ReceiverIndex(rawValue: UInt16(place)),
          Calibration(
            measuredPower: -60, exponent: 2, position: Position(x: corner.0, y: corner.1, z: 1))
        )
      })
    let zone = Zone.simple(
      receivers: [ReceiverIndex(rawValue: 0)], enter: .distance(3), exit: .distance(4.5))
    /// At 1.5 m of the first corner, or (`odd`) as if it were far from there.
    func hear(_ scene: inout Scene, from start: Double, rounds: Int, odd: Bool = false) {
      for round in 0..<rounds {
        let levels: [Int8] = odd && round == 0 ? [-90, -77, -79, -77] : [-63, -77, -79, -77]
        for (place, level) in levels.enumerated() {
          scene.hear(level, at: start + Double(round) / 2 + Double(place) / 10, receiver: UInt16(place))
        }
      }
    }
    var before = Scene([zone], receivers: receivers)
    hear(&before, from: 0, rounds: 40)
    #expect(before.story.count == 1)
    let state = try reread(before.engine.state(of: beacon))
    var after = Scene([zone], receivers: receivers)
    after.engine.restore(state, of: beacon, sightSince: .zero + .seconds(30))
    hear(&after, from: 30, rounds: 40, odd: true)
    #expect(after.story == [])
    // Later it does decide.
    for second in 60..<90 {
      for (place, level) in [-79, -77, -63, -77].enumerated() {
        after.hear(Int8(level), at: Double(second) + Double(place) / 10, receiver: UInt16(place))
      }
    }
    #expect(after.transitions.map(\.event) == [.exit])
  }

  @Test func whenAndWhereItWasLastHeardIsPartOfIt() throws {
    var before = Scene([.simple()])
    before.hear(Signal.at3m, at: 1000, receiver: 3)
    let known = before.engine.state(of: beacon)
    let state = try reread(known, ahead: .seconds(-998), receivers: [3: 5])
    #expect(known?.receivers == [ReceiverIndex(rawValue: 3)])
    var after = Scene([.simple()])
    after.engine.restore(state, of: beacon)
    #expect(
      after.engine.lastSighting(of: beacon)
        == LastSighting(
          time: .zero + .seconds(2), wallTime: WallTime(nanoseconds: 1_000_000_000_000 + Scene.hour),
          receiver: ReceiverIndex(rawValue: 5)))
    var alone = Scene([.simple()])
    alone.engine.restore(try reread(known, receivers: [:]), of: beacon)
    #expect(alone.engine.lastSighting(of: beacon) == nil)
  }

  @Test func aNewConfigurationTakesOverKnownState() throws {
    var before = Scene([.simple(), .simple(enter: .distance(20), exit: .distance(30))])
    before.hear(Signal.at3m, from: 0, to: 30, receiver: 5)
    let state = try reread(before.engine.state(of: beacon), receivers: [5: 0], zones: [1: 0])
    var after = Scene([.simple(enter: .distance(20), exit: .distance(30))])
    after.engine.restore(state, of: beacon)
    #expect(after.engine.zones(of: beacon) == [ZoneIndex(rawValue: 0)])
    after.hear(Signal.at3m, from: 30, to: 40, receiver: 0)
    after.wait(until: 100)
    #expect(after.story == ["exit 48.0"])
  }

  @Test func aBeaconNeverAdmittedHasNoState() {
    #expect(Scene([.simple()]).engine.state(of: BeaconIndex(rawValue: 3)) == nil)
  }
}
