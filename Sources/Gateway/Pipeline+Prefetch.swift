import Beacons
import Proximity

extension Pipeline {
  /// From so many beacons on they don't all fit the fast caches, and looking ahead is worth its while.
  private static let many = 1000

  /// Takes in what a source heard.
  ///
  /// Beacons are scattered in memory, and each step of a sighting must wait for where the one before it leads. So those that
  /// the next few advertisements probably are of are looked up first, all together. Nothing is decided by that.
  public mutating func observe(_ batch: borrowing AdvertisementBatch, into output: inout Output) {
    var next = 0
    while next < batch.count {
      let range = next..<min(next + ZoneEngine.prefetchLimit, batch.count)
      if roster.count >= Self.many { prefetch(batch, range) }
      batch.forEach(in: range) { advertisement, payload in
        observe(advertisement, payload: payload, into: &output)
      }
      next = range.upperBound
    }
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
