/// A value that can be written out as octets and read back exactly.
public protocol StateCoded {
  func write(to writer: inout StateWriter)
  init(reading reader: inout StateReader) throws(StateError)
}

extension FixedWidthInteger where Self: BitwiseCopyable {
  @inlinable public func write(to writer: inout StateWriter) { writer.append(self) }
  @inlinable public init(reading reader: inout StateReader) throws(StateError) {
    self = try reader.take()
  }
}

/// By its raw value.
extension RawRepresentable where Self: StateCoded, RawValue: StateCoded {
  @inlinable public func write(to writer: inout StateWriter) { rawValue.write(to: &writer) }
  @inlinable public init(reading reader: inout StateReader) throws(StateError) {
    guard let value = Self(rawValue: try RawValue(reading: &reader)) else { throw reader.damaged }
    self = value
  }
}

extension UInt8: StateCoded {}
extension UInt16: StateCoded {}
extension UInt32: StateCoded {}
extension UInt64: StateCoded {}
extension UInt128: StateCoded {}
extension Int8: StateCoded {}
extension Int16: StateCoded {}
extension Int32: StateCoded {}
extension Int64: StateCoded {}
extension Int: StateCoded {}

extension Bool: StateCoded {
  @inlinable public func write(to writer: inout StateWriter) { writer.append(self ? 1 as UInt8 : 0) }
  @inlinable public init(reading reader: inout StateReader) throws(StateError) {
    let octet: UInt8 = try reader.take()
    guard octet < 2 else { throw reader.damaged }
    self = octet == 1
  }
}

/// Only what is finite, as Double.
extension Float: StateCoded {
  @inlinable public func write(to writer: inout StateWriter) { writer.append(bitPattern) }
  @inlinable public init(reading reader: inout StateReader) throws(StateError) {
    self.init(bitPattern: try reader.take())
    guard isFinite else { throw reader.damaged }
  }
}

extension Double: StateCoded {
  @inlinable public func write(to writer: inout StateWriter) { writer.append(bitPattern) }
  @inlinable public init(reading reader: inout StateReader) throws(StateError) {
    self.init(bitPattern: try reader.take())
    guard isFinite else { throw reader.damaged }
  }
}

extension String: StateCoded {
  public func write(to writer: inout StateWriter) {
    writer.count(utf8.count)
    writer.octets += utf8
  }
  public init(reading reader: inout StateReader) throws(StateError) {
    guard let text = String(validating: try [UInt8](reading: &reader), as: UTF8.self) else {
      throw reader.damaged
    }
    self = text
  }
}

extension Optional: StateCoded where Wrapped: StateCoded {
  @inlinable public func write(to writer: inout StateWriter) {
    (self != nil).write(to: &writer)
    if let value = self { value.write(to: &writer) }
  }
  @inlinable public init(reading reader: inout StateReader) throws(StateError) {
    self = try Bool(reading: &reader) ? try Wrapped(reading: &reader) : nil
  }
}

extension Array: StateCoded where Element: StateCoded {
  @inlinable public func write(to writer: inout StateWriter) {
    writer.count(count)
    for element in self { element.write(to: &writer) }
  }
  @inlinable public init(reading reader: inout StateReader) throws(StateError) {
    self = []
    let count = try reader.count()
    // Each has an octet at least, and takes no more memory than that allows.
    reserveCapacity(Swift.min(count, reader.left / MemoryLayout<Element>.stride + 1))
    for _ in 0..<count { append(try Element(reading: &reader)) }
  }
}

/// In order, because that of a set differs from run to run.
extension Set: StateCoded where Element: StateCoded & Comparable {
  public func write(to writer: inout StateWriter) { sorted().write(to: &writer) }
  public init(reading reader: inout StateReader) throws(StateError) {
    let elements = try [Element](reading: &reader)
    self = Set(elements)
    guard count == elements.count else { throw reader.damaged }
  }
}

extension Dictionary: StateCoded where Key: StateCoded & Comparable, Value: StateCoded {
  @inlinable public func write(to writer: inout StateWriter) {
    writer.count(count)
    for (key, value) in sorted(by: { $0.key < $1.key }) {
      key.write(to: &writer)
      value.write(to: &writer)
    }
  }
  @inlinable public init(reading reader: inout StateReader) throws(StateError) {
    self = [:]
    let count = try reader.count()
    reserveCapacity(Swift.min(count, reader.left / 16 + 1))
    for _ in 0..<count {
      let key = try Key(reading: &reader)
      guard updateValue(try Value(reading: &reader), forKey: key) == nil else { throw reader.damaged }
    }
  }
}

extension MonotonicTime: StateCoded {
  @inlinable public func write(to writer: inout StateWriter) { writer.append(nanoseconds) }
  @inlinable public init(reading reader: inout StateReader) throws(StateError) {
    self.init(nanoseconds: try reader.take())
  }
}

extension WallTime: StateCoded {
  @inlinable public func write(to writer: inout StateWriter) { writer.append(nanoseconds) }
  @inlinable public init(reading reader: inout StateReader) throws(StateError) {
    self.init(nanoseconds: try reader.take())
  }
}

extension TimeSpan: StateCoded {
  @inlinable public func write(to writer: inout StateWriter) { writer.append(nanoseconds) }
  @inlinable public init(reading reader: inout StateReader) throws(StateError) {
    self.init(nanoseconds: try reader.take())
  }
}

/// Within the bounds of its reader, as the following ones.
extension ReceiverIndex: StateCoded {
  @inlinable public func write(to writer: inout StateWriter) { writer.append(rawValue) }
  @inlinable public init(reading reader: inout StateReader) throws(StateError) {
    self.init(rawValue: try reader.index(below: reader.bounds.receivers))
  }
}

extension BeaconIndex: StateCoded {
  @inlinable public func write(to writer: inout StateWriter) { writer.append(rawValue) }
  @inlinable public init(reading reader: inout StateReader) throws(StateError) {
    self.init(rawValue: try reader.index(below: reader.bounds.beacons))
  }
}

extension BeaconEntryIndex: StateCoded {
  @inlinable public func write(to writer: inout StateWriter) { writer.append(rawValue) }
  @inlinable public init(reading reader: inout StateReader) throws(StateError) {
    self.init(rawValue: try reader.index(below: reader.bounds.entries))
  }
}

extension ReceiverTable: StateCoded {
  public func write(to writer: inout StateWriter) { writer.write(names) }
  public init(reading reader: inout StateReader) throws(StateError) {
    self.init()
    let names: [String] = try reader.read()
    for name in names { _ = index(of: name) }
    guard self.names == names else { throw reader.damaged }
  }
}

extension RateLimit {
  public func snapshot(into writer: inout StateWriter) { writer.write(rested) }
  public mutating func restore(from reader: inout StateReader) throws(StateError) {
    rested = try reader.read()
  }
}
