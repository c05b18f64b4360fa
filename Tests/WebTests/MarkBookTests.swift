import Beacons
import Captures
import Core
import Scenes
import Testing

@testable import Web

struct MarkBookTests {
  private static let flat = """
    gateway: { name: home }
    floors:
      - { name: ground, height: 0 m }
      - { name: first, height: 3 m }
    receivers:
      - { name: a, position: [1 m, 1 m] }
    beacons:
      - { name: key, address: "C1:00:00:00:00:05" }
    rooms:
      - { name: kitchen, floor: ground, outline: [[0 m, 0 m], [3 m, 0 m], [3 m, 4 m], [0 m, 4 m]] }
      - { name: "Anna's, \\"own\\" room", floor: ground, outline: [[3 m, 0 m], [6 m, 0 m], [6 m, 4 m], [3 m, 4 m]] }
      - { name: bedroom, floor: first, outline: [[0 m, 0 m], [3 m, 0 m], [3 m, 4 m], [0 m, 4 m]] }
    """

  private func moment(_ seconds: Int64) -> Moment {
    Moment(
      MonotonicTime(nanoseconds: seconds * 1_000_000_000),
      WallTime(nanoseconds: 1_795_211_400_000_000_000 + seconds * 1_000_000_000))
  }

  private func tree(_ text: String) throws -> JSONTree { try JSONTree(Array(text.utf8)) }

  @Test func `calibrate reads what was marked, with odd names and without points`() throws {
    let configuration = try Scene.configuration(Self.flat)
    var book = MarkBook()
    try book.add(tree(#"{"x":1.234,"y":2,"floor":"ground"}"#), configuration, at: moment(0))
    try book.add(tree(#"{"x":4,"y":2}"#), configuration, at: moment(1))
    try book.add(tree(#"{"x":1,"y":1,"floor":"first"}"#), configuration, at: moment(2))
    try book.add(tree(#"{"room":"kitchen"}"#), configuration, at: moment(3))
    try book.add(tree(#"{"room":null}"#), configuration, at: moment(4))
    #expect(book.csv.hasPrefix("time,room,x,y,floor\n"))
    #expect(book.csv.contains(",bedroom,1.0,1.0,first\n"))
    let marks = try RecordingMarks(Array(book.csv.utf8)).marks
    #expect(marks.map(\.room) == ["kitchen", #"Anna's, "own" room"#, "bedroom", "kitchen", nil])
    #expect(marks[0].point.map { $0 == (1.23, 2) } == true)
    #expect(marks[3].point == nil)
    book.removeLast()
    #expect(book.marks.last?.room == "kitchen")
  }

  @Test(arguments: [
    ("{}", "needs a room"), (#"{"room":"attic"}"#, "no room attic"), (#"{"x":9,"y":9}"#, "in no room"),
    (#"{"x":1}"#, "needs a room"),
  ])
  func `a mark that makes no sense is refused`(body: String, words: String) throws {
    let configuration = try Scene.configuration(Self.flat)
    var book = MarkBook()
    #expect { try book.add(tree(body), configuration, at: moment(1)) } throws: {
      "\($0)".contains(words)
    }
    #expect(book.marks.isEmpty)
  }
}
