import Contract
import Scenes
import Testing

@testable import Pipeline

@Suite struct TransitionNumbersTests {
  /// Some transitions of a beacon that comes and goes, as the pipeline decided them.
  private static func decided() throws -> Pipeline.Output {
    var scene = try Scene()
    for _ in 0..<3 {
      try scene.hear(rssi: -58, for: 5)
      scene.pass(60)
    }
    return scene.output
  }

  @Test func thePipelineNumbersNothing() throws {
    let transitions = try Self.decided().transitions
    #expect(transitions.count > 6)
    #expect(transitions.allSatisfy { $0.sequence == 0 && $0.epoch == 0 })
  }

  @Test func theyAreCountedFromOneWithoutGaps() throws {
    var numbers = TransitionNumbers(epoch: 7)
    var (first, second) = (try Self.decided(), try Self.decided())
    numbers.number(&first)
    numbers.number(&second)
    let transitions = first.transitions + second.transitions
    #expect(transitions.map(\.sequence) == Array(1...UInt64(transitions.count)))
    #expect(transitions.allSatisfy { $0.epoch == 7 })
  }

  @Test func aNewEpochNumbersWaitingTransitionsFrom1() throws {
    var numbers = TransitionNumbers(epoch: 7)
    var output = try Self.decided()
    numbers.number(&output)
    var waiting = Array(output.transitions.suffix(2))
    numbers.begin(9)
    for index in waiting.indices { numbers.number(&waiting[index]) }
    #expect(waiting.map(\.sequence) == [1, 2] && waiting.allSatisfy { $0.epoch == 9 })
    numbers.number(&output)
    #expect(output.transitions.first?.sequence == 3)
  }
}
