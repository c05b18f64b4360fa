import Foundation
import Glibc
import TestSupport

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
        // To close with something unread would take the answer back.
        var octet: UInt8 = 0
        while recv(peer, &octet, 1, 0) > 0 {}
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
