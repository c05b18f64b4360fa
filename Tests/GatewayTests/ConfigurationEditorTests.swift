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
    editor = ConfigurationEditor(path: folder.appending(path: "site.yaml").path(), environment: [:]) {
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
    // What was there before is read again.
    #expect(undo("{}") == 200)
    #expect(reloads.all.withLock { $0 } == [read, nil])
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
}
