/// Reads a snapshot. Nothing in it is believed: no length, no count, no index.
///
/// ```swift
/// var reader = try StateReader(octets)
/// let epoch: UInt64 = try reader.read()
/// try reader.finish()
/// ```
public struct StateReader: Sendable {
  @usableFromInline let octets: [UInt8]
  @usableFromInline var offset: Int
  @usableFromInline let end: Int
  /// What is being read, for people.
  public var part = "head"

  /// How many receivers, zones, rooms, beacons and entries there are: no index may reach these.
  public var bounds = Bounds()

  public struct Bounds: Sendable {
    public var receivers = 0
    public var zones = 0
    public var rooms = 0
    public var beacons = 0
    public var entries = 0

    public init() {}
  }

  public init(_ octets: [UInt8]) throws(StateError) {
    self.octets = octets
    offset = 0
    end = octets.count - StateWriter.tail
    guard end >= StateWriter.head else { throw .damaged("it is too short") }
    let magic: UInt32 = try take()
    let layout: UInt32 = try take()
    let length: UInt64 = try take()
    guard magic == StateWriter.magic else { throw .damaged("it does not begin as one") }
    // An older layout would be told apart here, and its number be kept for those who read the parts.
    guard layout == StateWriter.layout else { throw .layout(layout) }
    guard length == UInt64(octets.count) else {
      throw .damaged("\(octets.count) of \(length) octets are there")
    }
    guard octets.span.littleEndian64(at: end) == StateChecksum.of(octets, count: end) else {
      throw .damaged("its checksum is wrong")
    }
  }

  /// For what has neither head nor checksum.
  public init(body: [UInt8]) {
    octets = body
    offset = 0
    end = body.count
  }

  /// Octets that were not read yet.
  public var left: Int { end - offset }

  /// What to throw if something cannot be.
  public var damaged: StateError { .damaged(part) }

  @inlinable public mutating func read<Value: StateCoded>(_ type: Value.Type = Value.self) throws(StateError)
    -> Value
  {
    try Value(reading: &self)
  }

  /// How many elements follow. Each has an octet at least.
  @inlinable public mutating func count() throws(StateError) -> Int {
    let count = Int(try take() as UInt32)
    guard count <= left else { throw damaged }
    return count
  }

  /// A count of what happened. It can still grow.
  public mutating func tally() throws(StateError) -> UInt64 {
    let tally: UInt64 = try take()
    guard tally < 1 << 62 else { throw damaged }
    return tally
  }

  @inlinable @inline(__always) mutating func take<Number: FixedWidthInteger & BitwiseCopyable>()
    throws(StateError) -> Number
  {
    let size = MemoryLayout<Number>.size
    guard end - offset >= size else { throw damaged }
    let number = octets.span.load(offset, as: Number.self)
    offset += size
    return Number(littleEndian: number)
  }

  /// An index that is below a bound.
  @inlinable @inline(__always) public mutating func index<Number: FixedWidthInteger & BitwiseCopyable>(
    below bound: Int
  ) throws(StateError) -> Number {
    let index: Number = try take()
    guard let place = Int(exactly: index), place >= 0, place < bound else { throw damaged }
    return index
  }

  /// Everything must have been read.
  public func finish() throws(StateError) {
    guard left == 0 else { throw .damaged("\(left) octets are left over") }
  }
}

/// Why a snapshot cannot be read.
public enum StateError: Error, Hashable, CustomStringConvertible {
  /// Its octets are not what was written, or make no sense; with the part.
  case damaged(String)
  /// It was written in another layout.
  case layout(UInt32)
  /// Its checkpoint is of a kind that only later versions know.
  case kind(UInt8)
  /// It was taken under another configuration.
  case configuration

  public var description: String {
    switch self {
    case .damaged(let part): "the snapshot is damaged (\(part))"
    case .layout(let number):
      "the snapshot has layout \(number), and this version reads layout \(StateWriter.layout) only"
    case .kind(let number): "its checkpoint is of kind \(number), which this version does not read"
    case .configuration: "the snapshot was taken under another configuration"
    }
  }
}
