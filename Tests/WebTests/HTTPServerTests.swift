import Configuration
import Glibc
import Synchronization
import Testing

@testable import Web

/// The server on a real socket, with clients that mean well and clients that do not.
struct HTTPServerTests {
  private static let get = "GET /a HTTP/1.1\r\nHost: localhost\r\n\r\n"

  @Test func `a request is answered, and the connection serves the next`() async throws {
    try await withServer { server in
      let visitor = try Visitor(port: server.port)
      visitor.send(Self.get)
      let first = try #require(visitor.receive(until: "write: false"))
      #expect(first.hasPrefix("HTTP/1.1 200 OK\r\n"))
      #expect(first.contains("Content-Security-Policy: default-src 'none'"))
      #expect(first.contains("Cache-Control: no-store"))
      visitor.send(
        "POST /b?x=1 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
      )
      let second = try #require(visitor.receive(until: "write: false"))
      #expect(second.contains("POST [\"b\"] 1 2"))
    }
  }

  @Test func `requests that come at once are answered in order`() async throws {
    try await withServer { server in
      let visitor = try Visitor(port: server.port)
      visitor.send(
        "GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\nGET /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
      )
      let all = try #require(visitor.receiveAll())
      let slow = try #require(all.firstRange(of: "slow"))
      let quick = try #require(all.firstRange(of: "GET [\"a\"]"))
      #expect(slow.lowerBound < quick.lowerBound)
    }
  }

  @Test(arguments: [
    ("GET /a HTTP/1.1\r\nHost: evil.example\r\n\r\n", "421"),
    ("GET /a HTTP/1.1\r\n\r\n", "421"),
    // The page itself tells why it gets no data.
    ("GET /page HTTP/1.1\r\nHost: evil.example\r\n\r\n", "200"),
    ("POST /page HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0\r\n\r\n", "421"),
    ("GET /public HTTP/1.1\r\nHost: evil.example\r\n\r\n", "421"),
    ("GET /../a HTTP/1.1\r\nHost: localhost\r\n\r\n", "400"),
    ("DELETE /a HTTP/1.1\r\nHost: localhost\r\n\r\n", "405"),
    ("OPTIONS /a HTTP/1.1\r\nHost: localhost\r\nOrigin: http://localhost\r\n\r\n", "405"),
    ("POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n", "415"),
    (
      "POST /a HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.example\r\nContent-Length: 0\r\n\r\n", "403"
    ),
    ("nonsense\r\n\r\n", "400"),
    ("GET /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n", "400"),
    ("GET /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n", "400"),
  ])
  func `what is not right is refused with a status that says why`(request: String, status: String)
    async throws
  {
    try await withServer { server in
      let visitor = try Visitor(port: server.port)
      visitor.send(request)
      let answer = try #require(visitor.receive(until: "\r\n\r\n"))
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
      #expect(!answer.contains("Access-Control"))
    }
  }

  @Test func `headers without end are cut off after a few kilobytes`() async throws {
    try await withServer { server in
      let visitor = try Visitor(port: server.port)
      visitor.send("GET /a HTTP/1.1\r\nHost: localhost\r\n")
      let line = "X: " + String(repeating: "a", count: 1000) + "\r\n"
      var sent = 0
      // A gigabyte, if nobody minds.
      while sent < 1 << 30, visitor.send(line) { sent += line.utf8.count }
      #expect(sent < 8 << 20)
      let visitor2 = try Visitor(port: server.port)
      visitor2.send(Self.get)
      #expect(visitor2.receive(until: "write: false") != nil)
    }
  }

  @Test func `a body over 192 kB is refused`() async throws {
    try await withServer { server in
      let visitor = try Visitor(port: server.port)
      visitor.send(
        "POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 200000\r\n\r\n"
      )
      visitor.send(String(repeating: " ", count: 200000))
      #expect(visitor.receive(until: "\r\n\r\n")?.hasPrefix("HTTP/1.1 413 ") == true)
    }
  }

  @Test(arguments: [
    "2;" + String(repeating: "a", count: 4_000_000) + "\r\n{}\r\n",
    String(repeating: "1;" + String(repeating: "a", count: 1000) + "\r\n \r\n", count: 4000),
  ])
  func `chunks with long extensions are refused`(chunks: String) async throws {
    try await withServer { server in
      let visitor = try Visitor(port: server.port)
      visitor.send(
        "POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
      )
      visitor.send(chunks + "0\r\n\r\n")
      let answer = visitor.receiveAll()
      #expect(answer?.contains("200") == false && answer?.contains(" 413 ") != false, "\(answer ?? "")")
    }
  }

  @Test func `a body in chunks of one octet is read`() async throws {
    try await withServer { server in
      let visitor = try Visitor(port: server.port)
      visitor.send(
        "POST /a HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
      )
      visitor.send(String(repeating: "1\r\n \r\n", count: 60_000) + "0\r\n\r\n")
      #expect(visitor.receive(until: "write: false")?.contains("60000") == true)
    }
  }

  @Test func `who sends a header a second is cut off after ten seconds`() async throws {
    try await withServer { server in
      let visitor = try Visitor(port: server.port)
      visitor.send("GET /a HTTP/1.1\r\nHost: localhost\r\n")
      for _ in 0..<120 where !visitor.isAnswered(within: 1000) { visitor.send("X: y\r\n") }
      #expect(visitor.receiveAll() != nil)
    }
  }

  @Test func `a thousand silent connections do not keep others out`() async throws {
    try await withServer { server in
      var silent: [Visitor] = []
      for _ in 0..<1000 {
        if let one = try? Visitor(port: server.port) { silent.append(one) }
      }
      let visitor = try Visitor(port: server.port)
      visitor.send(Self.get)
      #expect(visitor.receive(until: "write: false") != nil)
      #expect(silent.count > 100)
    }
  }

  @Test func `a stream goes on until the client leaves, ten times a second`() async throws {
    try await withServer { server in
      let visitor = try Visitor(port: server.port)
      visitor.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
      let text = try #require(visitor.receive(until: "data: 5\n\n"))
      #expect(text.contains("Content-Type: text/event-stream"))
    }
  }

  @Test func `a page that takes nothing costs the others nothing, and is dropped`() async throws {
    try await withServer { server in
      let stalled = try Visitor(port: server.port)
      stalled.send("GET /stream?padding=200000 HTTP/1.1\r\nHost: localhost\r\n\r\n")
      let other = try Visitor(port: server.port)
      other.send("GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(other.receive(until: "data: 150\n\n") != nil)
      // Its own buffers were full long ago: what it still gets ends before the other's number.
      let late = try #require(stalled.receiveAll())
      #expect(!late.contains("data: 150x"))
    }
  }

  @Test func `without a password nothing is shown but what is public, and a login gives a cookie`()
    async throws
  {
    let settings = HTTPSettings(
      port: 0, readPassword: Secret("look-here"), writePassword: Secret("change-it"))
    try await withServer(settings) { server in
      let visitor = try Visitor(port: server.port)
      visitor.send(Self.get)
      #expect(visitor.receive(until: "}")?.hasPrefix("HTTP/1.1 401 ") == true)
      visitor.send("GET /public HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(visitor.receive(until: "write: false") != nil)
      let body = #"{"password":"change-it"}"#
      visitor.send(
        "POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
      )
      let login = try #require(visitor.receive(until: "\r\n\r\n"))
      #expect(login.contains("HttpOnly; SameSite=Strict"))
      let cookie = try #require(login.split(separator: "Set-Cookie: ").last?.prefix { $0 != ";" })
      visitor.send("GET /a HTTP/1.1\r\nHost: localhost\r\nCookie: \(cookie)\r\n\r\n")
      #expect(visitor.receive(until: "write: true") != nil)
      visitor.send("GET /a HTTP/1.1\r\nHost: localhost\r\nCookie: \(cookie)x\r\n\r\n")
      #expect(visitor.receive(until: "}")?.hasPrefix("HTTP/1.1 401 ") == true)
    }
  }

  @Test func `eleven wrong passwords are too many, and the right one passes`() async throws {
    try await withServer(HTTPSettings(port: 0, readPassword: Secret("look-here"))) { server in
      let visitor = try Visitor(port: server.port)
      func status(_ password: String) -> Substring? {
        visitor.send("GET /a HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer \(password)\r\n\r\n")
        return visitor.receive(until: password == "wrong" ? "}" : "write: false")?.dropFirst(
          "HTTP/1.1 ".count
        ).prefix(3)
      }
      var (minute, statuses): (Int, [Substring?])
      repeat {
        minute = self.minute
        statuses = (0..<11).map { _ in status("wrong") } + [status("look-here")]
        // The server forgets them with the minute.
      } while minute != self.minute
      #expect(statuses == [Substring?](repeating: "401", count: 10) + ["429", "200"])
    }
  }

  @Test func `who tries a wrong password is told to the operator, without the password`() async throws {
    let told = Mutex<[String]>([])
    let server = try await HTTPServer.open(
      HTTPSettings(port: 0, readPassword: Secret("look-here")), machine: "pi", content: EchoContent(),
      onWrongPassword: { news in told.withLock { $0.append(news) } })
    let visitor = try Visitor(port: server.port)
    visitor.send("GET /a HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer wrong\r\n\r\n")
    _ = visitor.receive(until: "}")
    await server.close()
    #expect(told.withLock(\.self) == ["a wrong password came from 127.0.0.1"])
  }

  @Test func `an attempt is in nobody's way, and ends with the client that waits for it`() async throws {
    try await withServer { server in
      var waiting: Visitor? = try Visitor(port: server.port)
      waiting?.send("GET /attempt?endless=1 HTTP/1.1\r\nHost: localhost\r\n\r\n")
      let other = try Visitor(port: server.port)
      other.send("GET /slow HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(other.receive(until: "slow") != nil)
      #expect(waiting?.isAnswered(within: 100) == false)
      other.send("GET /attempt HTTP/1.1\r\nHost: localhost\r\n\r\n")
      #expect(!other.isAnswered(within: 100), "one at a time")
      waiting = nil
      #expect(other.receive(until: "attempted") != nil)
    }
  }

  /// As the server counts them.
  private var minute: Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec / 60
  }

  @Test func `a server that is closed twice at once ends both calls`() async throws {
    try await withServer { server in
      async let first: Void = server.close()
      await server.close()
      await first
      #expect(throws: Visitor.CannotConnect.self) { try Visitor(port: server.port) }
    }
  }

  @Test func `a port that is taken is told in plain words`() async throws {
    try await withServer { server in
      await #expect {
        try await HTTPServer.open(HTTPSettings(port: server.port), machine: "pi", content: EchoContent())
      } throws: {
        "\($0)".contains("another program has this port")
      }
    }
  }
}
