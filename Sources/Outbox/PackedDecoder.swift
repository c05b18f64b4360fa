/// Decodes the output of `PackedEncoder`, with the same declarations. Damaged data gives an error, never a trap.
final class PackedDecoder: Decoder {
  private var reader: PackedReader
  private let text: (Int64) -> String?
  var codingPath: [any CodingKey] { [] }
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  /// - Parameter text: returns the long text for a number.
  init(_ reader: PackedReader, text: @escaping (Int64) -> String?) {
    self.reader = reader
    self.text = text
  }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
    KeyedDecodingContainer(Fields<Key>(decoder: self))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer { try Elements(decoder: self) }

  func singleValueContainer() -> any SingleValueDecodingContainer { Single(decoder: self) }

  func read<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let value: Any =
      switch type {
      case is Int64.Type: try reader.signed()
      case is Float.Type: try reader.float()
      case is Bool.Type: try reader.flag()
      case is Int32.Type: try whole(try reader.signed()) as Int32
      case is UInt8.Type: try whole(try reader.unsigned()) as UInt8
      case is Int8.Type: try whole(try reader.signed()) as Int8
      case is UInt16.Type: try whole(try reader.unsigned()) as UInt16
      case is Double.Type: try reader.double()
      case is Int.Type: try whole(try reader.signed()) as Int
      case is UInt64.Type: try reader.unsigned()
      case is UInt32.Type: try whole(try reader.unsigned()) as UInt32
      case is Int16.Type: try whole(try reader.signed()) as Int16
      case is UInt.Type: try whole(try reader.unsigned()) as UInt
      case is String.Type: try readText()
      default: try Value(from: self)
      }
    guard let value = value as? Value else { throw PackedReader.Damaged() }
    return value
  }

  private func readText() throws -> String {
    guard try reader.flag() else { return try reader.text() }
    guard let text = text(try reader.signed()) else { throw PackedReader.Damaged() }
    return text
  }

  private func whole<Number: FixedWidthInteger>(_ number: some FixedWidthInteger) throws -> Number {
    guard let fitting = Number(exactly: number) else { throw PackedReader.Damaged() }
    return fitting
  }

  private func isPresent() throws -> Bool { try reader.flag() }

  private struct Fields<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: PackedDecoder
    var codingPath: [any CodingKey] { [] }
    var allKeys: [Key] { [] }

    func contains(_ key: Key) -> Bool { true }
    func decodeNil(forKey key: Key) throws -> Bool { try !decoder.isPresent() }
    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
      try decoder.read(type)
    }
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
      try decoder.isPresent() ? try decoder.read(type) : nil
    }
    func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type, forKey key: Key) throws
      -> KeyedDecodingContainer<Nested>
    { throw PackedReader.Damaged() }
    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
      throw PackedReader.Damaged()
    }
    func superDecoder() throws -> any Decoder { throw PackedReader.Damaged() }
    func superDecoder(forKey key: Key) throws -> any Decoder { throw PackedReader.Damaged() }
  }

  /// A mark precedes each element, and another follows the last.
  private struct Elements: UnkeyedDecodingContainer {
    let decoder: PackedDecoder
    var codingPath: [any CodingKey] { [] }
    var count: Int? { nil }
    var currentIndex = 0
    var isAtEnd: Bool

    init(decoder: PackedDecoder) throws {
      self.decoder = decoder
      isAtEnd = try !decoder.isPresent()
    }

    mutating func decodeNil() -> Bool { false }
    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
      guard !isAtEnd else { throw PackedReader.Damaged() }
      let value = try decoder.read(type)
      currentIndex += 1
      isAtEnd = try !decoder.isPresent()
      return value
    }
    mutating func nestedContainer<Nested: CodingKey>(keyedBy type: Nested.Type) throws
      -> KeyedDecodingContainer<Nested>
    { throw PackedReader.Damaged() }
    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
      throw PackedReader.Damaged()
    }
    mutating func superDecoder() throws -> any Decoder { throw PackedReader.Damaged() }
  }

  private struct Single: SingleValueDecodingContainer {
    let decoder: PackedDecoder
    var codingPath: [any CodingKey] { [] }

    func decodeNil() -> Bool { false }
    func decode<Value: Decodable>(_ type: Value.Type) throws -> Value { try decoder.read(type) }
  }
}
