/// What the octets of a state consist of. It is saved beside states that must outlive a version, so that a later version can read
/// them by the names of their fields. That version skips fields that it no longer has; its new fields keep their initial values.
///
/// So a field whose meaning changes needs another name.
public indirect enum StateShape: Equatable, Sendable {
  /// This many octets.
  case octets(Int)
  case optional(StateShape)
  case list(StateShape)
  case table(StateShape, StateShape)
  case part([Field])
  /// A value that writes itself in another way. A part with such a value is read only if its shape has not changed.
  case unknown

  public struct Field: Equatable, Sendable {
    public var name: String
    public var shape: StateShape
    /// The field's value in a new part.
    var initial: [UInt8] = []

    public init(name: String, shape: StateShape, initial: [UInt8] = []) {
      (self.name, self.shape, self.initial) = (name, shape, initial)
    }

    public static func == (a: Self, b: Self) -> Bool { a.name == b.name && a.shape == b.shape }
  }

  /// The shape of a part, from its fields.
  public init(of part: some StateFields) {
    var coder = StateCoder()
    coder.described = []
    part.snapshot(into: &coder)
    self = .part(coder.described ?? [])
  }

  /// The same in every run.
  public var fingerprint: UInt32 {
    var coder = StateCoder.body
    write(to: &coder)
    return UInt32(truncatingIfNeeded: coder.fingerprint)
  }

  /// Rewrites a body of this shape as one of another shape.
  public func rewrite(_ octets: [UInt8], as present: StateShape) throws(StateError) -> [UInt8] {
    var rewriter = StateRewriter(source: StateCoder(body: octets))
    try rewriter.copy(self, as: present)
    try rewriter.source.finish()
    return rewriter.octets
  }

  /// Whether a value of this shape can become one of the other. Parts can, whatever their fields.
  fileprivate func fits(_ other: StateShape) -> Bool {
    switch (self, other) {
    case (.octets(let count), .octets(let others)): count == others
    case (.optional(let value), .optional(let other)), (.list(let value), .list(let other)): value.fits(other)
    case (.table(let key, let value), .table(let otherKey, let otherValue)):
      key.fits(otherKey) && value.fits(otherValue)
    case (.part, .part): true
    default: false
    }
  }
}

/// Reads one shape and writes another.
private struct StateRewriter {
  var source: StateCoder
  var octets: [UInt8] = []

  mutating func copy(_ shape: StateShape, as present: StateShape) throws(StateError) {
    let start = source.offset
    switch (shape, present) {
    case (.part(let fields), .part(let others)) where fields != others:
      var places: [String: (shape: StateShape, offset: Int)] = [:]
      for field in fields {
        places[field.name] = (field.shape, source.offset)
        try skip(field.shape)
      }
      let end = source.offset
      for other in others {
        guard let place = places[other.name], place.shape.fits(other.shape) else {
          octets += other.initial
          continue
        }
        source.offset = place.offset
        try copy(place.shape, as: other.shape)
      }
      source.offset = end
    case (.optional(let value), .optional(let other)) where value != other:
      let isThere: Bool = try source.read()
      octets += source.octets[start..<source.offset]
      if isThere { try copy(value, as: other) }
    case (.list(let element), .list(let other)) where element != other:
      let count = try source.count()
      octets += source.octets[start..<source.offset]
      for _ in 0..<count { try copy(element, as: other) }
    case (.table(let key, let value), .table(let otherKey, let otherValue)) where shape != present:
      let count = try source.count()
      octets += source.octets[start..<source.offset]
      for _ in 0..<count {
        try copy(key, as: otherKey)
        try copy(value, as: otherValue)
      }
    default:
      guard shape == present else { throw source.damaged }
      try skip(shape)
      octets += source.octets[start..<source.offset]
    }
  }

  private mutating func skip(_ shape: StateShape) throws(StateError) {
    switch shape {
    case .octets(let count): try pass(count)
    case .optional(let value): if try source.read(Bool.self) { try skip(value) }
    case .list(.octets(let size)):
      let (length, isTooLong) = try source.count().multipliedReportingOverflow(by: size)
      if isTooLong { throw source.damaged }
      try pass(length)
    case .list(let element): for _ in 0..<(try source.count()) { try skip(element) }
    case .table(let key, let value):
      for _ in 0..<(try source.count()) {
        try skip(key)
        try skip(value)
      }
    case .part(let fields): for field in fields { try skip(field.shape) }
    case .unknown: throw source.damaged
    }
  }

  private mutating func pass(_ count: Int) throws(StateError) {
    guard count >= 0, count <= source.left else { throw source.damaged }
    source.offset += count
  }
}

/// Initial values are not written: only the program knows them.
extension StateShape: StateCoded {
  private enum Tag: UInt8 { case octets, optional, list, table, part, unknown }
  /// Deeper shapes are not read.
  private static let depth = 32

  public static var shape: StateShape { .unknown }

  public func write(to coder: inout StateCoder) {
    func begin(_ tag: Tag) { coder.write(tag.rawValue) }
    switch self {
    case .octets(let count):
      begin(.octets)
      coder.write(UInt16(clamping: count))
    case .optional(let value):
      begin(.optional)
      value.write(to: &coder)
    case .list(let element):
      begin(.list)
      element.write(to: &coder)
    case .table(let key, let value):
      begin(.table)
      key.write(to: &coder)
      value.write(to: &coder)
    case .part(let fields):
      begin(.part)
      coder.count(fields.count)
      for field in fields {
        coder.write(field.name)
        field.shape.write(to: &coder)
      }
    case .unknown: begin(.unknown)
    }
  }

  public init(reading coder: inout StateCoder) throws(StateError) { try self.init(reading: &coder, depth: 0) }

  private init(reading coder: inout StateCoder, depth: Int) throws(StateError) {
    guard depth < Self.depth, let tag = Tag(rawValue: try coder.read()) else { throw coder.damaged }
    func inner() throws(StateError) -> StateShape { try StateShape(reading: &coder, depth: depth + 1) }
    switch tag {
    // A list of elements without octets could claim any length.
    case .octets:
      let count: UInt16 = try coder.read()
      guard count > 0 else { throw coder.damaged }
      self = .octets(Int(count))
    case .optional: self = .optional(try inner())
    case .list: self = .list(try inner())
    case .table: self = .table(try inner(), try inner())
    case .part:
      var fields: [Field] = []
      for _ in 0..<(try coder.count()) { fields.append(Field(name: try coder.read(), shape: try inner())) }
      guard !fields.isEmpty else { throw coder.damaged }
      self = .part(fields)
    case .unknown: self = .unknown
    }
  }
}
