import Configuration
import Synchronization
import Testing

@testable import Web

/// Clients that ask and never take.
struct UntakenAnswersTests {
  @Test func `requests wait until the client has taken the answer before`() async throws {
    let counter = Counting()
    let server = try await HTTPServer.open(HTTPSettings(port: 0), machine: "pi", content: counter)
    let visitor = try Visitor(port: server.port)
    // Each answer is larger than what sockets and the server hold.
    visitor.send(String(repeating: "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 100))
    let other = try Visitor(port: server.port)
    for _ in 0..<50 {
      other.send("GET /small HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(other.receive(until: "small") != nil)
    }
    #expect(counter.large.withLock { $0 } < 10)
    await server.close()
  }

  /// All from one address. Each is busy: its answer is larger than what sockets hold, and more requests wait behind it.
  @Test func `who takes no answers does not keep others out`() async throws {
    let server = try await HTTPServer.open(HTTPSettings(port: 0), machine: "pi", content: Counting())
    var idlers: [Visitor] = []
    for _ in 0..<120 {
      let idler = try Visitor(port: server.port)
      idler.send(String(repeating: "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 100))
      idlers.append(idler)
    }
    for _ in 0..<20 {
      let other = try Visitor(port: server.port)
      other.send("GET /small HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(other.receive(until: "small") != nil)
    }
    await server.close()
    #expect(idlers.count == 120)
  }

  private final class Counting: Content {
    let large = Mutex(0)

    func isPublic(_ path: [String]) -> Bool { true }
    func isPage(_ path: [String]) -> Bool { false }

    func answer(_ request: Request, rights: Rights) -> Answer {
      if request.path == ["small"] { return .now(Response(Array("small".utf8))) }
      large.withLock { $0 += 1 }
      return .now(Response([UInt8](repeating: 65, count: 4 << 20)))
    }
  }

  @Test func `a stream begins after answers that were slow to leave`() async throws {
    try await withServer { server in
      let visitor = try Visitor(port: server.port)
      visitor.send(String(repeating: "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n", count: 50))
      visitor.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(visitor.receive(until: "data: 12\n\n") != nil)
    }
  }
}
