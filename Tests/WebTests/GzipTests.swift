import Configuration
import Foundation
import TestSupport
import Testing

@testable import Web

/// Compressed answers, as curl reads them.
struct GzipTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "gzip-\(UUID())")

  /// An answer as it is meant, with its head.
  private func fetch(_ path: String, _ port: Int, _ options: String...) async throws -> (
    head: String, body: String
  ) {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (head, body) = (folder.appending(path: "head").path(), folder.appending(path: "body").path())
    let curl = try Child(
      ["curl", "-s", "-N", "-D", head, "-o", body] + options + ["http://127.0.0.1:\(port)\(path)"])
    _ = try await curl.end()
    return (
      try String(contentsOfFile: head, encoding: .utf8).lowercased(),
      try String(contentsOfFile: body, encoding: .utf8)
    )
  }

  private let long = "/" + String(repeating: "abcdefgh", count: 400)

  @Test func `who accepts gzip gets it, and reads the same`() async throws {
    try await withServer { server in
      let plain = try await fetch(long, server.port)
      let packed = try await fetch(long, server.port, "--compressed")
      #expect(!plain.head.contains("content-encoding"))
      #expect(packed.head.contains("content-encoding: gzip") && packed.head.contains("vary: accept-encoding"))
      #expect(packed.body == plain.body && plain.body.contains("abcdefgh"))
    }
  }

  @Test(arguments: ["identity", "gzip;q=0", "br, GZIP ; q=0.0", ""])
  func `who does not accept it gets it as it is`(accepted: String) async throws {
    try await withServer { server in
      let (head, body) = try await fetch(long, server.port, "-H", "Accept-Encoding: \(accepted)")
      #expect(!head.contains("content-encoding") && body.contains("abcdefgh"))
    }
  }

  @Test func `a short answer stays as it is`() async throws {
    try await withServer { server in
      let (head, _) = try await fetch("/a", server.port, "--compressed")
      #expect(!head.contains("content-encoding"))
    }
  }

  /// curl ends after a second, in the middle of the stream, and has read whole events until then.
  @Test func `each event of a stream can be read when it comes`() async throws {
    try await withServer { server in
      let (head, body) = try await fetch(
        "/stream?padding=2000", server.port, "--compressed", "--max-time", "2")
      #expect(head.contains("content-encoding: gzip"))
      #expect(body.hasPrefix("data: 1xxx") && body.hasSuffix("x\n\n"))
    }
  }

  @Test
  func
    `what is larger than expected comes in pieces, and what cannot be compressed does not grow without bound`()
    throws
  {
    var random = SystemRandomNumberGenerator()
    let noise = (0..<300_000).map { _ in UInt8.random(in: 0...255, using: &random) }
    let gzip = try #require(Gzip())
    let packed =
      gzip.compress(Array(noise[..<200_000])) + gzip.compress(Array(noise[200_000...]), isLast: true)
    #expect(packed.count < noise.count * 101 / 100)
    #expect(gzip.compress([], isLast: true).isEmpty)
  }
}
