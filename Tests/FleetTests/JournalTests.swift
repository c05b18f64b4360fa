import Contract
@testable import Fleet
import Foundation
import Gateway
import Testing

/// What workers keep of their queues, and what `replay --journal` makes of it.
@Suite struct JournalTests {
  private let site: Site
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("journal-\(UUID())")
  private let queue: [Site.Entry]

  init() throws {
    site = try Site()
    queue = site.queue(seconds: 60)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  /// The journal of a worker that had a partition for these messages of its queue.
  private func write(_ name: String, _ range: Range<Int>, of queue: [Site.Entry], tail: String = "") throws {
    var bytes = JournalLine.takeover(partition: 0, of: 1, epoch: 7, seen: UInt64(range.lowerBound)).bytes
    for place in range {
      let entry = queue[place]
      bytes +=
        JournalLine.message(.init(number: UInt64(place + 1), key: entry.key, payload: entry.payload)).bytes
    }
    try Data(bytes + tail.utf8).write(to: folder.appendingPathComponent(name + ".jsonl"))
  }

  private func replay() throws -> [String] {
    var replay = try FleetReplay(site.configuration, journals: [folder.path])
    var messages: [Message] = []
    var notices: [String] = []
    var lines: [String] = []
    while try replay.next(into: &messages, notices: &notices) {
      lines += messages.map { "\($0.topic) \(String(decoding: $0.payload, as: UTF8.self))" }
    }
    #expect(replay.messages == replay.total)
    return lines
  }

  private func fault() -> String {
    do { return "\(try replay().count) lines" } catch { return "\(error)" }
  }

  private var decided: [String] {
    var partition = FleetPartition(site.configuration, 0, of: 1, epoch: 7)
    return partition.take(queue)
  }

  @Test func `a line is read as it was written`() {
    for line in [
      JournalLine.takeover(partition: 3, of: 16, epoch: 1_795_500_000_000, seen: 12),
      .message(
        .init(number: 1, key: "beaconkeeper.\"a\".observations.3", payload: Array("{\"v\":1}\n".utf8))),
      .message(.init(number: 2, key: "", payload: [0, 0xFF, 0x80])),
      .message(.init(number: 3, key: "k", payload: [])),
    ] {
      #expect(line.bytes.last == UInt8(ascii: "\n"))
      #expect(line.bytes.count { $0 == UInt8(ascii: "\n") } == 1)
      #expect(JournalLine(Array(line.bytes.dropLast()).span) == line)
    }
  }

  @Test(arguments: [
    "", "{}", "[]", "{\"n\":0,\"key\":\"k\",\"payload\":\"\"}", "{\"n\":1,\"key\":\"k\"}",
    "{\"n\":1,\"key\":\"k\",\"octets\":\"0\"}", "{\"v\":2,\"partition\":0,\"of\":1,\"epoch\":1,\"seen\":0}",
    "{\"v\":1,\"partition\":1,\"of\":1,\"epoch\":1,\"seen\":0}",
    "{\"v\":1,\"partition\":0,\"of\":9999,\"epoch\":1,\"seen\":0}",
    "{\"v\":1,\"partition\":0,\"of\":1,\"epoch\":-1,\"seen\":0}",
  ]) func `anything else is no line of a journal`(text: String) {
    #expect(JournalLine(Array(text.utf8).span) == nil)
  }

  @Test func `the journals of workers that took turns give what one worker decides`() throws {
    try write("a", 0..<150, of: queue)
    // The second one had some of the first one's messages again, and was killed while it wrote.
    try write("b", 120..<200, of: queue, tail: "{\"n\":201,\"key\":\"beac")
    try write("c", 190..<queue.count, of: queue)
    #expect(try replay() == decided)
    #expect(decided.count > 100)
  }

  @Test func `a journal that lacks something is refused`() throws {
    try write("a", 0..<100, of: queue)
    try write("b", 120..<queue.count, of: queue)
    #expect(fault().contains("partition 0: messages 101 to 120 are missing"))
    try write("a", 20..<120, of: queue)
    #expect(fault().contains("partition 0: messages 1 to 20 are missing"))
  }

  @Test func `a message that cannot be read ends a replay after those before it`() throws {
    for text in ["\"payload\":\"\\x\"", "\"octets\":\"0\""] {
      try write("a", 0..<100, of: queue, tail: "{\"n\":101,\"key\":\"k\",\(text)}\n")
      var replay = try FleetReplay(site.configuration, journals: [folder.path])
      var (messages, notices, count) = ([Message](), [String](), 0)
      let error = #expect(throws: JournalError.self) {
        while try replay.next(into: &messages, notices: &notices) { count += messages.count }
      }
      #expect(error?.line == 102)
      #expect(count > 0)
    }
  }

  @Test func `journals of different fleets are refused`() throws {
    try write("a", 0..<100, of: queue)
    var other = queue
    other.swapAt(90, 91)
    try write("b", 80..<queue.count, of: other)
    #expect(fault().contains("message 91 of partition 0 is another one in"))
  }

  @Test func `what is no journal is refused with its place`() throws {
    #expect(fault().contains("no journal (*.jsonl) is in this folder"))
    try Data("{\"n\":1,\"key\":\"k\",\"payload\":\"\"}\n".utf8).write(
      to: folder.appendingPathComponent("a.jsonl"))
    #expect(fault().hasSuffix("a.jsonl: line 1: the line that says whose journal it is must come first"))
    try Data("hello\n".utf8).write(to: folder.appendingPathComponent("a.jsonl"))
    #expect(
      fault().hasSuffix("a.jsonl: line 1: not a line of a fleet's journal, which fuse --journal writes"))
    try Data().write(to: folder.appendingPathComponent("a.jsonl"))
    #expect(fault().hasSuffix("the journal is empty"))
  }
}
