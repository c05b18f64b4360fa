import Foundation
import TestSupport
import Testing

@testable import Configuration
@testable import Web

/// The client against the real server.
struct HTTPClientTests {
  private func withClient(
    _ address: HTTPAddress, password: String? = nil, trust: HTTPClient.Trust = .system,
    _ body: (HTTPClient) async throws -> Void
  ) async throws {
    let client = try HTTPClient(address, password: password, trust: trust)
    do { try await body(client) } catch {
      await client.close()
      throw error
    }
    await client.close()
  }

  private func status(
    _ address: HTTPAddress, password: String? = nil, trust: HTTPClient.Trust = .system
  ) async throws -> Int {
    var status = 0
    try await withClient(address, password: password, trust: trust) { status = try await $0.get("a").status }
    return status
  }

  @Test func `an answer comes with its status`() async throws {
    try await withServer { server in
      try await withClient(HTTPAddress(host: "localhost", port: server.port, path: "/a/")) { client in
        let reply = try await client.get("b")
        #expect(reply.status == 200)
        #expect(String(decoding: reply.body, as: UTF8.self).hasPrefix("GET [\"a\", \"b\"] 0 0"))
      }
    }
  }

  @Test func `a password of any characters lets in, a wrong one does not`() async throws {
    let settings = HTTPSettings(port: 0, readPassword: Secret("pass: wörd \""))
    try await withServer(settings) { server in
      let address = HTTPAddress(host: "127.0.0.1", port: server.port)
      let right = try await status(address, password: "pass: wörd \"")
      let (wrong, none) = (try await status(address, password: "other"), try await status(address))
      #expect(right == 200)
      #expect(wrong == 401)
      #expect(none == 401)
    }
  }

  @Test func `events come one by one until they are not wanted any more`() async throws {
    try await withServer { server in
      try await withClient(HTTPAddress(host: "127.0.0.1", port: server.port)) { client in
        var seen: [Int] = []
        for try await event in try await client.events("stream") {
          #expect(event.name == "message")
          seen.append(try #require(Int(String(decoding: event.data, as: UTF8.self))))
          if seen.count == 3 { break }
        }
        // A slow reader misses the oldest.
        #expect(seen == seen.sorted() && Set(seen).count == 3)
      }
    }
  }

  @Test func `a stream that ends says so`() async throws {
    let server = try await HTTPServer.open(HTTPSettings(port: 0), machine: "pi", content: EchoContent())
    try await withClient(HTTPAddress(host: "127.0.0.1", port: server.port)) { client in
      let events = try await client.events("stream")
      var count = 0
      await #expect(throws: HTTPClient.Failure.self) {
        for try await _ in events {
          count += 1
          if count == 1 { await server.close() }
        }
      }
      #expect(count > 0)
    }
  }

  @Test func `a port where nothing listens is told in plain words`() async throws {
    var port = 0
    try await withServer { port = $0.port }
    try await withClient(HTTPAddress(host: "127.0.0.1", port: port)) { client in
      let failure = await #expect(throws: HTTPClient.Failure.self) { try await client.get("a") }
      #expect(failure == .init(kind: .unreachable, description: "nothing listens there"))
    }
  }

  @Test func `a name that nobody knows is told`() async throws {
    try await withClient(HTTPAddress(host: "gate.invalid", port: 80)) { client in
      let failure = await #expect(throws: HTTPClient.Failure.self) { try await client.get("a") }
      #expect(failure == .init(kind: .unreachable, description: "the name gate.invalid is not known"))
    }
  }

  @Test(arguments: ["SSH-2.0-OpenSSH_9.2\r\n", "", "HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\n"])
  func `what does not speak HTTP is told`(greeting: String) async throws {
    let stranger = try Stranger(greeting)
    try await withClient(HTTPAddress(host: "127.0.0.1", port: stranger.port)) { client in
      let failure = await #expect(throws: HTTPClient.Failure.self) { try await client.get("a") }
      #expect(failure?.kind == .notHTTP || failure?.kind == .unreachable, "\(failure as Any)")
    }
  }

  @Test func `an answer without end is cut off`() async throws {
    let stranger = try Stranger("HTTP/1.1 200 OK\r\n\r\n", endless: true)
    try await withClient(HTTPAddress(host: "127.0.0.1", port: stranger.port)) { client in
      let failure = await #expect(throws: HTTPClient.Failure.self) { try await client.get("a") }
      #expect(failure?.kind == .tooLarge)
      let events = try await client.events("a")
      await #expect(throws: HTTPClient.Failure.self) { for try await _ in events {} }
    }
  }

  @Test func `an encrypted server is trusted by its authority or by its certificate, and by nothing else`()
    async throws
  {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("server-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (cert, key) = (folder.path + "/cert.pem", folder.path + "/key.pem")
    try await run(
      [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=gate", "-addext",
        "subjectAltName=DNS:localhost",
      ], in: folder)
    let settings = HTTPSettings(port: 0, tls: .init(certFile: cert, keyFile: key))
    try await withServer(settings) { server in
      let named = HTTPAddress(isTLS: true, host: "localhost", port: server.port)
      let numbered = HTTPAddress(isTLS: true, host: "127.0.0.1", port: server.port)
      try await withClient(named, trust: .authorities(cert)) { client in
        let status = try await client.get("a").status
        #expect(status == 200)
        var count = 0
        for try await _ in try await client.events("stream?padding=40000") {
          count += 1
          if count == 3 { break }
        }
      }
      let own = try await status(numbered, trust: .certificates(cert))
      #expect(own == 200)
      for (address, trust) in [(numbered, HTTPClient.Trust.authorities(cert)), (named, .system)] {
        try await withClient(address, trust: trust) { client in
          let failure = await #expect(throws: HTTPClient.Failure.self) { try await client.get("a") }
          #expect(failure?.kind == .notTrusted, "\(failure as Any)")
        }
      }
      // In the clear where TLS is spoken, and the other way round.
      try await withClient(HTTPAddress(host: "localhost", port: server.port)) { client in
        await #expect(throws: HTTPClient.Failure.self) { try await client.get("a") }
      }
    }
    try await withServer { server in
      let address = HTTPAddress(isTLS: true, host: "localhost", port: server.port)
      try await withClient(address) { client in
        let failure = await #expect(throws: HTTPClient.Failure.self) { try await client.get("a") }
        #expect(failure?.kind == .notEncrypted, "\(failure as Any)")
      }
    }
  }
}
