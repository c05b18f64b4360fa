import CSQLite

/// The text of an SQLite or file error.
package func words(_ error: any Error) -> String {
  if let error = error as? PrivateFileError { return error.reason }
  if error is OutboxFull { return "too many transitions wait for the broker, the file is full" }
  if error is OutboxRemoved { return "the file was removed or replaced; a restart begins a new one" }
  guard let error = error as? DatabaseError else { return "the file is damaged" }
  switch error.code {
  case SQLITE_FULL: return "the disk is full"
  case SQLITE_READONLY: return "the file is read-only"
  case SQLITE_CANTOPEN: return "the file cannot be opened or created"
  case SQLITE_BUSY: return "another process uses the file"
  case SQLITE_CORRUPT, SQLITE_NOTADB: return "the file is damaged"
  case SQLITE_IOERR: return "the medium reports an error"
  default: return error.message ?? "SQLite error \(error.code)"
  }
}
