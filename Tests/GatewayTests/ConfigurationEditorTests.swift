import Configuration
import Core
import Foundation
import Proximity
import Synchronization
import Testing

@testable import Web
@testable import Gateway

/// What a client saves is what the file says afterwards, and only over the file that the client saw.
@Suite struct ConfigurationEditorTests {
  private static let rules = """
    gateway: { name: home }
    receivers: [{ name: hci0, exponent: 2.2 }]   # by the door
    zones: [{ name: hall, enter: 6 m }]

    """

  private let folder = FileManager.default.temporaryDirectory.appending(
    path: "editor-\(UUID())", directoryHint: .isDirectory)
  private let editor: ConfigurationEditor
  private let reloads = Reloads()

  private final class Reloads: Sendable {
    let all = Mutex<[Configuration.Loaded?]>([])
  }

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(Self.rules.utf8).write(to: folder.appending(path: "site.yaml"))
    let writer = ConfigurationWriter(path: folder.appending(path: "site.yaml").path())
    editor = ConfigurationEditor(writer, environment: [:]) {
      [reloads] loaded in reloads.all.withLock { $0.append(loaded) }
    }
  }

  private func clean() { try? FileManager.default.removeItem(at: folder) }
  private var file: String { editor.current()?.text ?? "" }
  private var revision: String { editor.current()?.revision ?? "" }

  private func put(_ body: String, headers: [String: String] = [:]) throws -> (status: Int, body: JSONTree) {
    let request = Request(method: .put, path: [], headers: headers, body: Array(body.utf8))
    let response = editor.change(zone: "hall", request)
    return (response.status, try JSONTree(response.body))
  }

  @Test func `a name is told before it is written, and is taken back`() throws {
    defer { clean() }
    let region = "beacons: [{ name: tag, ibeacon: { uuid: 7c0c6b3e-3b1a-4a0e-9f53-1d2f6f0a9a11 } }]\n"
    try Data((Self.rules + region).utf8).write(to: folder.appending(path: "site.yaml"))
    let before = file
    func name(_ body: String) -> (status: Int, text: String) {
      let request = Request(method: .put, path: [], body: Array(body.utf8))
      let response = editor.change(beacon: "tag:1.2", request)
      return (response.status, String(decoding: response.body, as: UTF8.self))
    }
    let preview = name(#"{"name":"Anna's keys","preview":true}"#)
    #expect(preview.status == 200 && preview.text.contains("Anna's keys") && file == before)
    #expect(name(#"{"name":"Anna's keys","revision":"other"}"#).status == 409)
    #expect(name("{}").status == 400 && name(#"{"owner":3}"#).status == 400)
    let owner = name(#"{"owner":"Anna","icon":"mdi:key","preview":true}"#)
    #expect(owner.status == 200 && owner.text.contains("Anna") && owner.text.contains("mdi:key"))
    #expect(name(#"{"name":"Anna's keys","revision":"\#(revision)"}"#).status == 200)
    #expect(file.contains("Anna's keys"))
    #expect(undo(#"{"revision":"\#(revision)"}"#) == 200 && file == before)
  }

  private func undo(_ body: String) -> Int {
    editor.undo(Request(method: .post, path: [], body: Array(body.utf8))).status
  }

  @Test func `a zone and its receivers are saved together, and the answer is what the file says`() throws {
    defer { clean() }
    let (status, answer) = try put(
      #"{"enter":{"threshold":5,"unit":"m"},"receivers":[{"receiver":"hci0","exponent":2.5},{"receiver":"attic","offset_db":-3}],"revision":"\#(revision)"}"#
    )
    #expect(status == 200)
    #expect(
      file == """
        gateway: { name: home }
        receivers: [{ name: hci0, exponent: 2.5 }, { name: attic, offset: -3 dB }]   # by the door
        zones: [{ name: hall, enter: 5 m, exit: 9 m }]

        """)
    #expect(answer["revision"] == .text(revision))
    guard case .text(let lines)? = answer["yaml"] else {
      Issue.record("no lines in \(answer)")
      return
    }
    #expect(lines.contains("enter: 5 m") && lines.contains("exponent: 2.5"))
  }

  @Test func `what was checked is what is loaded: nobody reads the file again`() throws {
    defer { clean() }
    #expect(try put(#"{"near":{"threshold":2,"unit":"m"}}"#).status == 200)
    let path = editor.writer.path
    let read = try Configuration.read(
      Array(file.utf8), path: path, environment: [:], hostName: "pi", connects: true)
    #expect(read.configuration.zones[0].near?.rule.threshold == .distance(2))
    #expect(reloads.all.withLock { $0 } == [read])
    #expect(read.revision == revision)
    // What was there before is read once, too.
    #expect(undo("{}") == 200)
    #expect(reloads.all.withLock { $0.map { $0?.revision } } == [read.revision, revision])
  }

  @Test func `what a receiver is said to have already is not written`() throws {
    defer { clean() }
    let (status, _) = try put(
      #"{"receivers":[{"receiver":"hci0","exponent":2.2,"offset_db":0},{"receiver":"attic","exponent":2}]}"#)
    #expect(status == 200)
    #expect(file == Self.rules)
  }

  @Test(arguments: ["body", "header"])
  func `nobody saves over what they have not seen`(way: String) throws {
    defer { clean() }
    let old = revision
    #expect(try put(#"{"enter":{"threshold":5,"unit":"m"},"revision":"\#(old)"}"#).status == 200)
    let after = file
    let late =
      way == "body"
      ? try put(#"{"exit":{"dwell_s":3},"revision":"\#(old)"}"#)
      : try put(#"{"exit":{"dwell_s":3}}"#, headers: ["if-match": "\"\(old)\""])
    #expect(late.status == 409)
    #expect(file == after)
    #expect(try put(#"{"exit":{"dwell_s":3}}"#, headers: ["if-match": "\"\(revision)\""]).status == 200)
  }

  @Test func `undo takes back the change that is meant, and nobody else's`() throws {
    defer { clean() }
    #expect(try put(#"{"enter":{"threshold":5,"unit":"m"}}"#).status == 200)
    let mine = revision
    #expect(try put(#"{"exit":{"dwell_s":3}}"#).status == 200)
    let theirs = file
    #expect(undo(#"{"revision":"\#(mine)"}"#) == 409)
    #expect(file == theirs)
    #expect(undo(#"{"revision":"\#(revision)"}"#) == 200)
    #expect(revision == mine)
    #expect(undo("{}") == 200)
    #expect(file == Self.rules)
  }

  @Test(arguments: [
    "{}", #"{"entr":{"threshold":5}}"#, #"{"enter":5}"#, #"{"enter":{"threshold":"5"}}"#,
    #"{"enter":{"threshold":true}}"#, #"{"enter":{"distance":5}}"#, #"{"enter":{"dwell_s":null}}"#,
    #"{"near":true}"#, #"{"near":{"threshold":null}}"#, #"{"near":{"threshold":2,"rearm":"4"}}"#,
    #"{"exit":{"lost_s":"auto"}}"#, #"{"enter":{"threshold":5,"unit":7}}"#,
    #"{"enter":{"threshold":5,"threshold":6}}"#, #"{"receivers":{"hci0":2}}"#,
    #"{"receivers":[{"receiver":"hci0","exponent":null}]}"#,
    #"{"receivers":[{"receiver":"hci0","offset":3}]}"#,
  ])
  func `what is no number is refused, never taken for nothing`(body: String) throws {
    defer { clean() }
    #expect(try put(body).status == 422)
    #expect(file == Self.rules)
  }

  // MARK: Plans

  private func draw(_ body: String) throws -> (status: Int, body: JSONTree) {
    let response = editor.change(plan: Request(method: .put, path: [], body: Array(body.utf8)))
    return (response.status, try JSONTree(response.body))
  }

  private func drawing(_ more: String = "") -> String {
    #"{"rooms":[{"room":"den","former":null,"outline":[[0,0],[4,0],[4,3.5]],"receivers":["hci0"]}],"doors":[],"receivers":[{"receiver":"hci0","position":[1,2.25]}],"revision":"\#(revision)"\#(more)}"#
  }

  @Test func `a drawn plan is told before it is written, and written as it was told`() throws {
    defer { clean() }
    let (status, told) = try draw(drawing(#","preview":true"#))
    #expect(status == 200)
    #expect(file == Self.rules)
    #expect(reloads.all.withLock { $0.isEmpty })
    #expect(told["revision"] == .text(revision))
    #expect(
      told["changes"]
        == .text(
          """
            gateway: { name: home }
          - receivers: [{ name: hci0, exponent: 2.2 }]   # by the door
          + receivers: [{ name: hci0, position: [1 m, 2.25 m], exponent: 2.2 }]   # by the door
            zones: [{ name: hall, enter: 6 m }]
          +\u{20}
          + rooms:
          +   - name: den
          +     receivers: [hci0]
          +     outline: [[0 m, 0 m], [4 m, 0 m], [4 m, 3.5 m]]

          """))
    let seen = revision
    let (saved, answer) = try draw(drawing())
    #expect(saved == 200)
    #expect(answer["changes"] == told["changes"])
    #expect(answer["revision"] == .text(revision) && revision != seen)
    let loaded = try #require(reloads.all.withLock { $0.first ?? nil })
    #expect(loaded.configuration.rooms.map(\.name) == ["den"])
    #expect(undo("{}") == 200)
    #expect(file == Self.rules)
  }

  @Test func `nobody draws over a file that they have not seen`() throws {
    defer { clean() }
    let late = drawing()
    #expect(try put(#"{"enter":{"threshold":5,"unit":"m"}}"#).status == 200)
    let after = file
    #expect(try draw(late).status == 409)
    #expect(file == after)
  }

  @Test func `a plan is not written where the file cannot be`() throws {
    try FileManager.default.removeItem(at: folder)
    #expect(try draw(drawing()).status == 500)
  }

  @Test(arguments: [
    #"{"rooms":[],"doors":[],"receivers":[]}"#, #"{"doors":[],"receivers":[],"revision":"R"}"#,
    #"{"rooms":{},"doors":[],"receivers":[],"revision":"R"}"#,
    #"{"rooms":[],"walls":[],"doors":[],"receivers":[],"revision":"R"}"#,
    #"{"rooms":[{"room":"a","receivers":[]}],"doors":[],"receivers":[],"revision":"R"}"#,
    #"{"rooms":[{"room":7,"outline":[],"receivers":[]}],"doors":[],"receivers":[],"revision":"R"}"#,
    #"{"rooms":[{"room":"a","outline":[[0,null],[1,0],[1,1]],"receivers":[]}],"doors":[],"receivers":[],"revision":"R"}"#,
    #"{"rooms":[{"room":"a","outline":[["NaN",0],[1,0],[1,1]],"receivers":[]}],"doors":[],"receivers":[],"revision":"R"}"#,
    #"{"rooms":[{"room":"a","outline":[[9e9,0],[1,0],[1,1]],"receivers":[]}],"doors":[],"receivers":[],"revision":"R"}"#,
    #"{"rooms":[{"room":"a","outline":[[0,0],[2,2],[2,0],[0,2]],"receivers":[]}],"doors":[],"receivers":[],"revision":"R"}"#,
    #"{"rooms":[{"room":"a\nzones: []","outline":[[0,0],[2,0],[2,2]],"receivers":[]}],"doors":[],"receivers":[],"revision":"R"}"#,
    #"{"rooms":[],"doors":[{"line":[[0,0]]}],"receivers":[],"revision":"R"}"#,
    #"{"rooms":[],"doors":[],"receivers":[{"receiver":"hci0","position":[1]}],"revision":"R"}"#,
    #"{"rooms":[],"doors":[],"receivers":[{"receiver":"hci0"}],"revision":"R"}"#,
  ])
  func `what is no plan is refused, and nothing is removed for it`(body: String) throws {
    defer { clean() }
    let (status, answer) = try draw(body.replacing(#""R""#, with: "\"\(revision)\""))
    #expect(status == 422, "\(answer)")
    #expect(file == Self.rules)
  }

  @Test func `a body that says NaN is no JSON, and ten thousand corners are too many`() throws {
    defer { clean() }
    #expect(try draw(#"{"rooms":[{"room":"a","outline":[[NaN,0]]}]}"#).status == 400)
    let corners = (0..<10_000).map { "[\($0),0]" }.joined(separator: ",")
    let body = drawing().replacing("[0,0],[4,0],[4,3.5]", with: corners)
    #expect([400, 422].contains(try draw(body).status))
    #expect(file == Self.rules)
  }
}
