/// Encodes a value's fields in sequence, without their names, in a fraction of the size of JSON. The data must be
/// read with the same declarations; `SavedBeacon.layout` identifies them.
///
/// Long texts, which many values share, are written as numbers that the caller supplies.
final class PackedEncoder: Encoder {
  /// A text of more bytes than this is written as a number.
  static let shortText = 32

  private(set) var writer = PackedWriter()
  /// The names of all fields, in order.
  private(set) var names: [String] = []
  private let number: (String) -> Int64
  /// Whether the value being encoded is a sequence, whose end must be marked.
  private var isSequence = false
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// - Parameter number: returns the number for a long text.
  init(number: @escaping (String) -> Int64) { self.number = number }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    KeyedEncodingContainer(Fields<Key>(encoder: self))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    isSequence = true
    return Elements(encoder: self)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer { Single(encoder: self) }

  func write(_ value: some Encodable) throws {
    switch value {
    case let value as Int64: writer.write(value)
    case let value as Float: writer.write(value)
    case let value as Bool: writer.write(value)
    case let value as Int32: writer.write(Int64(value))
    case let value as UInt8: writer.write(UInt64(value))
    case let value as Int8: writer.write(Int64(value))
    case let value as UInt16: writer.write(UInt64(value))
    case let value as Double: writer.write(value)
    case let value as Int: writer.write(Int64(value))
    case let value as UInt64: writer.write(value)
    case let value as UInt32: writer.write(UInt64(value))
    case let value as Int16: writer.write(Int64(value))
    case let value as UInt: writer.write(UInt64(value))
    case let value as String:
      let isLong = value.utf8.count > Self.shortText
      writer.write(isLong)
      if isLong { writer.write(number(value)) } else { writer.write(value) }
    default:
      let outer = isSequence
      isSequence = false
      try value.encode(to: self)
      if isSequence { writer.write(false) }
      isSequence = outer
    }
  }

  func writePresence(_ isPresent: Bool) { writer.write(isPresent) }

  private struct Fields<Key: CodingKey>: KeyedEncodingContainerProtocol {
    let encoder: PackedEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil(forKey key: Key) { encoder.writePresence(false) }
    func encode<Value: Encodable>(_ value: Value, forKey key: Key) throws {
      encoder.names.append(key.stringValue)
      try encoder.write(value)
    }
    func encodeIfPresent<Value: Encodable>(_ value: Value?, forKey key: Key) throws { try put(value, key) }
    // The default implementations of these would write nothing at all for nil.
    func encodeIfPresent(_ value: Bool?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent(_ value: String?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent(_ value: Double?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent(_ value: Float?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent(_ value: Int?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent(_ value: Int8?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent(_ value: Int16?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent(_ value: Int32?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent(_ value: Int64?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent(_ value: UInt?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent(_ value: UInt8?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent(_ value: UInt16?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent(_ value: UInt32?, forKey key: Key) throws { try put(value, key) }
    func encodeIfPresent(_ value: UInt64?, forKey key: Key) throws { try put(value, key) }
    private func put(_ value: (some Encodable)?, _ key: Key) throws {
      encoder.names.append(key.stringValue + "?")
      encoder.writePresence(value != nil)
      if let value { try encoder.write(value) }
    }
    func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type, forKey key: Key)
      -> KeyedEncodingContainer<Nested>
    { unused }
    func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer { unused }
    func superEncoder() -> any Encoder { unused }
    func superEncoder(forKey key: Key) -> any Encoder { unused }
  }

  private struct Elements: UnkeyedEncodingContainer {
    let encoder: PackedEncoder
    var codingPath: [any CodingKey] { [] }
    var count = 0

    func encodeNil() { unused }
    mutating func encode<Value: Encodable>(_ value: Value) throws {
      count += 1
      encoder.writer.write(true)
      try encoder.write(value)
    }
    func nestedContainer<Nested: CodingKey>(keyedBy keyType: Nested.Type) -> KeyedEncodingContainer<Nested> {
      unused
    }
    func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer { unused }
    func superEncoder() -> any Encoder { unused }
  }

  private struct Single: SingleValueEncodingContainer {
    let encoder: PackedEncoder
    var codingPath: [any CodingKey] { [] }

    func encodeNil() { unused }
    func encode<Value: Encodable>(_ value: Value) throws { try encoder.write(value) }
  }
}

/// For parts of the protocol that none of our types uses.
private var unused: Never { fatalError("nothing of ours is encoded in this way") }
