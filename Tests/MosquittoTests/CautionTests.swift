import TestSupport
import Testing

@testable import Mosquitto

@Suite("The message after which the broker closes the connection") struct CautionTests {
  @Test func itIsFoundAmongThoseUnderWay() {
    var caution = Caution()
    #expect(!caution.isActive)
    #expect(caution.closed(under: 1...3) == .sendAgain)
    #expect(caution.isActive && caution.isSearching)
    caution.gotThrough(1)
    #expect(caution.closed(under: 2...2) == .sendAgain, "once may be chance")
    #expect(caution.closed(under: 2...2) == .culprit)
    #expect(caution.isActive, "the others may be of the same kind")
    caution.gotThrough(3)
    #expect(!caution.isActive)
  }

  @Test func anAcknowledgedMessageIsNoLongerSuspected() {
    var caution = Caution()
    _ = caution.closed(under: 1...2)
    #expect(caution.closed(under: 1...1) == .sendAgain)
    caution.gotThrough(1)
    #expect(caution.closed(under: 2...2) == .sendAgain)
    #expect(caution.closed(under: 2...2) == .culprit)
    #expect(!caution.isActive)
  }

  @Test func aMessageRefusedBeforeIsFoundAtOnce() {
    var caution = Caution()
    caution.watch(upTo: 5)
    #expect(caution.isActive)
    #expect(caution.closed(under: 5...5, isOnTrial: true) == .culprit)
    #expect(!caution.isActive)
  }

  @Test func aBrokerThatClosesAfterEverythingIsGivenTime() {
    var caution = Caution()
    _ = caution.closed(under: 1...100)
    var culprits = 0
    var number: UInt64 = 1
    for _ in 0..<50 where caution.closed(under: number...number) == .culprit {
      culprits += 1
      number += 1
    }
    #expect(culprits == 25)
    #expect(!caution.isSearching, "it is not tried in haste")
  }
}
