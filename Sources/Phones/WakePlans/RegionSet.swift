/// A set of region indices from 0 to 31, in one word.
public struct RegionSet: Sendable, Hashable, Sequence {
  private var bits: UInt32 = 0

  public init() {}

  public init(_ regions: some Sequence<Int>) {
    for region in regions { insert(region) }
  }

  /// Ignores indices out of range.
  public mutating func insert(_ region: Int) {
    if (0..<32).contains(region) { bits |= 1 << UInt32(region) }
  }

  public func contains(_ region: Int) -> Bool { (0..<32).contains(region) && bits & 1 << UInt32(region) != 0 }

  public var count: Int { bits.nonzeroBitCount }
  public var isEmpty: Bool { bits == 0 }
  /// The largest index.
  public var last: Int? { isEmpty ? nil : 31 - bits.leadingZeroBitCount }

  public func subtracting(_ other: RegionSet) -> RegionSet {
    var rest = self
    rest.bits &= ~other.bits
    return rest
  }

  /// In order of index.
  public func makeIterator() -> Iterator { Iterator(bits: bits) }

  public struct Iterator: IteratorProtocol, Sendable {
    fileprivate var bits: UInt32

    public mutating func next() -> Int? {
      guard bits != 0 else { return nil }
      let region = bits.trailingZeroBitCount
      bits &= bits - 1
      return region
    }
  }
}
