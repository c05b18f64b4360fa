import Configuration
import Testing

@testable import Web

/// Requests in forms that HTTP allows and browsers never send.
struct UnusualClientsTests {
  private func visit(_ body: (Visitor) throws -> Void) async throws {
    try await withServer { server in try body(Visitor(port: server.port)) }
  }

  @Test func `a client that has sent all it wants gets its answer`() async throws {
    try await visit { client in
      client.send("GET /slow HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
      client.endSending()
      #expect(client.receiveAll()?.hasPrefix("HTTP/1.1 200") == true)
    }
  }

  @Test func `half a request is no request`() async throws {
    try await visit { client in
      client.send("GET /asked HTTP/1.1\r\nHost: 127.0")
      client.endSending()
      #expect(client.receiveAll()?.contains("200") == false)
    }
  }

  @Test func `a target may be a whole address, whose host counts`() async throws {
    try await visit { client in
      client.send("GET http://127.0.0.1:80/asked HTTP/1.1\r\nHost: evil.example\r\n\r\n")
      #expect(client.receive(until: "write: false")?.hasPrefix("HTTP/1.1 200") == true)
      client.send("GET http://evil.example/asked HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
      #expect(client.receive(until: "\r\n\r\n")?.hasPrefix("HTTP/1.1 421") == true)
    }
  }

  @Test func `a client that asks before it sends a body is told to go on`() async throws {
    try await visit { client in
      client.send(
        "POST /asked HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
      )
      #expect(client.receive(until: "\r\n\r\n")?.hasPrefix("HTTP/1.1 100") == true)
      client.send("{}")
      #expect(client.receive(until: "write: false")?.hasPrefix("HTTP/1.1 200") == true)
    }
  }

  @Test(arguments: [
    ("http://gate.lan", "gate.lan", "/"), ("HTTP://gate.lan:80/a?b", "gate.lan:80", "/a?b"),
    ("https://[::1]:1/", "[::1]:1", "/"), ("http://gate.lan?b", "gate.lan", "/?b"),
  ])
  func `host and path of an address`(target: String, host: String, path: String) throws {
    let found = try #require(Request.absolute(target: target))
    #expect(found == (host, path))
  }

  @Test(arguments: [
    "/asked", "http:///asked", "http://user@gate.lan/", "ftp://gate.lan/", "*", "gate.lan:80",
  ])
  func `what is no whole address`(target: String) { #expect(Request.absolute(target: target) == nil) }
}
