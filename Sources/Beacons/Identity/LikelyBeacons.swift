/// The beacons that probably sent some advertisements of a batch, judged by address alone: looked up ahead of time. It is
/// valid until another beacon is seen at an address.
public struct LikelyBeacons: Sendable {
  /// The maximum number of advertisements. What was prefetched for the last of them must still be in the cache when its
  /// turn comes.
  public static let limit = 64

  /// The advertisements' indices in their batch.
  public private(set) var range = 0..<0
  /// By place in `range`: a `BeaconIndex`; −1 for nobody.
  public private(set) var beacons: [Int32] = []
  /// By place: whether the address memory needs no update when the beacon is seen at that address again.
  private var settled: UInt64 = 0
  /// The address memory's revision at the time of the look-up.
  var revision: UInt64 = 0

  public init() {}

  /// Moves to the advertisements from `start` on: all, or `limit` of them. `count` is the batch's.
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
