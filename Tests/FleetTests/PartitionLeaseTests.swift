@testable import Fleet
import TestSupport
import Testing

/// A partition's queue of leases, as RabbitMQ keeps it: one consumer is served, the others stand in line.
private struct LeaseQueue {
  struct Place {
    var lease: PartitionLease
    var delivered: [(number: UInt64, payload: [UInt8])] = []
    var number: UInt64 = 0
  }

  var ready: [[UInt8]] = []
  /// How many of those, from the first on, were given back.
  private var repeated = 0
  var places: [Int: Place] = [:]
  /// Who is served is first.
  var line: [Int] = []

  mutating func join(_ worker: Int, turn: UInt64) {
    places[worker] = Place(lease: PartitionLease(worker: "w\(worker)", turn: turn))
    line.append(worker)
  }

  /// What was not acknowledged comes first again.
  private mutating func giveBack(of worker: Int) {
    let delivered = places[worker]?.delivered ?? []
    ready.insert(contentsOf: delivered.map(\.payload), at: 0)
    repeated += delivered.count
    places[worker]?.delivered.removeAll()
  }

  mutating func leave(_ worker: Int) {
    giveBack(of: worker)
    places[worker] = nil
    line.removeAll { $0 == worker }
  }

  /// Its node does not answer: the next in line is served, and it is not told.
  mutating func demote(_ worker: Int) {
    guard line.first == worker else { return }
    giveBack(of: worker)
    line.append(line.removeFirst())
  }

  mutating func serve() {
    guard let worker = line.first, var place = places[worker], !ready.isEmpty else { return }
    let payload = ready.removeFirst()
    let isRepeated = repeated > 0
    repeated -= isRepeated ? 1 : 0
    place.number += 1
    place.delivered.append((place.number, payload))
    for number in place.lease.take(payload, number: place.number, isRepeated: isRepeated) {
      place.delivered.removeAll { $0.number == number }
    }
    places[worker] = place
  }

  mutating func write(_ worker: Int) -> [[UInt8]] {
    places[worker]?.lease.takeOutgoing().map(\.payload) ?? []
  }

  /// All that there is to say is said and heard.
  mutating func settle() {
    for _ in 0..<60 {
      for worker in line { ready.append(contentsOf: write(worker)) }
      while !ready.isEmpty, line.first.flatMap({ places[$0] }) != nil {
        let before = ready.count
        serve()
        if ready.count == before { break }
      }
    }
  }

  func lease(of worker: Int) -> UInt64? { places[worker]?.lease.lease }
}

@Suite struct PartitionLeaseTests {
  @Test func `whoever is first in line gets the lease, and the next one when it leaves`() {
    var queue = LeaseQueue()
    queue.join(1, turn: 1)
    queue.join(2, turn: 2)
    queue.settle()
    #expect(queue.lease(of: 1) == 1 && queue.lease(of: 2) == nil)
    queue.leave(1)
    queue.settle()
    #expect(queue.lease(of: 2) == 2)
  }

  @Test(arguments: [0, 1, 32_768, 32_769, 200_000])
  func `a state is safe once it came back whole, and the next worker goes on from there`(size: Int) {
    let state = (0..<size).map { UInt8(truncatingIfNeeded: $0 * 31) }
    var queue = LeaseQueue()
    queue.join(1, turn: 1)
    queue.settle()
    queue.places[1]?.lease.save(state, position: 77)
    #expect(queue.places[1]?.lease.isSafe(upTo: 77) == false)
    queue.settle()
    #expect(queue.places[1]?.lease.isSafe(upTo: 77) == true)
    let pieces = max((size + 32_767) / 32_768, 1)
    #expect(queue.places[1]?.delivered.count == pieces + 1, "the state and a record stay, and nothing else")
    #expect(queue.places[1]?.lease.lowestKept == queue.places[1]?.delivered.first?.number)
    queue.leave(1)
    queue.join(2, turn: 2)
    queue.settle()
    #expect(queue.places[2]?.lease.saved == .init(lease: 1, position: 77))
    let taken = queue.places[2]?.lease.takeState()
    #expect(taken?.payload == state)
    #expect(taken?.done.count == 1, "the earlier record")
  }

  @Test func `who is served no more cannot prove its lease, and learns of a later one`() {
    var queue = LeaseQueue()
    queue.join(1, turn: 1)
    queue.join(2, turn: 2)
    queue.settle()
    queue.demote(1)
    queue.settle()
    let mark = queue.places[1]?.lease.mark() ?? 0
    queue.settle()
    #expect(queue.places[1]?.lease.isBack(mark) == false)
    #expect(queue.lease(of: 2) == 2)
    queue.leave(2)
    queue.settle()
    #expect(queue.places[1]?.lease.standing == .lost)
  }

  @Test func `what does not come back is written again`() {
    var queue = LeaseQueue()
    queue.join(1, turn: 1)
    for _ in 0..<3 {
      _ = queue.write(1)
      queue.places[1]?.lease.repeatLast()
      queue.ready.append(contentsOf: queue.write(1))
      queue.serve()
    }
    queue.settle()
    #expect(queue.lease(of: 1) != nil)
  }

  @Test(arguments: [
    "", "{}", "[1]", "{\"v\":2,\"worker\":\"a\",\"lease\":1}", "{\"v\":1,\"worker\":\"\",\"lease\":1}",
    "{\"v\":1,\"worker\":\"a\",\"lease\":0}", "{\"v\":1,\"worker\":\"a\",\"lease\":1.5}",
    "{\"v\":1,\"worker\":\"a\",\"lease\":1,\"saved\":7}",
    "{\"v\":1,\"worker\":\"a\",\"lease\":1,\"saved\":{\"lease\":1,\"position\":-1}}",
    "{\"v\":1,\"worker\":\"a\",\"lease\":1,\"saved\":{\"lease\":2,\"position\":1}}",
    "{\"v\":1,\"worker\":\"a\",\"turn\":-1,\"mark\":1}", "BKPC", "BKPC0123456789012345678",
    "BKPC\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\u{2}\0\0\0\u{2}\0\0\0",
  ])
  func `what is no entry is thrown away`(text: String) {
    #expect(LeaseEntry(Array(text.utf8)) == nil)
    var lease = PartitionLease(worker: "a", turn: 1)
    #expect(lease.take(Array(text.utf8), number: 4, isRepeated: false) == [4])
  }

  @Test func `an entry is read as it was written`() {
    for entry in [
      LeaseEntry.record(.init(lease: 1 << 50, worker: "w-1", saved: nil)),
      .record(.init(lease: 3, worker: "ü", saved: .init(lease: 2, position: 0))),
      .mark(.init(worker: "w", turn: 1 << 51, number: 9)),
    ] {
      #expect(LeaseEntry(entry.payload) == entry)
    }
  }

  /// Of two or three pieces.
  private static func state(_ position: UInt64) -> [UInt8] {
    [UInt8](repeating: UInt8(truncatingIfNeeded: position / 10), count: 40_000 + Int(position % 7) * 9000)
  }

  @Test func `a state of which a piece is missing is none`() {
    var queue = LeaseQueue()
    queue.join(1, turn: 1)
    queue.settle()
    queue.places[1]?.lease.save(Self.state(10), position: 10)
    var written = queue.write(1)
    written.remove(at: 0)
    queue.ready += written
    queue.settle()
    queue.leave(1)
    queue.join(2, turn: 2)
    queue.settle()
    #expect(queue.lease(of: 2) != nil)
    #expect(queue.places[2]?.lease.takeState().payload == nil)
    // The partition began anew, and its next owner goes on from what was saved then.
    queue.places[2]?.lease.save(Self.state(20), position: 3)
    queue.settle()
    #expect(queue.places[2]?.lease.isSafe(upTo: 3) == true)
    queue.leave(2)
    queue.join(3, turn: 3)
    queue.settle()
    #expect(queue.places[3]?.lease.takeState().payload == Self.state(20))
  }

  /// Workers die, are demoted without being told, come back; what they write may be late or lost. Positions are how much of the
  /// partition's queue was acknowledged: whoever has the partition must go on from there, or later.
  @Test(arguments: 0..<400 as Range<UInt64>) func oneWorkerHasThePartitionAndNothingIsForgotten(seed: UInt64)
  {
    var dice = SeededGenerator(seed: seed)
    var queue = LeaseQueue()
    /// What a worker wrote at once, in order.
    var late: [[[UInt8]]] = []
    var turn: UInt64 = 0
    var acknowledged: UInt64 = 0
    /// Where each holder is, by its turn in line.
    var positions: [Int: UInt64] = [:]
    var holders: [UInt64: Int] = [:]
    for _ in 0..<400 {
      let worker = Int.random(in: 1...3, using: &dice)
      switch Int.random(in: 0..<40, using: &dice) {
      case 0:
        late.append(queue.write(worker))
        queue.leave(worker)
        positions[worker] = nil
      case 1: queue.demote(worker)
      case 2: late.append(queue.write(worker))
      case 3:
        guard let place = late.indices.randomElement(using: &dice) else { break }
        if late[place].isEmpty {
          late.remove(at: place)
        } else {
          queue.ready.append(late[place].removeFirst())
        }
      case 4: _ = queue.write(worker)
      case 5: queue.places[worker]?.lease.repeatLast()
      case 6...9:
        guard queue.places[worker] == nil else { break }
        turn += 1
        queue.join(worker, turn: turn)
      case 10...14:
        guard let position = positions[worker] else { break }
        positions[worker] = position + 10
        queue.places[worker]?.lease.save(Self.state(position + 10), position: position + 10)
      case 15...24: queue.ready.append(contentsOf: queue.write(worker))
      default: queue.serve()
      }
      for worker in queue.line where queue.places[worker]?.lease.standing == .lost {
        queue.leave(worker)
        positions[worker] = nil
      }
      for worker in queue.line {
        guard let place = queue.places[worker] else { continue }
        guard let lease = place.lease.lease else {
          positions[worker] = nil
          continue
        }
        if positions[worker] == nil {
          #expect(holders[lease] == nil || holders[lease] == worker, "two workers have lease \(lease)")
          holders[lease] = worker
          let position = place.lease.saved?.position ?? 0
          let taken = queue.places[worker]?.lease.takeState()
          #expect(taken?.payload == (position == 0 ? [] : Self.state(position)))
          queue.places[worker]?.delivered.removeAll { taken?.done.contains($0.number) ?? false }
          #expect(position >= acknowledged, "goes on at \(position), and \(acknowledged) was acknowledged")
          positions[worker] = position
        }
        if let position = positions[worker], position > acknowledged, place.lease.isSafe(upTo: position) {
          acknowledged = position
        }
      }
    }
    for worker in queue.line { queue.places[worker]?.lease.repeatLast() }
    queue.join(9, turn: turn + 1)
    queue.settle()
    while let worker = queue.line.first, queue.places[worker]?.lease.standing == .lost {
      queue.leave(worker)
      queue.settle()
    }
    #expect(queue.line.contains { queue.lease(of: $0) != nil })
  }
}
