import Beacons
import Contract
import Core
@testable import Fleet
import Testing

/// A partition is a function of its queue.
@Suite struct FleetPartitionTests {
  private let site: Site

  init() throws { site = try Site() }

  private func partition() -> FleetPartition { FleetPartition(site.configuration, 0, of: 1, epoch: 7) }

  private func transitions(_ lines: [String]) -> [String] {
    lines.filter { $0.contains("/enter ") || $0.contains("/exit ") }
  }

  @Test func `every tag's way through the rooms is told in order and without gaps`() {
    var partition = partition()
    let lines = transitions(partition.take(site.queue(seconds: 60)))
    #expect(lines.count > 40)
    for (number, line) in lines.enumerated() {
      #expect(line.contains("\"epoch\":7,\"seq\":\(number + 1),"))
      #expect(line.hasSuffix(",\"partition\":0}"))
    }
    for tag in 0..<6 {
      var room: String?
      for line in lines where line.contains("\"beacon\":\"tag:1.\(tag)\"") && line.contains("/room/") {
        let name = line.contains("/room/hall/") ? "hall" : "kitchen"
        if line.contains("/enter ") {
          #expect(room == nil)
          room = name
        } else {
          #expect(room == name)
          room = nil
        }
      }
    }
  }

  @Test func `rooms wait for what gateways have collected for an interval`() {
    var partition = partition()
    let queue = site.queue(seconds: 60)
    _ = partition.take(queue)
    #expect(partition.droppedForRooms == 0)
    #expect(partition.counts.observations > 1000)
  }

  @Test func `the same queue gives the same bytes, whoever reads it and in whatever pieces`() {
    var (one, other) = (partition(), partition())
    let queue = site.queue(seconds: 40)
    let whole = one.take(queue)
    var pieces: [String] = []
    for start in stride(from: 0, to: queue.count, by: 7) {
      pieces += other.take(queue[start..<min(start + 7, queue.count)])
    }
    #expect(whole == pieces)
    #expect(!whole.isEmpty)
  }

  @Test func `a worker that goes on from a checkpoint says what the first one would have said`() throws {
    var first = partition()
    let queue = site.queue(seconds: 60)
    var heirs: [FleetPartition] = []
    for start in stride(from: 0, to: queue.count, by: 50) {
      let piece = queue[start..<min(start + 50, queue.count)]
      let said = first.take(piece)
      for index in heirs.indices { #expect(heirs[index].take(piece) == said) }
      let state = first.state()
      let heir = try FleetPartition(partition(), 0, state: state)
      #expect(heir.state() == state)
      if start % 250 == 0 { heirs.append(heir) }
    }
    #expect(heirs.count > 1)
    for heir in heirs { #expect(heir.state() == first.state() && heir.counts == first.counts) }
    #expect(throws: StateError.configuration) {
      _ = try FleetPartition(
        FleetPartition(site.configuration, 0, of: 2, epoch: 7), 0, state: first.state())
    }
  }

  @Test func `a batch that comes twice changes nothing`() {
    var (one, other) = (partition(), partition())
    let queue = site.queue(seconds: 40)
    let doubled = queue.flatMap { $0.key == Site.names.tick ? [$0] : [$0, $0] }
    #expect(one.take(queue) == other.take(doubled))
    #expect(other.refused > 0)
  }

  @Test func `nothing is believed before the first tick`() {
    var partition = partition()
    #expect(partition.take([site.batch("a", 1, at: 0, [1: -50])]).isEmpty)
    #expect(partition.counts.early == 1)
  }

  @Test func `ticks of a second worker whose clock is behind do not turn time back`() {
    var partition = partition()
    _ = partition.take([Site.tick(10_000), Site.tick(9_500, worker: "late")])
    #expect(partition.time == MonotonicTime(nanoseconds: (Site.start + 10_000) * 1_000_000))
  }

  @Test func `a gateway with another number of partitions cannot make two partitions decide about one tag`() {
    var partitions = (0..<4).map { FleetPartition(site.configuration, $0, of: 4, epoch: 1) }
    let entries = [Site.tick(0), site.batch("a", 1, at: 100, [1: -50, 2: -50, 3: -50, 4: -50, 5: -50])]
    for number in 0..<4 { _ = partitions[number].take(entries) }
    #expect(partitions.reduce(0) { $0 + $1.counts.observations } == 5)
    #expect(partitions.reduce(0) { $0 + $1.counts.misplaced } == 15)
  }

  @Test func `a tag that nobody hears any more leaves, because ticks go on`() {
    var partition = partition()
    _ = partition.take(site.queue(seconds: 20, tags: 1))
    let lines = transitions(partition.take((40...400).map { Site.tick(Int64($0) * 500) }))
    #expect(lines.contains { $0.contains("/room/") && $0.contains("/exit ") })
  }

  /// All workers are away; the gateways go on. What they send is dated by their own clocks.
  @Test func `half a minute without ticks loses no change of rooms`() {
    var (one, other) = (partition(), partition())
    let queue = site.queue(seconds: 60)
    let whole = transitions(one.take(queue))
    var time: Int64 = -1
    let gapped = transitions(
      other.take(
        queue.filter { entry in
          guard let tick = Tick(entry.payload), entry.key == Site.names.tick else { return true }
          time = tick.time.nanoseconds / 1_000_000 - Site.start
          return !(20_000..<50_000).contains(time)
        }))
    func facts(_ lines: [String]) -> Set<String> {
      Set(
        lines.filter { $0.contains("/room/") && $0.contains("/enter ") }.compactMap { line in
          let parts = line.split(separator: "\"")
          let beacon = parts.firstIndex(of: "beacon").map { String(parts[$0 + 2]) }
          return beacon.map { "\($0) \(line.prefix { $0 != " " })" }
        })
    }
    #expect(facts(whole) == facts(gapped))
    #expect(gapped.filter { $0.contains("/room/") }.count == whole.filter { $0.contains("/room/") }.count)
  }

  @Test func `a gateway that says offline is blind, and its tags do not leave`() {
    var partition = partition()
    _ = partition.take(site.queue(seconds: 20, tags: 1))
    let away = ["a", "b"].map { Site.Entry(key: "beaconkeeper.\($0).status", payload: Array("offline".utf8)) }
    let lines = partition.take(away) + partition.take((40...400).map { Site.tick(Int64($0) * 500) })
    #expect(!transitions(lines).contains { $0.contains("/room/") })
    #expect(lines.contains { $0.contains("/partition/0/room/hall/occupancy") && $0.contains("unknown") })
  }
}
