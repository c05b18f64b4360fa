import Beacons
import Core
import Foundation
import TestSupport
import Testing

@testable import Outbox

/// Observations wait for the broker: in memory, on disk, through restarts and crashes. Each batch has one observation, and its
/// topic is its number.
@Suite struct ObservationQueueTests {
  /// The queue, a real file, and a broker that comes and goes.
  private struct Gateway {
    let path: String
    var store: ObservationStore
    var queue: ObservationQueue
    var time = MonotonicTime.zero + .seconds(1000)
    var limit = 1 << 30
    var made = 0
    /// When each was made.
    var times: [MonotonicTime] = []
    var isConnected = false
    /// Sent on this connection or an earlier one, in order, and not acknowledged.
    var underWay: [(number: Int64, topic: Int)] = []
    /// What reached the broker, repetitions included.
    var received: [Int] = []
    /// Lost in earlier runs of the queue.
    var lostBefore: UInt64 = 0
    var crashes = 0

    init() throws {
      path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).observations").path
      store = try ObservationStore(path: path, boot: "boot")
      queue = ObservationQueue(try store.extent())
    }

    func remove() { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }

    mutating func make(_ count: Int = 1) {
      for _ in 0..<count {
        queue.add(topic: "\(made)", payload: Array("{}".utf8), observations: 1, at: time)
        times.append(time)
        made += 1
      }
    }

    mutating func send() {
      while let batch = queue.next() {
        underWay.append((batch.number, Int(batch.topic) ?? -1))
        received.append(Int(batch.topic) ?? -1)
      }
    }

    mutating func acknowledge(_ count: Int = .max) {
      for (number, _) in underWay.prefix(count) { queue.acknowledged(number) }
      underWay.removeFirst(min(count, underWay.count))
    }

    mutating func connect() {
      isConnected = true
      queue.connected()
      // The client sends again what was not acknowledged.
      received += underWay.map(\.topic)
    }

    mutating func disconnect() {
      isConnected = false
      queue.disconnected()
    }

    mutating func tend(isLast: Bool = false) throws {
      if let work = queue.takeWork(at: time, isLast: isLast) {
        queue.done(work, dropped: try store.perform(work, limit: limit))
      }
      if let after = queue.wantsPage(at: time) { queue.take(page: try store.batches(after: after, limit: 7)) }
    }

    /// Ends the run and begins another.
    mutating func restart(isCrash: Bool) throws {
      if isCrash { crashes += 1 } else { try tend(isLast: true) }
      lostBefore += queue.lost
      store.close()
      store = try ObservationStore(path: path, boot: "boot")
      queue = ObservationQueue(try store.extent())
      underWay = []
      isConnected = false
    }

    mutating func drain() throws {
      connect()
      for _ in 0..<100_000 where queue.count > 0 {
        time = time + .seconds(2)
        try tend()
        send()
        acknowledge()
      }
      time = time + .seconds(2)
      try tend()
    }

    var lost: UInt64 { lostBefore + queue.lost }

    /// Each batch at its first arrival.
    var firstArrivals: [Int] {
      var seen: Set<Int> = []
      return received.filter { seen.insert($0).inserted }
    }
  }

  @Test func nothingGoesToDiskWhileTheBrokerTakesIt() throws {
    var gateway = try Gateway()
    defer { gateway.remove() }
    gateway.connect()
    for _ in 0..<50 {
      gateway.make(3)
      gateway.send()
      gateway.acknowledge()
      gateway.time = gateway.time + .seconds(1)
      try gateway.tend()
    }
    #expect(gateway.firstArrivals == Array(0..<150))
    #expect(try gateway.store.extent() == ObservationQueue.Extent())
  }

  @Test func whatWaitsGoesToDiskAndIsSentInOrderAfterARestart() throws {
    var gateway = try Gateway()
    defer { gateway.remove() }
    for _ in 0..<100 {
      gateway.make(2)
      gateway.time = gateway.time + .seconds(1)
      try gateway.tend()
    }
    #expect(try gateway.store.extent().count > 180)
    try gateway.restart(isCrash: false)
    gateway.make(5)
    try gateway.drain()
    #expect(gateway.firstArrivals == Array(0..<205))
    #expect(gateway.lost == 0 && gateway.queue.count == 0)
    #expect(try gateway.store.extent().count == 0)
  }

  @Test func theOldestMakeRoomAndAreCounted() throws {
    var gateway = try Gateway()
    defer { gateway.remove() }
    gateway.limit = 45 * 50
    for _ in 0..<100 {
      gateway.make(2)
      gateway.time = gateway.time + .seconds(3)
      try gateway.tend()
    }
    try gateway.drain()
    #expect(gateway.lost > 100)
    #expect(gateway.firstArrivals == Array(Int(gateway.lost)..<200))
  }

  @Test func aFullDiskCostsOnlyTheOldestAndIsTold() throws {
    var gateway = try Gateway()
    defer { gateway.remove() }
    gateway.make(10)
    gateway.time = gateway.time + .seconds(6)
    let taken = gateway.queue.takeWork(at: gateway.time)
    let work = try #require(taken)
    gateway.queue.failed(work, "the disk is full")
    #expect(gateway.queue.fault == "the disk is full")
    // Not again at once.
    gateway.time = gateway.time + .seconds(3)
    let next = gateway.queue.takeWork(at: gateway.time)
    #expect(next == nil)
    for _ in 0..<300_000 {
      gateway.queue.add(topic: "x", payload: [], observations: 1, at: gateway.time)
    }
    #expect(gateway.queue.lost > 0)
    #expect(gateway.queue.lost + UInt64(gateway.queue.count) == 300_010)
    gateway.time = gateway.time + .seconds(10)
    try gateway.tend()
    #expect(gateway.queue.fault == nil)
    #expect(try gateway.store.extent().count == gateway.queue.count)
  }

  @Test func aFaultIsOverOnceNothingWaits() throws {
    var gateway = try Gateway()
    defer { gateway.remove() }
    gateway.make()
    gateway.time = gateway.time + .seconds(6)
    let taken = gateway.queue.takeWork(at: gateway.time)
    gateway.queue.failed(try #require(taken), "the disk is full")
    gateway.connect()
    gateway.send()
    gateway.acknowledge()
    gateway.time = gateway.time + .seconds(11)
    try gateway.tend()
    #expect(gateway.queue.fault == nil)
  }

  @Test func whatTheBrokerRefusesIsCountedAndHoldsNothingUp() throws {
    var gateway = try Gateway()
    defer { gateway.remove() }
    gateway.connect()
    gateway.make(3)
    gateway.send()
    gateway.queue.refused(gateway.underWay[0].number)
    #expect(gateway.queue.lost == 1 && gateway.queue.count == 2)
  }

  /// Whatever happens in whatever order: every batch arrives, the first arrivals are in order, and what does not arrive is
  /// counted; a crash alone may lose what waited in memory for less than patience and pace together.
  @Test(arguments: 0..<40) func whateverHappensNothingIsLostUncounted(seed: Int) throws {
    var gateway = try Gateway()
    defer { gateway.remove() }
    var random = SeededGenerator(seed: UInt64(seed))
    if seed % 4 == 3 { gateway.limit = 45 * Int.random(in: 20...200, using: &random) }
    var mayBeLost: Set<Int> = []
    for _ in 0..<400 {
      switch Int.random(in: 0..<20, using: &random) {
      case 0..<7: gateway.make(Int.random(in: 1...20, using: &random))
      case 7..<12:
        gateway.send()
        gateway.acknowledge(Int.random(in: 0...40, using: &random))
      case 12: if gateway.isConnected { gateway.disconnect() }
      case 13: if !gateway.isConnected { gateway.connect() }
      case 14 where Int.random(in: 0..<8, using: &random) == 0:
        let isCrash = Bool.random(using: &random)
        if isCrash {
          let horizon = ObservationQueue.patience + ObservationQueue.pace + .seconds(2)
          mayBeLost.formUnion(gateway.times.indices.filter { gateway.time - gateway.times[$0] < horizon })
        }
        try gateway.restart(isCrash: isCrash)
      default:
        gateway.time = gateway.time + .milliseconds(Int64.random(in: 100...2000, using: &random))
        try gateway.tend()
      }
    }
    try gateway.drain()
    let arrived = gateway.firstArrivals
    #expect(arrived == arrived.sorted())
    let missing = Set(0..<gateway.made).subtracting(arrived).subtracting(mayBeLost)
    #expect(missing.count <= Int(gateway.lost))
    if gateway.limit == 1 << 30 { #expect(missing.isEmpty && gateway.lost == 0) }
    #expect(gateway.queue.count == 0)
    #expect(try gateway.store.extent().count == 0)
  }

  @Test func aBatchOfAnEarlierBootHasNoTime() throws {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).observations").path
    defer { for suffix in ["", "-wal", "-shm"] { unlink(path + suffix) } }
    var work = ObservationQueue.Work()
    work.added = [
      WaitingBatch(number: 4, topic: "t", payload: [1], observations: 2, made: .zero + .seconds(7))
    ]
    let first = try ObservationStore(path: path, boot: "a")
    _ = try first.perform(work, limit: 1000)
    #expect(try first.batches(after: 0) == work.added)
    first.close()
    let second = try ObservationStore(path: path, boot: "b")
    work.added[0].made = nil
    #expect(try second.batches(after: 0) == work.added)
    #expect(try second.extent() == ObservationQueue.Extent(count: 1, last: 4))
    second.close()
  }

  @Test func aDamagedFileIsSetAside() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let directory = StateDirectory(configured: folder)
    _ = try directory.make()
    try Data(repeating: 7, count: 9000).write(
      to: URL(fileURLWithPath: directory.observations(gateway: "hall")))
    let (store, notice) = try ObservationStore.open(gateway: "hall", directory: directory)
    #expect(notice?.contains("damaged") == true)
    #expect(try store.extent().count == 0)
    store.close()
  }
}
