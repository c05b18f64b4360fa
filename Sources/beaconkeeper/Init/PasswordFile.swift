import Glibc
import Machine

/// A file whose first line is a password.
struct PasswordFile {
  let path: String
  private static let limit = 1 << 16

  func read() throws(SystemError) -> String {
    let number = try systemCall("open") { open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY) }
    let bytes = try FileDescriptor(number).readToEnd(limit: Self.limit)
    // Editors add a line end, which is not part of the password.
    return String(String(decoding: bytes, as: UTF8.self).prefix { !$0.isNewline })
  }
}
