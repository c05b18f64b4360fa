/// The 128-bit FNV-1a hash (RFC 9923, section 6).
package struct FNV1a {
  private var high: UInt64 = 0x6C62_272E_07BB_0142
  private var low: UInt64 = 0x62B8_2175_6295_C58D

  package init() {}

  package var value: UInt128 { UInt128(high) << 64 | UInt128(low) }

  /// Adds a text, followed by a zero octet.
  package mutating func combine(_ text: Span<UInt8>) {
    add(text)
    combine(0)
  }

  mutating func add(_ octets: Span<UInt8>) {
    for index in octets.indices { combine(octets[index]) }
  }

  /// Multiplies by the prime, 2⁸⁸ + 0x13B, in halves: the upper one gets the lower one's carry, and 2⁸⁸ times the lower one.
  private mutating func combine(_ octet: UInt8) {
    low ^= UInt64(octet)
    let product = low.multipliedFullWidth(by: 0x13B)
    high = high &* 0x13B &+ product.high &+ low << 24
    low = product.low
  }
}
