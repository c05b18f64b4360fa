/// Of whom some advertisements of a batch probably are, by their addresses alone: what is looked up ahead of them. It holds
/// until another beacon is seen at an address.
public struct LikelyBeacons: Sendable {
  /// How many advertisements there are at most: what they bring near must still be there when the last of them is taken in.
  public static let limit = 64

  /// The advertisements' indices in their batch.
  public private(set) var range = 0..<0
  /// By place in `range`: a `BeaconIndex`; −1 for nobody.
  public private(set) var beacons: [Int32] = []
  /// By place: whether nothing needs to be remembered of the address when the beacon is seen there again.
  private var settled: UInt64 = 0
  /// Of the addresses when they were looked up.
  var revision: UInt64 = 0

  public init() {}

  /// Turns to the advertisements from `start` on: all, or `limit` of them. `count` is the batch's.
  public mutating func turn(to start: Int, of count: Int) {
    range = start..<min(start + Self.limit, count)
    beacons.removeAll(keepingCapacity: true)
    beacons.append(contentsOf: repeatElement(-1, count: range.count))
    settled = 0
  }

  mutating func set(_ beacon: Int32, isSettled: Bool, at place: Int) {
    beacons[place] = beacon
    if isSettled { settled |= 1 << UInt64(place) }
  }

  @inline(__always) func isSettled(_ place: Int) -> Bool { settled & 1 << UInt64(place) != 0 }
}
