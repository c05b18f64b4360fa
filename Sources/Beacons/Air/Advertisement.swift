import Core

/// One report of one radio. The payload bytes are in the `AdvertisementBatch`, so that
/// this stays a plain value of fixed size.
public struct Advertisement: Sendable {
  /// The radio that received it.
  public var receiver: ReceiverIndex
  /// The sender's address as received.
  public var address: DeviceAddress
  /// Received signal strength in dBm; nil if the controller reports "unknown" (127).
  public var rssi: Int8?
  /// Transmit power in dBm from the header of an extended report; nil if absent (127).
  public var txPower: Int8?
  public var phy: PHY
  public var isScanResponse: Bool
  /// When it was received, on the clock used for decisions.
  public var time: MonotonicTime
  /// When it was received, on the clock used for reports.
  public var wallTime: WallTime

  public init(
    receiver: ReceiverIndex, address: DeviceAddress, rssi: Int8?, txPower: Int8? = nil, phy: PHY = .le1M,
    isScanResponse: Bool = false, time: MonotonicTime, wallTime: WallTime
  ) {
    self.receiver = receiver
    self.address = address
    self.rssi = rssi
    self.txPower = txPower
    self.phy = phy
    self.isScanResponse = isScanResponse
    self.time = time
    self.wallTime = wallTime
  }
}

/// The primary physical layer (Core Specification, Vol 4, Part E, 7.7.65.13).
public enum PHY: UInt8, Sendable {
  case le1M = 1
  case le2M = 2
  case leCoded = 3
}

/// A receiver's index in the `ReceiverTable`; small, to keep advertisements small.
public struct ReceiverIndex: Hashable, Comparable, Sendable {
  public var rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// The names of all receivers that reported, in the order of their first report. The size is limited, in case a recording
/// or a remote scanner invents names.
public struct ReceiverTable: Sendable {
  public static let limit = 4096

  public private(set) var names: [String] = []
  private var indicesByName: [String: ReceiverIndex] = [:]

  public init() {}

  /// The index of a new or known name; nil if `limit` names are in use.
  public mutating func index(of name: String) -> ReceiverIndex? {
    if let known = indicesByName[name] { return known }
    guard names.count < Self.limit else { return nil }
    let index = ReceiverIndex(rawValue: UInt16(names.count))
    names.append(name)
    indicesByName[name] = index
    return index
  }

  /// The index of a known name.
  public func index(ofKnown name: String) -> ReceiverIndex? { indicesByName[name] }

  /// Gives the index of one receiver to another, which must be new.
  public mutating func rename(_ index: ReceiverIndex, to name: String) {
    precondition(indicesByName[name] == nil)
    indicesByName[names[Int(index.rawValue)]] = nil
    names[Int(index.rawValue)] = name
    indicesByName[name] = index
  }

  /// All indices in use, in order.
  public var indices: [ReceiverIndex] { names.indices.map { ReceiverIndex(rawValue: UInt16($0)) } }

  /// The name for an index of this table.
  public func name(of index: ReceiverIndex) -> String { names[Int(index.rawValue)] }
}

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

  /// Sorts the advertisements of several receivers by time, stably.
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

  /// Changes every advertisement, for a source that learns its times later.
  @inlinable public mutating func mapAdvertisements(_ change: (inout Advertisement) -> Void) {
    for index in advertisements.indices { change(&advertisements[index]) }
  }
}
