import Core

/// A payload of up to 31 octets, the maximum of legacy advertising, as plain numbers. Equal if the octets are equal.
///
/// Most beacons repeat the same payload for years. Comparing it this way takes four comparisons.
struct ShortPayload: Equatable, Sendable {
  private var first: UInt64
  private var second: UInt64
  private var third: UInt64
  /// The rest, with the length in the uppermost octet.
  private var last: UInt64

  /// nil if it is longer, or shorter than 8 octets, which is too short for any identity.
  @inline(__always) init?(_ payload: Span<UInt8>) {
    let count = payload.count
    guard (8...31).contains(count) else { return nil }
    // The rest after whole words of eight octets: the uppermost octets of the last eight.
    let left = count & 7
    let rest = (payload.littleEndian64(at: count - 8) >> 8) &>> UInt64(56 - 8 * left)
    first = payload.littleEndian64(at: 0)
    second = count >= 16 ? payload.littleEndian64(at: 8) : 0
    third = count >= 24 ? payload.littleEndian64(at: 16) : 0
    last = rest | UInt64(count) << 56
  }

  /// An empty payload.
  init() { (first, second, third, last) = (0, 0, 0, 0) }
}

extension ShortPayload: StateElement {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("first", &first)
    try coder("second", &second)
    try coder("third", &third)
    try coder("last", &last)
  }
}
