/// Advertisements with their payloads, as one read from a radio or a file returns them.
///
/// A source fills the same batch again and again. It keeps its storage, so it soon allocates nothing.
public struct AdvertisementBatch: Sendable {
  @usableFromInline var advertisements: [Advertisement] = []
  /// Where each payload ends in `bytes`. It starts where the previous one ends.
  @usableFromInline var ends: [Int] = []
  @usableFromInline var bytes: [UInt8] = []

  public init() {}

  public var count: Int { advertisements.count }
  public var isEmpty: Bool { advertisements.isEmpty }

  public mutating func removeAll() {
    advertisements.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Appends one advertisement with its payload (AD structures as received).
  public mutating func append(_ advertisement: Advertisement, payload: Span<UInt8>) {
    // Unsafe in general; but this pointer is not used after the call, and the copy is a single memcpy.
    unsafe payload.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    ends.append(bytes.count)
    advertisements.append(advertisement)
  }

  public subscript(index: Int) -> Advertisement { advertisements[index] }

  /// Visits all advertisements in order.
  @inlinable public func forEach<Failure: Error>(
    _ body: (borrowing Advertisement, Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    try forEach(in: advertisements.indices, body)
  }

  /// Visits the advertisements at some indices in order.
  @inlinable public func forEach<Failure: Error>(
    in range: Range<Int>, _ body: (borrowing Advertisement, Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    let payloads = bytes.span
    var start = range.isEmpty || range.lowerBound == 0 ? 0 : ends[range.lowerBound - 1]
    for index in range {
      let end = ends[index]
      try body(advertisements[index], payloads.extracting(start..<end))
      start = end
    }
  }

  /// Sorts what several receivers heard by time, stably.
  ///
  /// - Parameter room: another batch to use as scratch space; its contents are lost.
  public mutating func sortByTime(by room: inout AdvertisementBatch) {
    var latest = MonotonicTime(nanoseconds: .min)
    var isSorted = true
    for advertisement in advertisements {
      isSorted = isSorted && advertisement.time >= latest
      latest = advertisement.time
    }
    if isSorted { return }
    let order = advertisements.indices.sorted {
      (advertisements[$0].time.nanoseconds, $0) < (advertisements[$1].time.nanoseconds, $1)
    }
    room.removeAll()
    for place in order { forEach(in: place..<(place + 1)) { room.append($0, payload: $1) } }
    swap(&self, &room)
  }

  /// Changes every advertisement, for a source that learns their times later.
  @inlinable public mutating func mapAdvertisements(_ change: (inout Advertisement) -> Void) {
    for index in advertisements.indices { change(&advertisements[index]) }
  }
}
