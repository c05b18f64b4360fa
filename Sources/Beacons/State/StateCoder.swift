import Core

/// A part of a state. It lists its stored fields once: the same function writes them, reads them and checks what was read.
///
/// ```swift
/// mutating func fields(_ coder: inout StateCoder) throws(StateError) {
///   try coder("receiver", &receiver)
///   try coder("samples", &samples, in: 0...100)
/// }
/// ```
public protocol StateFields {
  /// It must not assign to fields while it writes, because that would copy large arrays.
  mutating func fields(_ coder: inout StateCoder) throws(StateError)
}

extension StateFields {
  /// Writes the state as it is.
  public func snapshot(into coder: inout StateCoder) {
    var copy = self
    do throws(StateError) { try copy.fields(&coder) } catch { preconditionFailure("\(error)") }
  }

  /// Reads a state into a new value of the same configuration. After an error the value must be discarded.
  public mutating func restore(from coder: inout StateCoder) throws(StateError) { try fields(&coder) }
}

/// A part that a list, an optional or a table can hold.
public protocol StateElement: StateFields, StateCoded {
  /// A value whose fields are about to be read.
  init()
}

extension StateElement {
  public static var shape: StateShape { StateShape(of: Self()) }
  @inlinable public func write(to coder: inout StateCoder) { snapshot(into: &coder) }
  @inlinable public init(reading coder: inout StateCoder) throws(StateError) {
    self.init()
    try fields(&coder)
  }
}

/// Writes or reads a state: `BKST`, the number of the layout, the total length, the fields, a checksum of all these. Integers
/// have their least significant octet first.
///
/// Nothing that is read is trusted: no length, no count, no index.
///
/// ```swift
/// var writer = StateCoder()
/// pipeline.snapshot(into: &writer)
/// var reader = try StateCoder(reading: writer.finished())
/// try heir.restore(from: &reader)
/// try reader.finish()
/// ```
public struct StateCoder: Sendable {
  /// Increase it with every change of the fields or of their order.
  public static let layout: UInt32 = 28
  static let magic: UInt32 = 0x5453_4B42
  static let head = 16
  static let tail = 8

  public let isReading: Bool
  /// The fields of one part, in the order in which they are written; nil: not requested.
  @usableFromInline var described: [StateShape.Field]?
  @usableFromInline var octets: [UInt8]
  @usableFromInline var offset = 0
  @usableFromInline var end = 0
  /// What is being read, for error messages: the part, and its field.
  @usableFromInline var part: StaticString = "head"
  @usableFromInline var field: StaticString = ""
  /// The numbers of receivers, zones, rooms, beacons and entries. Every index must be smaller.
  public var bounds = Bounds()
  /// Converts a state of another run or configuration; nil: not needed.
  public var heirs: Heirs?
  /// Collects the indices of receivers, zones and rooms that are written; nil: off.
  public var mentions: Mentions?
  /// Whether an index was read that has no heir. The list or optional that holds it leaves it out.
  @usableFromInline var isOrphaned = false

  public struct Bounds: Sendable {
    public var receivers = 0
    public var zones = 0
    public var rooms = 0
    public var beacons = 0
    public var entries = 0

    public init() {}
  }

  /// An index of one of these is valid under one configuration only; its name is valid under all.
  public enum Kind: Int, Sendable { case receiver, zone, room }

  /// Indices by `Kind`.
  public struct Mentions: Sendable {
    public internal(set) var indices: [Set<Int32>] = [[], [], []]

    public init() {}
    public subscript(kind: Kind) -> Set<Int32> { indices[kind.rawValue] }
  }

  /// The present indices for those in a state, and the difference of the clocks.
  public struct Heirs: Sendable {
    /// By `Kind`, then by the index in the state. A missing one does not exist any more.
    var indices: [[Int32: Int32]] = [[:], [:], [:]]
    /// How far this monotonic clock is ahead of the state's. It is added to all times except those that stand for "never".
    public var clock: TimeSpan

    public init(clock: TimeSpan = .zero) { self.clock = clock }

    public subscript(kind: Kind) -> [Int32: Int32] {
      get { indices[kind.rawValue] }
      set { indices[kind.rawValue] = newValue }
    }
  }

  /// A coder that writes.
  public init(layout: UInt32 = Self.layout) {
    isReading = false
    octets = []
    append(Self.magic)
    append(layout)
    // Replaced by the length in `finished()`.
    append(0 as UInt64)
  }

  public init(reading octets: [UInt8], layout expected: UInt32 = Self.layout) throws(StateError) {
    self.init(body: octets)
    end = octets.count - Self.tail
    guard end >= Self.head else { throw .damaged("it is too short") }
    let magic: UInt32 = try take()
    let layout: UInt32 = try take()
    let length: UInt64 = try take()
    guard magic == Self.magic else { throw .damaged("it does not begin as one") }
    guard layout == expected else { throw .layout(layout) }
    guard length == UInt64(octets.count) else {
      throw .damaged("\(octets.count) of \(length) octets are there")
    }
    guard octets.span.littleEndian64(at: end) == StateChecksum.of(octets, count: end) else {
      throw .damaged("its checksum is wrong")
    }
  }

  /// A coder that writes without head and checksum.
  public static var body: StateCoder {
    var coder = StateCoder()
    coder.octets.removeAll()
    return coder
  }

  /// The octets of a coder without head and checksum.
  public consuming func written() -> [UInt8] { octets }

  /// Reads a state without head and checksum.
  public init(body: [UInt8]) {
    isReading = true
    octets = body
    end = body.count
  }

  /// Notes a field's shape in place of its value.
  @usableFromInline mutating func describe(
    _ name: StaticString, _ shape: StateShape, _ write: (inout StateCoder) -> Void
  ) {
    var initial = StateCoder.body
    write(&initial)
    described?.append(StateShape.Field(name: "\(name)", shape: shape, initial: initial.written()))
  }

  /// - Parameter capacity: the expected number of octets.
  public mutating func reserve(_ capacity: Int) { octets.reserveCapacity(capacity) }

  /// A hash of everything written so far; two states can be compared by it.
  public var fingerprint: UInt64 { StateChecksum.of(octets, count: octets.count) }

  /// The complete state.
  public consuming func finished() -> [UInt8] {
    for (place, octet) in Self.octets(of: UInt64(octets.count + Self.tail)).enumerated() {
      octets[8 + place] = octet
    }
    octets += Self.octets(of: StateChecksum.of(octets, count: octets.count))
    return octets
  }

  private static func octets(of number: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64($0))) }
  }

  /// Throws if octets are left.
  public func finish() throws(StateError) {
    guard left == 0 else { throw .damaged("\(left) octets are left over") }
  }

  /// The octets that are left to read.
  package var rest: [UInt8] { Array(octets[offset..<end]) }

  /// How many octets are left to read.
  public var left: Int { end - offset }

  /// The error for a value that cannot be valid.
  public var damaged: StateError { .damaged("\(part): \(field)") }

  /// Throws if a value that was read is not plausible. While writing, it does nothing.
  @inlinable public func check(_ isSound: @autoclosure () -> Bool) throws(StateError) {
    if isReading, !isSound() { throw damaged }
  }
}

/// Fields.
extension StateCoder {
  @inlinable public mutating func callAsFunction<Value: StateCoded>(
    _ name: StaticString, _ value: inout Value
  )
    throws(StateError)
  {
    if isReading {
      field = name
      value = try Value(reading: &self)
    } else if described == nil {
      value.write(to: &self)
    } else {
      describe(name, Value.shape) { value.write(to: &$0) }
    }
  }

  @inlinable public mutating func callAsFunction<Value: StateCoded & Comparable>(
    _ name: StaticString, _ value: inout Value, in range: ClosedRange<Value>
  ) throws(StateError) {
    try self(name, &value)
    if isReading, !range.contains(value) { throw damaged }
  }

  /// An index or number that is not negative, and below a bound.
  @inlinable public mutating func callAsFunction<Number: FixedWidthInteger & StateCoded>(
    _ name: StaticString, _ number: inout Number, below bound: Int
  ) throws(StateError) {
    try self(name, &number)
    guard isReading else { return }
    guard let place = Int(exactly: number), place >= 0, place < bound else { throw damaged }
  }

  /// A count of events, with room to grow.
  public mutating func callAsFunction(tally name: StaticString, _ count: inout UInt64) throws(StateError) {
    try self(name, &count)
    if isReading, count >> 62 != 0 { throw damaged }
  }

  /// The same for an `Int`.
  public mutating func callAsFunction(tally name: StaticString, _ count: inout Int) throws(StateError) {
    try self(name, &count, in: 0...(1 << 60))
  }

  /// A part.
  @inlinable public mutating func callAsFunction<Part: StateFields>(_ name: StaticString, _ value: inout Part)
    throws(StateError)
  {
    guard isReading else {
      if described == nil { return value.snapshot(into: &self) }
      return describe(name, StateShape(of: value)) { value.snapshot(into: &$0) }
    }
    let outer = part
    part = name
    try value.fields(&self)
    part = outer
  }

  /// A part of which there are many.
  @inlinable public mutating func callAsFunction<Part: StateElement>(
    _ name: StaticString, _ value: inout Part
  )
    throws(StateError)
  {
    guard isReading else {
      if described == nil { return value.write(to: &self) }
      return describe(name, Part.shape) { value.write(to: &$0) }
    }
    field = name
    try value.fields(&self)
  }

  /// Wall time minus monotonic time.
  public mutating func callAsFunction(offset name: StaticString, _ offset: inout TimeSpan) throws(StateError)
  {
    try self(name, &offset)
    guard isReading, let heirs else { return }
    offset =
      MonotonicTime(nanoseconds: offset.nanoseconds) - MonotonicTime(nanoseconds: heirs.clock.nanoseconds)
  }

  /// A list with at most `limit` elements.
  @inlinable public mutating func callAsFunction<Value: StateCoded>(
    _ name: StaticString, _ values: inout [Value], atMost limit: Int
  ) throws(StateError) {
    try self(name, &values)
    if isReading, values.count > limit { throw damaged }
  }

  /// A list whose length follows from the configuration.
  @inlinable public mutating func callAsFunction<Value: StateCoded>(
    each name: StaticString, _ values: inout [Value]
  ) throws(StateError) {
    guard isReading else {
      if described != nil { return describe(name, .unknown) { _ in } }
      for value in values { value.write(to: &self) }
      return
    }
    field = name
    for place in values.indices { values[place] = try Value(reading: &self) }
  }

  @inlinable public mutating func callAsFunction<Part: StateElement>(
    each name: StaticString, _ parts: inout [Part]
  ) throws(StateError) {
    guard isReading else {
      if described != nil { return describe(name, .unknown) { _ in } }
      for part in parts { part.write(to: &self) }
      return
    }
    field = name
    for place in parts.indices { try parts[place].fields(&self) }
  }

  /// The same for parts.
  @inlinable public mutating func callAsFunction<Part: StateFields>(
    each name: StaticString, _ parts: inout [Part]
  ) throws(StateError) {
    guard isReading else {
      if described != nil { return describe(name, .unknown) { _ in } }
      for part in parts { part.snapshot(into: &self) }
      return
    }
    part = name
    for place in parts.indices { try parts[place].fields(&self) }
  }

  /// A value that must be the same as when it was written; otherwise the state is of another configuration.
  public mutating func callAsFunction<Value: StateCoded & Equatable>(same name: StaticString, _ value: Value)
    throws(StateError)
  {
    guard isReading else {
      if described == nil { return value.write(to: &self) }
      return describe(name, Value.shape) { value.write(to: &$0) }
    }
    field = name
    guard try Value(reading: &self) == value else { throw .configuration }
  }
}

/// Values.
extension StateCoder {
  @inlinable public mutating func write<Value: StateCoded>(_ value: Value) { value.write(to: &self) }

  @inlinable public mutating func read<Value: StateCoded>(_ type: Value.Type = Value.self) throws(StateError)
    -> Value
  {
    try Value(reading: &self)
  }

  /// Writes a number of elements.
  @inlinable public mutating func count(_ count: Int) { append(UInt32(count)) }

  /// Reads a number of elements. Each has at least one octet.
  @inlinable public mutating func count() throws(StateError) -> Int {
    let count = Int(try take() as UInt32)
    guard count <= left else { throw damaged }
    return count
  }

  @inlinable @inline(__always) mutating func append<Number: FixedWidthInteger & BitwiseCopyable>(
    _ number: Number
  ) {
    unsafe withUnsafeBytes(of: number.littleEndian) { unsafe octets.append(contentsOf: $0) }
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

  /// Adds an index to `mentions`.
  public mutating func mention(_ index: Int32, _ kind: Kind) {
    mentions?.indices[kind.rawValue].insert(index)
  }

  /// The present index for one that was read. If it has no heir, this is 0 and `isOrphaned` is set.
  public mutating func index(_ kind: Kind, _ number: Int32, below bound: Int) throws(StateError) -> Int32 {
    guard let heirs else {
      guard number >= 0, number < bound else { throw damaged }
      return number
    }
    guard let heir = heirs[kind][number] else {
      isOrphaned = true
      return 0
    }
    return heir
  }

  /// An index that is below a bound.
  @inlinable @inline(__always) public mutating func index<Number: FixedWidthInteger & BitwiseCopyable>(
    below bound: Int
  ) throws(StateError) -> Number {
    let index: Number = try take()
    guard let place = Int(exactly: index), place >= 0, place < bound else { throw damaged }
    return index
  }

  /// Reads a value; nil if an index in it has no heir.
  @inlinable mutating func readIfKept<Value: StateCoded>() throws(StateError) -> Value? {
    let isOuterOrphaned = isOrphaned
    isOrphaned = false
    let value = try Value(reading: &self)
    defer { isOrphaned = isOuterOrphaned }
    return isOrphaned ? nil : value
  }
}

/// Why a state cannot be read.
public enum StateError: Error, Hashable, CustomStringConvertible {
  /// Its octets are damaged or not plausible; with the part.
  case damaged(String)
  /// It was written in another layout.
  case layout(UInt32)
  /// Its checkpoint is of a kind that only later versions know.
  case kind(UInt8)
  /// It was made with another configuration.
  case configuration

  public var description: String {
    switch self {
    case .damaged(let part): "the snapshot is damaged (\(part))"
    case .layout(let number):
      "the snapshot has layout \(number), and this version reads layout \(StateCoder.layout) only"
    case .kind(let number): "its checkpoint is of kind \(number), which this version does not read"
    case .configuration: "the snapshot was taken under another configuration"
    }
  }
}

/// Detects every change within eight octets, and all others except one in 2⁶⁴. It is no protection against forgery.
package enum StateChecksum {
  package static func of(_ octets: [UInt8], count: Int) -> UInt64 {
    let span = octets.span
    var sum: UInt64 = 0x9E37_79B9_7F4A_7C15
    var offset = 0
    while offset + 8 <= count {
      add(span.littleEndian64(at: offset), to: &sum)
      offset += 8
    }
    while offset < count {
      add(UInt64(span[offset]), to: &sum)
      offset += 1
    }
    return sum
  }

  /// Each step is reversible, so a difference never disappears.
  private static func add(_ word: UInt64, to sum: inout UInt64) {
    sum = (sum ^ word) &* 0xBF58_476D_1CE4_E5B9
    sum ^= sum >> 32
  }
}
