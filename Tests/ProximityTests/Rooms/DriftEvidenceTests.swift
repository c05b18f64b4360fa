import Testing

@testable import Proximity

/// What a receiver's errors in five rooms say of it.
struct DriftEvidenceTests {
  private func evidence(_ errors: [Float], weight: Float = 40) -> DriftEvidence {
    var evidence = DriftEvidence()
    for error in errors { evidence.add(MeanError(error, weight: weight)) }
    return evidence
  }

  @Test func nothingIsSaidBeforeAnythingIsKnown() {
    #expect(evidence([]).gain == 0)
    #expect(!evidence([]).isElsewhere)
    #expect(evidence([-18, -18, -18], weight: 2).gain == 0, "of a glance")
  }

  @Test(arguments: [-18, -12, 12] as [Float]) func whatIsHeardMoreOrLessEverywhereIsAGain(change: Float) {
    let all = evidence([1, -2, 0, 2, -1].map { change + $0 })
    #expect(abs(all.gain - change) < 1.5)
    #expect(!all.isElsewhere)
  }

  @Test func aSmallErrorIsHardlyBelieved() {
    let gain = evidence([3, 1, 2, 3, 1], weight: 10).gain
    #expect((0.3...1).contains(gain))
  }

  @Test func aReceiverThatHearsSomeRoomsBetterAndOthersWorseHangsElsewhere() {
    let carried = evidence([15, -12, -14, 12, -8])
    #expect(carried.isElsewhere)
    #expect(abs(carried.gain) < 1)
  }

  @Test func oneRoomDoesNotProveThatItHangsElsewhere() { #expect(!evidence([-25]).isElsewhere) }

  @Test func aSoundReceiverIsOffByAFewDecibelsInEachRoom() {
    let sound = evidence([4, -3, 2, -4, 1])
    #expect(!sound.isElsewhere)
    #expect(abs(sound.gain) < 1)
    #expect(sound.score < 0)
  }

  @Test func impossibleErrorsGiveNumbers() {
    for errors in [[1000, 1000, 1000], [1000, -1000, 1000], [-1000, 0, 0]] as [[Float]] {
      let gain = evidence(errors).gain
      #expect(gain.isFinite && abs(gain) <= 30)
    }
  }
}
