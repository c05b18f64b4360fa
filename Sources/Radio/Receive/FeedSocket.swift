import CBlueZ
import Machine
import Glibc

/// A socket over which another process sends advertisements, in place of an adapter's own, for measuring without an adapter.
enum FeedSocket {
  /// Takes a descriptor over.
  /// - Throws: for what is not a connected socket of type SOCK_SEQPACKET; any other has no end or loses the bounds of what was
  ///   sent.
  static func take(_ number: Int32) throws(SystemError) -> HCISocket {
    var type: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    try systemCall("descriptor \(number)") { unsafe getsockopt(number, SOL_SOCKET, SO_TYPE, &type, &length) }
    guard type == Int32(SOCK_SEQPACKET.rawValue) else {
      throw SystemError(call: "descriptor \(number)", code: EPROTOTYPE)
    }
    var peer = sockaddr()
    length = socklen_t(MemoryLayout<sockaddr>.size)
    try systemCall("descriptor \(number)") { unsafe getpeername(number, &peer, &length) }
    return HCISocket(FileDescriptor(number))
  }
}
