import Core
import Foundation
import Glibc

/// What a service manager hears, on a real socket.
final class NotifySocket {
  let path = FileManager.default.temporaryDirectory.appendingPathComponent(
    "\(UUID().uuidString.prefix(8)).notify"
  ).path
  private let socket: Int32

  init() throws {
    socket = Glibc.socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
    let bound = withUnixAddress(path) { bind(socket, $0, $1) }
    if bound != 0 { throw SystemError(call: "bind", code: errno) }
  }

  deinit {
    close(socket)
    unlink(path)
  }

  /// The lines of the datagrams that have come since the last call.
  func lines() -> [String] {
    var lines: [String] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 12)
    while case let count = recv(socket, &buffer, buffer.count, 0), count > 0 {
      lines += String(decoding: buffer.prefix(count), as: UTF8.self).split(separator: "\n").map(String.init)
    }
    return lines
  }
}
