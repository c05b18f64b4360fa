/// Advertisements with their payloads, as one read from a radio or a file yields them.
///
/// A source fills one batch over and over; its storage is kept, so that steady state allocates nothing.
public struct AdvertisementBatch: Sendable {
  @usableFromInline var advertisements: [Advertisement] = []
  /// Where each payload ends in `bytes`; it starts where the one before it ended.
  @usableFromInline var ends: [Int] = []
  @usableFromInline var bytes: [UInt8] = []

  public init() {}

  public var count: Int { advertisements.count }
  public var isEmpty: Bool { advertisements.isEmpty }
  /// Bytes of payload held, so that callers can bound a batch.
  public var payloadBytes: Int { bytes.count }

  public mutating func removeAll() {
    advertisements.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
  }

  /// Appends one advertisement with its payload (AD structures as they came from the air).
  public mutating func append(_ advertisement: Advertisement, payload: Span<UInt8>) {
    // Unsafe in general; here the pointer ends with the call, and the copy is one move of memory.
    unsafe payload.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    ends.append(bytes.count)
    advertisements.append(advertisement)
  }

  public subscript(index: Int) -> Advertisement { advertisements[index] }

  /// Visits all in order.
  @inlinable public func forEach<Failure: Error>(
    _ body: (borrowing Advertisement, Span<UInt8>) throws(Failure) -> Void
  ) throws(Failure) {
    try forEach(in: advertisements.indices, body)
  }

  /// Visits those at some indices in order.
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

  /// Puts what several receivers heard in the order in which it was heard; what came at the same time stays as it is.
  ///
  /// - Parameter room: another batch, whose contents are lost.
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

  /// Replaces every advertisement's times; a source that learns them late sets them here.
  @inlinable public mutating func mapAdvertisements(_ change: (inout Advertisement) -> Void) {
    for index in advertisements.indices { change(&advertisements[index]) }
  }
}
