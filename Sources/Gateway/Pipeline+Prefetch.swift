import Beacons
import Proximity

extension Pipeline {
  /// From so many beacons on they don't all fit the fast caches, and looking ahead is worth its while.
  private static let many = 1000

  /// Takes in what a source heard.
  public mutating func observe(_ batch: borrowing AdvertisementBatch, into output: inout Output) {
    var next = 0
    while let range = lookAhead(from: next, in: batch) {
      batch.forEach(in: range) { advertisement, payload in
        observe(advertisement, payload: payload, into: &output)
      }
      next = range.upperBound
    }
  }

  /// The advertisements of a batch to be observed next, from `start` on; nil at its end.
  ///
  /// Beacons are scattered in memory, and each step of a sighting must wait for where the one before it leads. So those that
  /// these few advertisements probably are of are looked up first, all together. Nothing is decided by that.
  mutating func lookAhead(from start: Int, in batch: borrowing AdvertisementBatch) -> Range<Int>? {
    guard start < batch.count else { return nil }
    let range = start..<min(start + ZoneEngine.prefetchLimit, batch.count)
    if roster.count >= Self.many { prefetch(batch, range) }
    return range
  }

  private mutating func prefetch(_ batch: borrowing AdvertisementBatch, _ range: Range<Int>) {
    var beacons = InlineArray<64, Int32>(repeating: -1)
    addresses.removeAll(keepingCapacity: true)
    for place in range { addresses.append(batch[place].address) }
    prefetched &+= roster.prefetch(addresses.span, into: &beacons)
    prefetched &+= engine.prefetch(beacons.span)
    prefetched &+= telemetry.prefetch(beacons.span)
  }
}
