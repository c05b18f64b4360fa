import CRabbitMQ

/// An argument of a queue.
package struct Argument: Hashable, Sendable {
  package enum Value: Hashable, Sendable {
    case text(String)
    case number(Int64)
    case flag(Bool)
  }

  package var name: String
  package var value: Value

  package init(_ name: String, _ value: Value) {
    self.name = name
    self.value = value
  }
}

/// Arguments in the library's form. Their memory lives as long as this does.
final class Table {
  private var entries: UnsafeMutableBufferPointer<amqp_table_entry_t>
  private var texts: [UnsafeMutableBufferPointer<UInt8>] = []

  init(_ arguments: [Argument]) {
    entries = .allocate(capacity: arguments.count)
    for (place, argument) in arguments.enumerated() {
      var entry = amqp_table_entry_t()
      entry.key = copy(argument.name)
      switch argument.value {
      case .text(let text):
        entry.value.kind = UInt8(AMQP_FIELD_KIND_UTF8.rawValue)
        entry.value.value.bytes = copy(text)
      case .number(let number):
        entry.value.kind = UInt8(AMQP_FIELD_KIND_I64.rawValue)
        entry.value.value.i64 = number
      case .flag(let flag):
        entry.value.kind = UInt8(AMQP_FIELD_KIND_BOOLEAN.rawValue)
        entry.value.value.boolean = flag ? 1 : 0
      }
      entries.initializeElement(at: place, to: entry)
    }
  }

  deinit {
    for text in texts { text.deallocate() }
    entries.deallocate()
  }

  var table: amqp_table_t {
    amqp_table_t(num_entries: Int32(entries.count), entries: entries.baseAddress)
  }

  private func copy(_ text: String) -> amqp_bytes_t {
    let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.utf8.count)
    _ = bytes.initialize(fromContentsOf: text.utf8)
    texts.append(bytes)
    return amqp_bytes_t(len: bytes.count, bytes: bytes.baseAddress)
  }
}
