import Foundation
import Glibc
import Synchronization

/// Binds to a port of 127.0.0.1, or to one that is free, and returns it.
package func bindLoopback(_ descriptor: Int32, port: Int = 0) throws -> Int {
  var address = loopback(port)
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let isBound = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
    }
  }
  guard isBound else { throw Trouble(port == 0 ? "no free port" : "port \(port) is taken") }
  return Int(UInt16(bigEndian: address.sin_port))
}

private func loopback(_ port: Int) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = UInt16(port).bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  return address
}

/// Two tests that ran at the same time with one port would talk to one broker: the second mosquitto ends, and the first answers.
private let givenOut = Mutex<Set<Int>>([])

/// A port on which nothing listens now, of those that the kernel does not lend to the connections of other tests.
/// It is given out once only.
package func freePort() throws -> Int {
  for _ in 0..<100 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    if let port = try? bindLoopback(descriptor, port: .random(in: 10_000..<32_768)),
      givenOut.withLock({ $0.insert(port).inserted })
    {
      return port
    }
  }
  throw Trouble("no free port")
}

package func isListening(_ port: Int) -> Bool {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var address = loopback(port)
  return withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }
}
