import Beacons
import Captures
import JSON
import Scenes
import Testing

@testable import Dashboard

struct MarkBookTests {
  private static let flat = """
    gateway: { name: home }
    receivers:
      - { name: a, position: [1 m, 1 m] }
    beacons:
      - { name: key, address: "C1:00:00:00:00:05" }
    rooms:
      - { name: kitchen, outline: [[0 m, 0 m], [3 m, 0 m], [3 m, 4 m], [0 m, 4 m]] }
      - { name: "Anna's, \\"own\\" room", outline: [[3 m, 0 m], [6 m, 0 m], [6 m, 4 m], [3 m, 4 m]] }
    """

  private func tree(_ text: String) throws -> JSONTree { try JSONTree(Array(text.utf8)) }

  @Test func `calibrate reads what was marked, with odd names and without points`() throws {
    let configuration = try Scene.configuration(Self.flat)
    var book = MarkBook()
    try book.add(
      tree(#"{"x":1.234,"y":2}"#), configuration, at: WallTime(nanoseconds: 1_795_211_400_000_000_000))
    try book.add(
      tree(#"{"x":4,"y":2,"floor":null}"#), configuration,
      at: WallTime(nanoseconds: 1_795_211_401_000_000_000))
    try book.add(
      tree(#"{"room":"kitchen"}"#), configuration, at: WallTime(nanoseconds: 1_795_211_402_000_000_000))
    let marks = try RecordingMarks(Array(book.csv.utf8)).marks
    #expect(marks.map(\.room) == ["kitchen", #"Anna's, "own" room"#, "kitchen"])
    #expect(marks[0].point.map { $0 == (1.23, 2) } == true)
    #expect(marks[2].point == nil)
  }

  @Test(arguments: [
    ("{}", "needs a room"), (#"{"room":"attic"}"#, "no room attic"), (#"{"x":9,"y":9}"#, "in no room"),
    (#"{"x":1}"#, "needs a room"),
  ])
  func `a mark that makes no sense is refused`(body: String, words: String) throws {
    let configuration = try Scene.configuration(Self.flat)
    var book = MarkBook()
    #expect { try book.add(tree(body), configuration, at: WallTime(nanoseconds: 1)) } throws: {
      "\($0)".contains(words)
    }
    #expect(book.count == 0)
  }
}
