import Glibc

/// Questions about TCP ports of 127.0.0.1.
enum LoopbackPort {
  /// Whether the port is free for us to listen on.
  static func isFree(_ port: Int) -> Bool { bound(port) != nil }

  static func anyFree() -> Int? { bound(0) }

  /// Whether a program accepts connections there.
  static func isAnswering(_ port: Int) -> Bool {
    withSocket(port) { descriptor, address, length in connect(descriptor, address, length) == 0 ? port : nil }
      != nil
  }

  private static func bound(_ port: Int) -> Int? {
    withSocket(port) { descriptor, address, length in
      var length = length
      var yes: Int32 = 1
      // As mosquitto does: lingering connections of an earlier broker do not occupy the port.
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
      guard bind(descriptor, address, length) == 0, listen(descriptor, 1) == 0,
        getsockname(descriptor, address, &length) == 0
      else { return nil }
      return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
        Int(UInt16(bigEndian: $0.pointee.sin_port))
      }
    }
  }

  private static func withSocket(
    _ port: Int, _ body: (Int32, UnsafeMutablePointer<sockaddr>, socklen_t) -> Int?
  ) -> Int? {
    guard let number = UInt16(exactly: port) else { return nil }
    let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
    let descriptor = socket(AF_INET, kind, 0)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = number.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
  }
}
