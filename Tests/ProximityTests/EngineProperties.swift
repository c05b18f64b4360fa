import Beacons
import Core
import Proximity
import TestSupport
import Testing

/// What holds whatever is heard.
@Suite struct EngineProperties {
  private static let seeds = 0..<40 as Range<UInt64>

  /// Each story, with what is decided in it.
  private static let told = seeds.map { seed in
    let story = RandomStory(seed: seed)
    return (seed: seed, story: story, transitions: play(story))
  }

  private static func play(_ story: RandomStory) -> [Transition] {
    var scene = story.scene()
    for step in story.steps { step.play(in: &scene) }
    return scene.transitions
  }

  @Test func enterAndExitAlternateAndNearHappensInside() {
    var count = 0
    for (seed, _, transitions) in Self.told {
      var inside: [[Int32]: Bool] = [:]
      for transition in transitions {
        let pair = [transition.zone.rawValue, transition.beacon.rawValue]
        switch transition.event {
        case .enter:
          #expect(inside[pair] != true, "seed \(seed)")
          inside[pair] = true
        case .near: #expect(inside[pair] == true, "seed \(seed)")
        case .exit:
          #expect(inside[pair] == true, "seed \(seed)")
          inside[pair] = false
        }
        count += 1
      }
    }
    // The stories tell something.
    #expect(count > 2000)
  }

  @Test func timesNeverStepBack() {
    for (seed, _, transitions) in Self.told {
      let times = transitions.map(\.time)
      #expect(times == times.sorted(), "seed \(seed)")
    }
  }

  @Test func theSameInputGivesTheSameOutput() {
    for (seed, _, transitions) in Self.told {
      #expect(Self.play(RandomStory(seed: seed)) == transitions, "seed \(seed)")
    }
  }

  @Test func askingMoreOftenChangesNothing() {
    for (seed, story, transitions) in Self.told {
      var scene = story.scene()
      var generator = SeededGenerator(seed: seed)
      for step in story.steps {
        let target = step.time
        for _ in 0..<3 {
          // Any moment on the way, and each deadline to the nanosecond.
          let now = MonotonicTime.zero + .seconds(scene.lastTime)
          if let deadline = scene.engine.nextDeadline, deadline <= target {
            scene.engine.advance(to: deadline, into: &scene.transitions)
          } else if now < target {
            let between = MonotonicTime(
              nanoseconds: .random(in: now.nanoseconds...target.nanoseconds, using: &generator))
            scene.engine.advance(to: between, into: &scene.transitions)
          }
        }
        step.play(in: &scene)
      }
      #expect(scene.transitions == transitions, "seed \(seed)")
    }
  }

  @Test func aZoneDoesNotDependOnOtherZones() {
    for (seed, story, together) in Self.told {
      for zone in story.zones.indices {
        var alone = story
        alone.zones = [story.zones[zone]]
        var expected = together.filter { $0.zone.rawValue == Int32(zone) }
        for index in expected.indices { expected[index].zone = ZoneIndex(rawValue: 0) }
        #expect(Self.play(alone) == expected, "seed \(seed), zone \(zone)")
      }
    }
  }

  @Test func nearNeedsRearmOrExitBeforeItFiresAgain() {
    for seed in Self.seeds {
      let story = RandomStory(seed: seed, beacons: 1)
      var scene = story.scene()
      var armed: [Bool] = story.zones.map { _ in true }
      for step in story.steps {
        // Deadlines first, so that a re-arming is seen before what follows it.
        var old = scene.transitions.count
        for isDeadline in [true, false] {
          if isDeadline {
            scene.engine.advance(to: step.time, into: &scene.transitions)
          } else {
            step.play(in: &scene)
          }
          defer { old = scene.transitions.count }
          for transition in scene.transitions[old...] {
            let zone = Int(transition.zone.rawValue)
            if transition.event == .near {
              #expect(armed[zone], "seed \(seed)")
              armed[zone] = false
            }
            if transition.event == .exit { armed[zone] = true }
          }
          for zone in story.zones.indices {
            let members = scene.engine.occupancy(of: ZoneIndex(rawValue: Int32(zone))).members
            if let member = members.first, !member.isNear { armed[zone] = true }
          }
        }
      }
    }
  }

  @Test func occupancyAgreesWithTheTransitions() {
    for (seed, story, _) in Self.told {
      var scene = story.scene()
      for step in story.steps.dropLast() { step.play(in: &scene) }
      for zone in story.zones.indices {
        var inside: Set<BeaconIndex> = []
        for transition in scene.transitions where Int(transition.zone.rawValue) == zone {
          switch transition.event {
          case .enter: inside.insert(transition.beacon)
          case .exit: inside.remove(transition.beacon)
          case .near: break
          }
        }
        let occupancy = scene.engine.occupancy(of: ZoneIndex(rawValue: Int32(zone)))
        #expect(occupancy.members.map(\.beacon) == inside.sorted(), "seed \(seed)")
      }
    }
  }
}

extension RandomStory.Step {
  var time: MonotonicTime {
    switch self {
    case .hear(let sighting): sighting.time
    case .wait(let time), .blind(_, _, let time): time
    }
  }
}
