import Foundation
import Glibc

/// Accepts connections and is no broker: gives everybody the same answer and hangs up, or says nothing at all.
final class Listener: Server {
  let port: Int
  private let descriptor: Int32
  private let isSilent: Bool

  init(answer: String?) throws {
    isSilent = answer == nil
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    port = try bindLoopback(descriptor)
    listen(descriptor, 8)
    guard let answer else { return }
    let descriptor = descriptor
    Thread.detachNewThread {
      while true {
        let peer = accept(descriptor, nil, nil)
        if peer < 0 {
          close(descriptor)
          return
        }
        _ = send(peer, answer, answer.utf8.count, Int32(MSG_NOSIGNAL))
        shutdown(peer, Int32(SHUT_WR))
        usleep(100_000)
        close(peer)
      }
    }
  }

  deinit {
    shutdown(descriptor, Int32(SHUT_RDWR))
    // The thread closes what it accepts on: the number must not become another socket's meanwhile.
    if isSilent { close(descriptor) }
  }
}

/// Binds to a free port of 127.0.0.1 and returns it.
private func bindLoopback(_ descriptor: Int32) throws -> Int {
  var address = loopback(0)
  var length = socklen_t(MemoryLayout<sockaddr_in>.size)
  let isBound = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
    }
  }
  guard isBound else { throw Trouble("no free port") }
  return Int(UInt16(bigEndian: address.sin_port))
}

private func loopback(_ port: Int) -> sockaddr_in {
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = UInt16(port).bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  return address
}

/// A port on which nothing listens now.
func freePort() throws -> Int {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  return try bindLoopback(descriptor)
}

func isListening(_ port: Int) -> Bool {
  let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
  defer { close(descriptor) }
  var address = loopback(port)
  return withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
    }
  }
}
