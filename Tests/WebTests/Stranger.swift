import Foundation

/// A program that listens and says something that is no answer of a gateway.
final class Stranger: Sendable {
  let port: Int
  private let descriptor: Int32

  /// - Parameter endless: says x until nobody listens.
  init(_ greeting: String, endless: Bool = false) throws {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = bind(descriptor, $0, length)
        _ = getsockname(descriptor, $0, &length)
      }
    }
    listen(descriptor, 4)
    port = Int(in_port_t(bigEndian: address.sin_port))
    self.descriptor = descriptor
    Thread.detachNewThread {
      while true {
        let visitor = accept(descriptor, nil, nil)
        guard visitor >= 0 else { return }
        let bytes = Array(greeting.utf8)
        _ = bytes.withUnsafeBytes { send(visitor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
        let more = [UInt8](repeating: 0x78, count: 1 << 16)
        while endless,
          more.withUnsafeBytes({ send(visitor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }) > 0
        {}
        close(visitor)
      }
    }
  }

  deinit {
    shutdown(descriptor, Int32(SHUT_RDWR))
    close(descriptor)
  }
}
