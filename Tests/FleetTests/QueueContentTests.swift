import Beacons
import Contract
import Core
@testable import Fleet
import TestSupport
import Testing

/// What stands in RabbitMQ's queues and topics.
@Suite struct QueueContentTests {
  @Test func `a checkpoint is read as it was written`() throws {
    for state in [[], [1, 2, 3]] as [[UInt8]] {
      let checkpoint = Checkpoint(
        lease: 1 << 40, position: 77, worker: "w-1", seen: state.isEmpty ? [] : [1 << 60, 7], state: state)
      #expect(try Checkpoint(checkpoint.payload) == checkpoint)
    }
  }

  @Test func `a state takes less room in a checkpoint`() {
    let state = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 % 50 == 0 ? $0 / 50 : 0) }
    let payload = Checkpoint(lease: 1, position: 2, worker: "w", state: state).payload
    #expect(payload.count < state.count / 5)
  }

  @Test func `a checkpoint from before states were compressed is read`() throws {
    let head = Checkpoint(lease: 7, position: 8, worker: "w", seen: [9], state: []).payload
    var payload = Array(head.prefix(22 + 1 + 4 + 8)) + [1, 2, 3]
    payload[4] = 2
    let checkpoint = Checkpoint(lease: 7, position: 8, worker: "w", seen: [9], state: [1, 2, 3])
    #expect(try Checkpoint(payload) == checkpoint)
  }

  @Test func `a checkpoint from before it had a checksum is read`() throws {
    let checkpoint = Checkpoint(lease: 7, position: 8, worker: "w", seen: [9], state: [1, 2, 3])
    var payload = Array(checkpoint.payload.dropLast(8))
    payload[4] = 3
    #expect(try Checkpoint(payload) == checkpoint)
    #expect(throws: StateError.self) {
      payload = checkpoint.payload
      payload[4] = 3
      _ = try Checkpoint(payload)
    }
  }

  @Test func `a damaged state is no checkpoint, or no state`() throws {
    var random = SeededGenerator(seed: 6)
    var writer = StateCoder()
    for _ in 0..<1000 { writer.write(UInt32.random(in: 0...300, using: &random)) }
    let state = writer.finished()
    let whole = Checkpoint(lease: 1, position: 2, worker: "w", state: state).payload
    for length in 0..<whole.count {
      #expect(throws: StateError.self) { try Checkpoint(Array(whole.prefix(length))) }
    }
    #expect(throws: StateError.self) { try Checkpoint(whole + [0]) }
    for place in 0..<8 * whole.count {
      var payload = whole
      payload[place / 8] ^= 1 << UInt8(place % 8)
      #expect(throws: StateError.self) { try Checkpoint(payload) }
    }
    // Older ones have no checksum around it, nor has compressed data.
    var older = Array(whole.dropLast(8))
    older[4] = 3
    var passed = 0
    for _ in 0..<5000 {
      var payload = older
      payload[Int.random(in: 27..<older.count, using: &random)] ^=
        UInt8(1) << UInt8.random(in: 0...7, using: &random)
      guard let other = try? Checkpoint(payload), other.state != state else { continue }
      passed += 1
      #expect(throws: StateError.self) { try StateCoder(reading: other.state) }
    }
    #expect(passed > 100)
  }

  @Test func `a worker cannot have seen more than RabbitMQ gives it at once`() throws {
    func payload(_ count: Int) -> [UInt8] {
      Checkpoint(lease: 1, position: 2, worker: "w", seen: Array(repeating: 7, count: count), state: [1])
        .payload
    }
    #expect(try Checkpoint(payload(65_535)).seen.count == 65_535)
    #expect(throws: StateError.damaged("hashes of the checkpoint")) { try Checkpoint(payload(65_536)) }
  }

  @Test func `a checkpoint of a later version is told from a damaged one`() {
    var payload = Checkpoint(lease: 1, position: 2, worker: "w", state: [1]).payload
    payload[4] = 5
    #expect(throws: StateError.kind(5)) { try Checkpoint(payload) }
    payload[4] = 1
    #expect(throws: StateError.damaged("no checkpoint")) { _ = try Checkpoint(payload) }
  }

  @Test func `a state that says it is endless takes no memory`() {
    var head = Array(Checkpoint(lease: 1, position: 2, worker: "w", state: []).payload.prefix(27))
    // Without a checksum.
    head[4] = 3
    // A frame of one segment whose header says 2^40 octets.
    let frame: [UInt8] = [0x28, 0xB5, 0x2F, 0xFD, 0xE0, 0, 0, 0, 0, 0, 1, 0, 0, 0x03, 0, 0]
    #expect(throws: StateError.damaged("compressed state")) { try Checkpoint(head + frame) }
  }

  @Test func `random bytes are no checkpoint, no tick and no lease`() {
    var random = SeededGenerator(seed: 5)
    for _ in 0..<20_000 {
      let bytes = (0..<Int.random(in: 0..<60, using: &random)).map { _ in
        UInt8.random(in: 0...255, using: &random)
      }
      #expect(throws: StateError.self) { try Checkpoint(bytes) }
      let head = Array("BKFL".utf8) + [3] + Array(repeating: 0, count: 21)
      #expect(throws: StateError.self) { try Checkpoint(head + bytes) }
      #expect(throws: StateError.self) { try Checkpoint(head + [0x28, 0xB5, 0x2F, 0xFD] + bytes) }
      #expect(Tick(bytes) == nil)
      #expect(LeaseEntry(bytes) == nil)
    }
  }

  @Test func `a key becomes the topic that the gateway meant`() {
    #expect(
      FleetNames.topic(ofKey: "beaconkeeper.hall/1.observations.3") == "beaconkeeper/hall.1/observations/3")
  }

  // MARK: Occupancy

  private let hall = "beaconkeeper/site/partition/%/room/hall/occupancy"

  private func occupancy(_ beacons: [String], state: String = "occupied") -> [UInt8] {
    OccupancyMessage(
      room: "hall", state: state,
      members: beacons.map { .init(beacon: $0, since: WallTime(nanoseconds: 1_795_500_000_000_000_000)) }
    ).message(topics: Topics(gateway: "site")).payload
  }

  private func topic(_ partition: Int) -> String { hall.replacing("%", with: "\(partition)") }

  @Test func `who is in a room is put together from all partitions`() throws {
    var site = SiteOccupancy(site: "site", partitions: 2, zones: [], rooms: ["hall"])
    site.take(occupancy(["b"]), topic: topic(0), at: .zero)
    site.take(occupancy(["a"]), topic: topic(1), at: .zero)
    let message = try #require(site.takeDue(at: .zero).first)
    #expect(message.topic == "beaconkeeper/site/room/hall/occupancy")
    #expect(message.retained)
    let text = String(decoding: message.payload, as: UTF8.self)
    #expect(text.contains("\"state\":\"occupied\",\"count\":2,\"beacons\":[{\"beacon\":\"a\""))
    site.take(occupancy([], state: "empty"), topic: topic(0), at: .zero)
    site.take(occupancy([], state: "unknown"), topic: topic(1), at: .zero)
    #expect(
      String(decoding: site.takeDue(at: .zero)[0].payload, as: UTF8.self).contains("\"unknown\",\"count\":0"))
  }

  @Test func `a crowd is not listed again at every step`() {
    var site = SiteOccupancy(site: "site", partitions: 1, zones: [], rooms: ["hall"])
    let crowd = (0..<1000).map { "tag\($0)" }
    var told = 0
    for step in 0..<2500 {
      let time = MonotonicTime(nanoseconds: Int64(step) * 10_000_000)
      site.take(occupancy(crowd), topic: topic(0), at: time)
      told += site.takeDue(at: time).count
    }
    #expect(told == 4)
  }

  @Test func `a list is read with all that a member may say, and without members that say nothing`() throws {
    var site = SiteOccupancy(site: "site", partitions: 1, zones: ["hall"], rooms: [])
    let list = """
      {"v":1,"more":[{}],"state":"occupied","beacons":[{"beacon":"\\u00e4\\n","since":"2026-11-26T05:00:00Z","near":true,\
      "name":"A \\"b\\""},{"beacon":"nobody"},{"since":"2026-11-26T05:00:00Z"},{"beacon":1,"since":2},\
      {"beacon":"c","since":"2026-11-26T04:00:00Z","near":null,"name":null,"new":{"x":1}}]}
      """
    site.take(Array(list.utf8), topic: topic(0).replacing("/room/", with: "/zone/"), at: .zero)
    let text = String(decoding: try #require(site.takeDue(at: .zero).first).payload, as: UTF8.self)
    #expect(
      text.contains("\"count\":2,\"beacons\":[{\"beacon\":\"c\",\"since\":\"2026-11-26T04:00:00.000Z\"},"))
    #expect(
      text.contains(
        "{\"beacon\":\"ä\\u000a\",\"name\":\"A \\\"b\\\"\",\"since\":\"2026-11-26T05:00:00.000Z\",\"near\":true}]"
      ))
  }

  @Test func `a list that is cut off, or says another state, changes nothing`() throws {
    var site = SiteOccupancy(site: "site", partitions: 1, zones: [], rooms: ["hall"])
    let whole = occupancy(["a"])
    site.take(whole, topic: topic(0), at: .zero)
    _ = site.takeDue(at: .zero)
    for length in 1..<whole.count {
      site.take(Array(whole.prefix(length)), topic: topic(0), at: .zero)
      let message = try #require(site.takeDue(at: .zero).first)
      #expect(String(decoding: message.payload, as: UTF8.self).contains("\"beacon\":\"a\""))
    }
    site.take(occupancy([], state: "closed"), topic: topic(0), at: .zero)
    #expect(String(decoding: site.takeDue(at: .zero)[0].payload, as: UTF8.self).contains("\"count\":1"))
  }

  @Test func `what belongs to no configured place or partition is passed over`() {
    var site = SiteOccupancy(site: "site", partitions: 1, zones: [], rooms: ["hall"])
    site.take(occupancy(["a"]), topic: topic(1), at: .zero)
    site.take(
      occupancy(["a"]), topic: hall.replacing("hall", with: "cellar").replacing("%", with: "0"), at: .zero)
    site.take(Array("{".utf8), topic: topic(0), at: .zero)
    for message in site.takeDue(at: .zero) {
      #expect(!String(decoding: message.payload, as: UTF8.self).contains("\"a\""))
    }
  }
}
