import Testing

@testable import Contract

@Suite struct FNV1aTests {
  private let prime: UInt128 = 0x0000_0000_0100_0000_0000_0000_0000_013B

  /// The hash as RFC 9923 writes it: one multiplication by the prime in 128 bits.
  private func plain(_ texts: [String]) -> UInt128 {
    var state: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D
    for text in texts {
      for unit in Array(text.utf8) + [0] {
        state = (state ^ UInt128(unit)) &* prime
      }
    }
    return state
  }

  @Test(arguments: [[""], ["foobar"], ["forecourt", "pump-3", "fleet:1.2"], ["ÿ\u{10FFFF}", "\u{7F}"]])
  func isWhatTheRFCSays(texts: [String]) {
    var hash = FNV1a()
    for text in texts { hash.combine(text.utf8.span) }
    #expect(hash.value == plain(texts))
  }

  @Test func agreesWithTheVectorOfTheRFC() {
    var hash = FNV1a()
    hash.combine("foobar".utf8.span)
    let foobar: UInt128 = 0x343E_1662_793C_64BF_6F0D_3597_BA44_6F18
    // The zero octet that ends it changes nothing before it is multiplied.
    #expect(hash.value == foobar &* prime)
  }
}
