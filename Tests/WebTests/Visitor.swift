import Configuration
import Glibc
import Testing

@testable import Web

/// A client with a bare socket, because a hostile one sends what no HTTP library would.
final class Visitor {
  private let descriptor: Int32

  init(port: Int) throws {
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard result == 0 else { throw CannotConnect(code: errno) }
    setTimeout(120)
  }

  struct CannotConnect: Error { let code: Int32 }

  deinit { Glibc.close(descriptor) }

  private func setTimeout(_ seconds: Int) {
    var time = timeval(tv_sec: seconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  /// Whether all of it could be sent.
  @discardableResult
  func send(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return false }
      sent += count
    }
    return true
  }

  /// Nothing more is sent; what is answered can still be received.
  func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

  /// Whether something comes within so many milliseconds, an answer or the end of the connection.
  func isAnswered(within milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, milliseconds) > 0
  }

  /// What comes next; empty at the end of the connection, nil if nothing comes.
  func receive() -> String? {
    var bytes = [UInt8](repeating: 0, count: 65536)
    let count = recv(descriptor, &bytes, bytes.count, 0)
    guard count >= 0 || errno == ECONNRESET else { return nil }
    return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
  }

  /// Everything until the server closes the connection; nil if it does not.
  func receiveAll() -> String? {
    var all = ""
    while let part = receive() {
      if part.isEmpty { return all }
      all += part
    }
    return nil
  }

  /// Everything until a text comes; nil if it does not.
  func receive(until text: String) -> String? {
    var all = ""
    while !all.contains(text) {
      guard let part = receive(), !part.isEmpty else { return nil }
      all += part
    }
    return all
  }
}

/// Says what was asked, streams numbers, and takes its time over `slow`.
struct EchoContent: Content {
  func isPublic(_ path: [String]) -> Bool { path == ["public"] || isPage(path) }
  func isPage(_ path: [String]) -> Bool { path == ["page"] }

  func answer(_ request: Request, rights: Rights) -> Answer {
    switch request.path.first {
    case "stream": .stream { Counter(padding: Int(request.query["padding"] ?? "0") ?? 0) }
    case "attempt":
      .attempt { isAwaited in
        while isAwaited(), request.query["endless"] != nil { usleep(1000) }
        return Response(Array("attempted".utf8))
      }
    case "slow":
      .later {
        usleep(50_000)
        return Response(Array("slow".utf8))
      }
    default:
      .now(
        Response(
          Array(
            "\(request.method.rawValue) \(request.path) \(request.query.count) \(request.body.count) write: \(rights.write)"
              .utf8)))
    }
  }

  final class Counter: EventSource {
    private var number = 0
    private let padding: String
    init(padding: Int) { self.padding = String(repeating: "x", count: padding) }
    func next() -> [UInt8] {
      number += 1
      return Array("data: \(number)\(padding)\n\n".utf8)
    }
  }
}

/// A server on a free port, for the length of a test.
func withServer(
  _ settings: HTTPSettings = HTTPSettings(port: 0), _ body: (HTTPServer) async throws -> Void
) async throws {
  let server = try await HTTPServer.open(settings, machine: "pi", content: EchoContent())
  do { try await body(server) } catch {
    await server.close()
    throw error
  }
  await server.close()
}
