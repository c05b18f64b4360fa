import Core

/// A value that can be written out as octets and read back exactly.
public protocol StateCoded {
  /// What `write` writes.
  static var shape: StateShape { get }
  func write(to coder: inout StateCoder)
  init(reading coder: inout StateCoder) throws(StateError)
}

extension StateCoded {
  public static var shape: StateShape { .unknown }
}

extension FixedWidthInteger where Self: BitwiseCopyable & StateCoded {
  public static var shape: StateShape { .octets(MemoryLayout<Self>.size) }
  @inlinable public func write(to coder: inout StateCoder) { coder.append(self) }
  @inlinable public init(reading coder: inout StateCoder) throws(StateError) {
    self = try coder.take()
  }
}

/// By its raw value.
extension RawRepresentable where Self: StateCoded, RawValue: StateCoded {
  public static var shape: StateShape { RawValue.shape }
  @inlinable public func write(to coder: inout StateCoder) { rawValue.write(to: &coder) }
  @inlinable public init(reading coder: inout StateCoder) throws(StateError) {
    guard let value = Self(rawValue: try RawValue(reading: &coder)) else { throw coder.damaged }
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
  public static var shape: StateShape { .octets(1) }
  @inlinable public func write(to coder: inout StateCoder) { coder.append(self ? 1 as UInt8 : 0) }
  @inlinable public init(reading coder: inout StateCoder) throws(StateError) {
    let octet: UInt8 = try coder.take()
    guard octet < 2 else { throw coder.damaged }
    self = octet == 1
  }
}

/// As Double; only finite values.
extension Float: StateCoded {
  public static var shape: StateShape { .octets(4) }
  @inlinable public func write(to coder: inout StateCoder) { coder.append(bitPattern) }
  @inlinable public init(reading coder: inout StateCoder) throws(StateError) {
    self.init(bitPattern: try coder.take())
    guard isFinite else { throw coder.damaged }
  }
}

extension Double: StateCoded {
  public static var shape: StateShape { .octets(8) }
  @inlinable public func write(to coder: inout StateCoder) { coder.append(bitPattern) }
  @inlinable public init(reading coder: inout StateCoder) throws(StateError) {
    self.init(bitPattern: try coder.take())
    guard isFinite else { throw coder.damaged }
  }
}

extension String: StateCoded {
  public static var shape: StateShape { .list(.octets(1)) }
  public func write(to coder: inout StateCoder) {
    coder.count(utf8.count)
    coder.octets += utf8
  }
  public init(reading coder: inout StateCoder) throws(StateError) {
    guard let text = String(validating: try [UInt8](reading: &coder), as: UTF8.self) else {
      throw coder.damaged
    }
    self = text
  }
}

extension Optional: StateCoded where Wrapped: StateCoded {
  public static var shape: StateShape { .optional(Wrapped.shape) }
  @inlinable public func write(to coder: inout StateCoder) {
    (self != nil).write(to: &coder)
    if let value = self { value.write(to: &coder) }
  }
  @inlinable public init(reading coder: inout StateCoder) throws(StateError) {
    self = try Bool(reading: &coder) ? try coder.readIfKept() : nil
  }
}

extension Array: StateCoded where Element: StateCoded {
  public static var shape: StateShape { .list(Element.shape) }
  @inlinable public func write(to coder: inout StateCoder) {
    coder.count(count)
    for element in self { element.write(to: &coder) }
  }
  @inlinable public init(reading coder: inout StateCoder) throws(StateError) {
    self = []
    let count = try coder.count()
    // Each element has at least one octet, and the capacity is limited by the octets that are left.
    reserveCapacity(Swift.min(count, coder.left / MemoryLayout<Element>.stride + 1))
    for _ in 0..<count {
      if let element: Element = try coder.readIfKept() { append(element) }
    }
  }
}

/// Sorted, because the order of a set differs from run to run.
extension Set: StateCoded where Element: StateCoded & Comparable {
  public static var shape: StateShape { .list(Element.shape) }
  public func write(to coder: inout StateCoder) { sorted().write(to: &coder) }
  public init(reading coder: inout StateCoder) throws(StateError) {
    let elements = try [Element](reading: &coder)
    self = Set(elements)
    guard count == elements.count else { throw coder.damaged }
  }
}

extension Dictionary: StateCoded where Key: StateCoded & Comparable, Value: StateCoded {
  public static var shape: StateShape { .table(Key.shape, Value.shape) }
  @inlinable public func write(to coder: inout StateCoder) {
    coder.count(count)
    for (key, value) in sorted(by: { $0.key < $1.key }) {
      key.write(to: &coder)
      value.write(to: &coder)
    }
  }
  @inlinable public init(reading coder: inout StateCoder) throws(StateError) {
    self = [:]
    let count = try coder.count()
    reserveCapacity(Swift.min(count, coder.left / 16 + 1))
    for _ in 0..<count {
      let key: Key? = try coder.readIfKept()
      let value: Value? = try coder.readIfKept()
      guard let key, let value else { continue }
      guard updateValue(value, forKey: key) == nil else { throw coder.damaged }
    }
  }
}

extension MonotonicTime: StateCoded {
  public static var shape: StateShape { .octets(8) }
  @inlinable public func write(to coder: inout StateCoder) { coder.append(nanoseconds) }
  @inlinable public init(reading coder: inout StateCoder) throws(StateError) {
    self.init(nanoseconds: try coder.take())
    // The first and the last time there is stand for "never".
    if let clock = coder.heirs?.clock, nanoseconds != .min, nanoseconds != .max { self = self + clock }
  }
}

extension WallTime: StateCoded {
  public static var shape: StateShape { .octets(8) }
  @inlinable public func write(to coder: inout StateCoder) { coder.append(nanoseconds) }
  @inlinable public init(reading coder: inout StateCoder) throws(StateError) {
    self.init(nanoseconds: try coder.take())
  }
}

extension TimeSpan: StateCoded {
  public static var shape: StateShape { .octets(8) }
  @inlinable public func write(to coder: inout StateCoder) { coder.append(nanoseconds) }
  @inlinable public init(reading coder: inout StateCoder) throws(StateError) {
    self.init(nanoseconds: try coder.take())
  }
}

/// An index is below its bound in the coder, here and in the following types.
extension ReceiverIndex: StateCoded {
  public static var shape: StateShape { .octets(2) }
  public func write(to coder: inout StateCoder) {
    coder.mention(Int32(rawValue), .receiver)
    coder.append(rawValue)
  }
  public init(reading coder: inout StateCoder) throws(StateError) {
    let number: UInt16 = try coder.take()
    let index = try coder.index(.receiver, Int32(number), below: coder.bounds.receivers)
    self.init(rawValue: UInt16(truncatingIfNeeded: index))
  }
}

extension BeaconIndex: StateCoded {
  public static var shape: StateShape { .octets(4) }
  @inlinable public func write(to coder: inout StateCoder) { coder.append(rawValue) }
  @inlinable public init(reading coder: inout StateCoder) throws(StateError) {
    self.init(rawValue: try coder.index(below: coder.bounds.beacons))
  }
}

extension BeaconEntryIndex: StateCoded {
  public static var shape: StateShape { .octets(4) }
  @inlinable public func write(to coder: inout StateCoder) { coder.append(rawValue) }
  @inlinable public init(reading coder: inout StateCoder) throws(StateError) {
    self.init(rawValue: try coder.index(below: coder.bounds.entries))
  }
}

extension ReceiverTable: StateCoded {
  public func write(to coder: inout StateCoder) { coder.write(names) }
  public init(reading coder: inout StateCoder) throws(StateError) {
    self.init()
    let names: [String] = try coder.read()
    for name in names { _ = index(of: name) }
    guard self.names == names else { throw coder.damaged }
  }
}

/// Its limits come from the configuration.
extension RateLimit: StateFields {
  public mutating func fields(_ coder: inout StateCoder) throws(StateError) { try coder("rested", &rested) }
}
