import Core
import TestSupport
import Testing

@testable import Beacons

@Suite struct ShortPayloadTests {
  @Test func itIsEqualWhereTheOctetsAre() {
    var random = SeededGenerator(seed: 3)
    for length in 8...31 {
      let octets = random.bytes(length)
      #expect(ShortPayload(octets.span) == ShortPayload(octets.span))
      for place in octets.indices {
        for bit in 0..<8 as Range<UInt8> {
          var other = octets
          other[place] ^= 1 << bit
          #expect(ShortPayload(other.span) != ShortPayload(octets.span), "octet \(place) of \(length)")
        }
      }
      #expect(ShortPayload(Array(octets + [0]).span) != ShortPayload(octets.span))
      #expect(ShortPayload(octets.span) != ShortPayload())
    }
  }

  /// The octets that are read twice, and those that are padded, must not make two lengths alike.
  @Test func zerosOfAnyLengthDiffer() {
    let all = (8...31).map { ShortPayload([UInt8](repeating: 0, count: $0).span) }
    for first in all.indices {
      for second in all.indices where first < second { #expect(all[first] != all[second]) }
    }
  }

  @Test func tooShortAndTooLongPayloadsAreRejected() {
    for length in [0, 1, 7, 32, 255] {
      #expect(ShortPayload([UInt8](repeating: 1, count: length).span) == nil)
    }
  }
}
