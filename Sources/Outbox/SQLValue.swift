import CSQLite

/// A value in SQLite. Any column may hold any type: readers ask for the type they need, and get nil for another.
enum SQLValue {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob([UInt8])

  var isNull: Bool { if case .null = self { true } else { false } }

  var int64: Int64? {
    switch self {
    case .integer(let number): number
    case .real(let number): Int64(exactly: number)
    default: nil
    }
  }

  var double: Double? {
    switch self {
    case .integer(let number): Double(number)
    case .real(let number): number
    default: nil
    }
  }

  var string: String? { if case .text(let text) = self { text } else { nil } }

  var bytes: [UInt8]? {
    switch self {
    case .text(let text): Array(text.utf8)
    case .blob(let bytes): bytes
    default: nil
    }
  }
}

extension SQLValue {
  /// A column of a statement's present row.
  init(_ statement: OpaquePointer, column: Int32) {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: self = .integer(sqlite3_column_int64(statement, column))
    case SQLITE_FLOAT: self = .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      // The pointer first, because asking for it may change the length.
      let text = sqlite3_column_text(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      self = .text(String(decoding: UnsafeBufferPointer(start: text, count: count), as: UTF8.self))
    case SQLITE_BLOB:
      let bytes = sqlite3_column_blob(statement, column)
      let count = Int(sqlite3_column_bytes(statement, column))
      self = .blob(Array(UnsafeRawBufferPointer(start: bytes, count: count)))
    default: self = .null
    }
  }

  /// Binds it to a statement; returns SQLite's result code.
  func bind(to statement: OpaquePointer, at place: Int32) -> Int32 {
    switch self {
    case .null: return sqlite3_bind_null(statement, place)
    case .integer(let number): return sqlite3_bind_int64(statement, place, number)
    case .real(let number): return sqlite3_bind_double(statement, place, number)
    case .text(let text):
      guard let count = Int32(exactly: text.utf8.count) else { return SQLITE_TOOBIG }
      return beaconkeeper_bind_text(statement, place, text, count)
    case .blob(let bytes):
      guard let count = Int32(exactly: bytes.count) else { return SQLITE_TOOBIG }
      return beaconkeeper_bind_blob(statement, place, bytes, count)
    }
  }
}

/// A row that was read.
struct SQLRow {
  let names: [String]
  let values: [SQLValue]

  /// NULL for an unknown column.
  subscript(name: String) -> SQLValue { names.firstIndex(of: name).map { values[$0] } ?? .null }
}
