import Testing

@testable import Web

struct EventReaderTests {
  private static let stream =
    "\u{FEFF}: hello\n\nevent: overview\ndata: {\"a\":1}\nid: 7\n\nevent: x\r\ndata:1\r\ndata: 2\r\n\r\ndata\r\rdata: last\n"
    .replacing("\u{FEFF}", with: "")

  @Test(arguments: 1..<20) func `events are the same in pieces of every size`(size: Int) throws {
    var reader = EventReader(limit: 1000)
    var events: [EventReader.Event] = []
    let bytes = Array(Self.stream.utf8)
    for start in stride(from: 0, to: bytes.count, by: size) {
      events += try reader.read(bytes[start..<min(start + size, bytes.count)])
    }
    #expect(
      events == [
        .init(name: "overview", data: Array("{\"a\":1}".utf8)), .init(name: "x", data: Array("1\n2".utf8)),
        .init(name: "message", data: []),
      ])
  }

  @Test(arguments: [String(repeating: "x", count: 101), String(repeating: "data: 12345\n", count: 20)])
  func `an event without end is refused`(text: String) {
    var reader = EventReader(limit: 100)
    #expect(throws: EventReader.TooLarge.self) { try reader.read(text.utf8) }
  }
}

struct HTTPAddressTests {
  @Test(arguments: [
    ("http://gate.lan", "http://gate.lan:8099/"), ("gate.lan:80", "http://gate.lan:80/"),
    ("HTTPS://gate.lan/a/b", "https://gate.lan:443/a/b/"), ("http://[::1]:81/", "http://[::1]:81/"),
    ("192.168.0.4", "http://192.168.0.4:8099/"),
  ])
  func `URLs are read`(text: String, address: String) throws {
    #expect(try HTTPAddress(text, usualPort: 8099).description == address)
  }

  @Test(arguments: [
    "", "http://", "ftp://a", "http://a:0", "http://a:x", "http://a:70000", "http://u:p@a", "http://a/?q=1",
    "http://[::1",
    "http://a b", "http://a\r\nX: y/", "http://[::1]x", "http://a/\u{1B}[2J", "mqtt://a",
  ])
  func `other texts are refused`(text: String) {
    #expect(throws: HTTPAddress.Malformed.self) { try HTTPAddress(text, usualPort: 8099) }
  }
}
