import Testing

@testable import Web

struct RequestTargetTests {
  @Test func `segments are decoded one by one, so that an escaped slash stays in its name`() throws {
    let (path, query) = try #require(
      Request.split(target: "/api/v1/beacons/a%2Fb%20c/history?minutes=5&x=a+b"))
    #expect(path == ["api", "v1", "beacons", "a/b c", "history"])
    #expect(query == ["minutes": "5", "x": "a b"])
  }

  @Test(arguments: [
    "", "*", "http://x/", "/..", "/a/%2e%2e/b", "/%", "/%4", "/%zz", "/%ff", "/%00",
    "/" + String(repeating: "a", count: 5000),
  ])
  func `other forms, dots, bad escapes and long ones are refused`(target: String) {
    #expect(Request.split(target: target) == nil)
  }
}

/// A target that is let through names what it names: encoded again and split again it is the same.
struct HostileTargetTests {
  @Test func `any bytes are split or refused, and what is split stays the same`() {
    var random = SystemRandomNumberGenerator()
    let pieces = [
      "/", "%", "%2", "%2F", "%00", "..", ".", "a", "?", "&", "=", "+", "%C3%A9", "%ff", "é", " ", "//", "#",
    ]
    for _ in 0..<20_000 {
      let target =
        "/" + (0..<Int.random(in: 0...12, using: &random)).map { _ in pieces.randomElement()! }.joined()
      guard let (path, _) = Request.split(target: target) else { continue }
      let encoded = path.map { segment in
        segment.utf8.map { "%" + (String($0 >> 4, radix: 16) + String($0 & 15, radix: 16)) }.joined()
      }
      #expect(Request.split(target: "/" + encoded.joined(separator: "/"))?.path == path, "\(target)")
      #expect(!path.contains("..") && !path.contains("."))
    }
  }
}
