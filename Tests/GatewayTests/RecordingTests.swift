import Beacons
import Captures
import Core
import Foundation
import Radio
import Testing

@testable import Gateway

@Suite struct RecordingTests {
  /// Writes a capture in the text form with one advertisement at each of the given seconds.
  private func capture(_ receiver: String, _ seconds: [Double], _ extra: String = "") throws -> String {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).jsonl").path
    let lines = seconds.map {
      #"{"t":\#($0),"receiver":"\#(receiver)","address":"C1:00:00:00:00:01","address_type":"random","rssi":-60,"payload":"020106"}"#
    }
    try Data((lines.joined(separator: "\n") + "\n" + extra).utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  private func read(_ paths: [String]) throws -> [String] {
    var recording = try Recording(paths: paths)
    var table = ReceiverTable()
    var batch = AdvertisementBatch()
    var heard: [String] = []
    while true {
      switch try recording.next(into: &batch, receiver: { table.index(of: $0) }) {
      case .end: return heard
      case .observation(let observation):
        heard.append(
          "\(table.name(of: observation.receiver)) \(observation.time.nanoseconds / 1_000_000) \(observation.key)"
        )
      case .report(let report): heard.append("\(report.phone) \(report.kind.rawValue)")
      case .health(let change): heard.append("\(table.name(of: change.receiver)) \(change.health.rawValue)")
      case .advertisements:
        batch.forEach { advertisement, _ in
          heard.append(
            "\(table.name(of: advertisement.receiver)) \(advertisement.time.nanoseconds / 1_000_000)")
        }
      }
    }
  }

  @Test func capturesThatOverlapAreHeardInOrderOfTime() throws {
    let hall = try capture("hall", [10, 11, 13])
    let door = try capture("door", [10.5, 11, 12])
    #expect(
      try read([hall, door]) == ["hall 0", "door 500", "door 1000", "hall 1000", "door 2000", "hall 3000"])
    #expect(try read([door, hall]) == read([hall, door]), "whichever is named first")
  }

  @Test(arguments: [
    ([10.0, 20], [15.0, 16], ["hci0"]), ([10, 11], [12, 13], []), ([15, 16], [10, 20], ["hci0"]),
  ])
  func `receivers of one name in recordings of the same time are told`(
    first: [Double], second: [Double], shared: [String]
  ) throws {
    let paths = [try capture("hci0", first), try capture("hci0", second)]
    func sharedReceivers(_ paths: [String]) throws -> [String] {
      var recording = try Recording(paths: paths)
      var (table, batch) = (ReceiverTable(), AdvertisementBatch())
      while try recording.next(into: &batch, receiver: { table.index(of: $0) }) != .end {}
      return recording.sharedReceivers
    }
    #expect(try sharedReceivers(paths) == shared)
    #expect(try sharedReceivers(["hall=\(paths[0])", "attic=\(paths[1])"]) == [])
  }

  @Test func `a recording of another gateway has receivers of that gateway`() throws {
    let (hall, attic) = (try capture("hci0", [10]), try capture("hci0", [11]))
    #expect(try read(["hall=\(hall)", "attic=\(attic)"]) == ["hall/hci0 0", "attic/hci0 1000"])
    // The name of a file may have the sign.
    let file = hall.replacing(".jsonl", with: "=.jsonl")
    try FileManager.default.copyItem(atPath: hall, toPath: file)
    #expect(try read([file]) == ["hci0 0"])
  }

  @Test func aFaultInOneCaptureCostsTheOthersNothing() throws {
    let broken = try capture("hall", [10], "{garbage\n")
    let whole = try capture("door", [10.5, 12, 14])
    for paths in [[broken, whole], [whole, broken]] {
      var recording = try Recording(paths: paths)
      var batch = AdvertisementBatch()
      var table = ReceiverTable()
      var count = 0
      #expect(throws: CaptureError.self) {
        while try recording.next(into: &batch, receiver: { table.index(of: $0) }) != .end {
          count += batch.count
        }
      }
      #expect(count == 4)
    }
  }

  @Test func whatIsKnownByItsKeyKeepsItsPlaceAmongOtherCaptures() throws {
    let told = try capture("hall", [10], #"{"t":11,"receiver":"attic","beacon":"entry key anna"}"# + "\n")
    let door = try capture("door", [10.5, 12])
    for paths in [[told, door], [door, told]] {
      #expect(try read(paths) == ["hall 0", "door 500", "attic 1000 entry key anna", "door 2000"])
    }
  }

  @Test func healthLinesKeepTheirPlace() throws {
    let path = try capture("hall", [10, 11], #"{"t":12,"receiver":"hall","health":"deaf"}"# + "\n")
    #expect(try read([path]) == ["hall 0", "hall 1000", "hall deaf"])
  }

  @Test func recordsBeforeAFaultAreDelivered() throws {
    let path = try capture("hall", [10, 11], "{garbage\n")
    var recording = try Recording(paths: [path])
    var batch = AdvertisementBatch()
    var table = ReceiverTable()
    #expect(try recording.next(into: &batch, receiver: { table.index(of: $0) }) == .advertisements)
    #expect(batch.count == 2)
    #expect(throws: CaptureError.self) {
      _ = try recording.next(into: &batch, receiver: { table.index(of: $0) })
    }
  }

  @Test func aPauseIsRecordedAsReceiversThatWereDeaf() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).jsonl").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    let recorder = try Recorder(path: path, format: .text)
    let handlers = recorder.handlers(onFailure: { _ in }, onNotice: { _ in })
    var table = ReceiverTable()
    let wall = WallTime(nanoseconds: 1_700_000_000_000_000_000)
    for (name, health) in [("hci0", ReceiverHealth.quiet), ("hci1", .gone)] {
      let index = table.index(of: name)
      handlers.onHealth(
        ReceiverHealthChange(receiver: try #require(index), health: health, time: .zero, wallTime: wall),
        table
      )
    }
    handlers.onPause(.seconds(30), wall + .seconds(45), table)
    #expect(try read([path]) == ["hci0 quiet", "hci1 gone", "hci0 deaf", "hci0 quiet"])
    let text = try String(contentsOfFile: path, encoding: .utf8)
    #expect(
      text.contains(
        #"{"t": 1700000015, "receiver": "hci0", "health": "deaf", "reason": "the recording process did not run"}"#
      ))
    #expect(text.hasSuffix("{\"t\": 1700000045, \"receiver\": \"hci0\", \"health\": \"quiet\"}\n"))
  }
}
