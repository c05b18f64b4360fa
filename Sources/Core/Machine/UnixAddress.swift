import Glibc

/// The address of a socket in the file system, or in the abstract namespace if the path begins with `@`.
///
/// - Returns: what `body` returns; nil for a path that is empty or too long.
package func withUnixAddress<Result>(
  _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) -> Result? {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  let bytes = Array(path.utf8)
  let room = MemoryLayout.size(ofValue: address.sun_path)
  guard !bytes.isEmpty, bytes.count < room else { return nil }
  unsafe withUnsafeMutableBytes(of: &address.sun_path) { field in
    for (index, byte) in bytes.enumerated() { unsafe field[index] = byte }
    if bytes[0] == UInt8(ascii: "@") { unsafe field[0] = 0 }
  }
  // The name in the abstract namespace is all of the given length; a path ends with its zero.
  let length = MemoryLayout<sa_family_t>.size + bytes.count + (bytes[0] == UInt8(ascii: "@") ? 0 : 1)
  return unsafe withUnsafePointer(to: &address) { pointer in
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0, socklen_t(length)) }
  }
}
