import Randomness
import RangingPolicy
import Testing

/// A thousand phones for a day with 20 events an hour each, on one core. Only an optimised build shows the speed:
/// `swift test -c release --filter SpeedTests`.
@Suite(.enabled(if: isOptimised)) struct SpeedTests {
  @Test func aThousandPhonesForADay() {
    let profiles = PhoneProfile.all(.seed)
    let rule = NearDistances(near: 4_000_000, rearm: 8_000_000)
    var verdicts = 0
    var events = 0
    var output = PolicyOutput()
    let spent = ContinuousClock().measure {
      for phone in 0..<1000 {
        var engine = PhoneEngine(profiles[phone % profiles.count], near: rule)
        var random = SeededGenerator(UInt64(phone))
        var time: Milliseconds = 0
        while true {
          time += Milliseconds.random(in: 1...360_000, using: &random)
          guard time < 86_400_000 else { break }
          engine.apply(Self.event(events, at: time, &random), at: time, into: &output)
          events += 1
          verdicts += output.verdicts.count
          output.removeAll()
        }
        engine.advance(through: 86_400_000, into: &output)
      }
    }
    print("\(events) events, \(verdicts) verdicts in \(spent)")
    #expect(events > 470_000)
    #expect(verdicts > 10_000)
    #expect(spent < .seconds(1))
  }

  private static func event(
    _ index: Int, at time: Milliseconds, _ random: inout SeededGenerator
  ) -> PhoneEvent {
    switch index % 8 {
    case 0: return .motion(Motion(start: time, distance: 60_000_000, rate: -1_000_000, per: 1000))
    case 1: return .motion(nil)
    case 2: return .foreground
    case 3: return .background
    case 4: return .bluetooth(random.chance(80))
    case 5: return .audio(random.chance(30))
    case 6: return .screen(random.chance(50))
    default: return .motion(Motion(start: time, distance: 3_000_000))
    }
  }
}

private var isOptimised: Bool {
  var isOptimised = true
  assert(
    {
      isOptimised = false
      return true
    }())
  return isOptimised
}
