import Beacons
import Contract
import Core
import Phones
import Proximity
import TestSupport
import Testing

@testable import Outbox

@Suite struct OutboxTests {
  private func transition(_ sequence: UInt64) -> TransitionMessage {
    TransitionMessage(
      .zone(
        Transition(
          event: .enter, zone: ZoneIndex(rawValue: 0), beacon: BeaconIndex(rawValue: 0), time: .zero,
          wallTime: WallTime(nanoseconds: 0), distance: nil, distanceDeviation: nil, rssi: nil,
          evidence: Evidence(
            threshold: 1, value: 1, unit: .metres, samples: 1, dwell: .zero,
            receiver: ReceiverIndex(rawValue: 0)))),
      epoch: 1, sequence: sequence, gateway: "g", place: "z", beacon: "b", receiver: "r")
  }

  private func state(_ topic: String, _ payload: String) -> Message {
    Message(topic: topic, payload: Array(payload.utf8), qos: .atLeastOnce, retained: true)
  }

  private func drain(_ outbox: inout Outbox) -> [String] {
    var items: [String] = []
    while let item = outbox.first {
      switch item {
      case .numbered(let waiting): items.append("\(waiting.content.sequence)")
      case .verdict(let verdict): items.append("verdict \(verdict.transition)")
      case .state(let message):
        items.append(message.topic + "=" + String(decoding: message.payload, as: UTF8.self))
      }
      outbox.removeFirst()
    }
    return items
  }

  @Test func transitionsKeepTheirOrderAndGoBeforeStates() {
    var outbox = Outbox()
    outbox.add(state("a", "1"))
    outbox.add(transition(1))
    outbox.add(transition(2))
    #expect(drain(&outbox) == ["1", "2", "a=1"])
  }

  @Test func `while the disk takes its time, what the broker lacks is counted, and what it has is not`() {
    var outbox = Outbox(isDurable: true)
    outbox.add(transition(1))
    outbox.committed(outbox.takePending())
    outbox.removeFirst()
    outbox.acknowledge(row: 1)
    #expect(outbox.count == 0)
    outbox.add(transition(2))
    let batch = outbox.takePending()
    #expect(outbox.count == 1)
    outbox.stall { _ in }
    #expect(outbox.count == 1)
    outbox.removeFirst()
    outbox.acknowledge(row: 2)
    #expect(outbox.count == 0)
    outbox.committed(batch)
    #expect(outbox.count == 0)
  }

  @Test func `of too many verdicts the oldest go, of too many topics of states the newest`() {
    var outbox = Outbox()
    for number in 0...Outbox.verdictLimit { outbox.add(verdict("\(number)")) }
    #expect(outbox.count == Outbox.verdictLimit)
    #expect(drain(&outbox).first == "verdict 1")
    for number in 0...Outbox.stateLimit { outbox.add(state("\(number)", "x")) }
    #expect(outbox.count == Outbox.stateLimit)
    outbox.add(state("0", "y"))
    let said = drain(&outbox)
    #expect(said.first == "0=y" && said.last == "\(Outbox.stateLimit - 1)=x")
  }

  @Test func gainsAreWrittenOnceTheyHaveChangedByAQuarterOfADecibel() {
    var outbox = Outbox(isDurable: true)
    func written(_ gains: [String: Double], isLast: Bool = false) -> [String: Double]? {
      outbox.save(gains: gains, isLast: isLast)
      return outbox.takePending().gains
    }
    #expect(written(["hall": 1]) == ["hall": 1])
    #expect(written(["hall": 1.1]) == nil)
    #expect(written(["hall": 1.3]) == ["hall": 1.3])
    #expect(written(["hall": 1.3, "attic": 0.1]) == ["hall": 1.3, "attic": 0.1])
    #expect(written([:]) == [:])
    #expect(written(["hall": 1]) == ["hall": 1])
    #expect(written(["hall": 1.01], isLast: true) == ["hall": 1.01])
    #expect(written(["hall": 1.01], isLast: true) == nil)
  }

  @Test func gainsThatCouldNotBeWrittenAreWrittenNextTime() {
    var outbox = Outbox(isDurable: true)
    outbox.save(gains: ["hall": 1])
    let batch = outbox.takePending()
    outbox.failed(batch) { _ in }
    #expect(outbox.takePending().gains == ["hall": 1])
  }

  private func verdict(_ transition: String) -> VerdictMessage {
    let time = WallTime(nanoseconds: 0)
    return VerdictMessage(
      phone: "p", gateway: "g", transition: transition, zone: "z", beacon: "b", os: "ios7", strategy: "stock",
      outcome: .delivered, time: time, near: time, delivered: time, lateness: 0, evidence: [])
  }

  /// A verdict speaks of a transition, which waits for the disk.
  @Test func aVerdictNeverOvertakesEarlierTransitions() {
    var outbox = Outbox(isDurable: true)
    outbox.add(transition(1))
    outbox.add(verdict("1"))
    outbox.add(state("a", "1"))
    #expect(drain(&outbox) == ["a=1"])
    let first = outbox.takePending()
    #expect(drain(&outbox) == [])
    // Decided later, and not waited for.
    outbox.add(transition(2))
    outbox.committed(first)
    #expect(drain(&outbox) == ["1", "verdict 1"])
    outbox.add(verdict("2"))
    #expect(drain(&outbox) == [])
    let second = outbox.takePending()
    outbox.failed(second) { _ in }
    #expect(drain(&outbox) == ["2", "verdict 2"])
  }

  @Test func aVerdictWaitsForTheTransitionsOfAnEarlierRun() {
    var outbox = Outbox(isDurable: true, stored: 2, foreignRow: 2)
    outbox.add(transition(3))
    outbox.add(verdict("3"))
    #expect(drain(&outbox) == [])
    outbox.committed(outbox.takePending())
    outbox.fetched([WaitingMessage(row: 1, transition(1))], damaged: [2], isLast: false)
    #expect(drain(&outbox) == ["1"])
    outbox.fetched([WaitingMessage(row: 3, transition(3))], isLast: true)
    #expect(drain(&outbox) == ["3", "verdict 3"])
  }

  @Test func aVerdictOnADroppedTransitionDoesNotWait() {
    var outbox = Outbox()
    for number in 0...Outbox.transitionLimit { outbox.add(transition(UInt64(number))) }
    outbox.add(verdict("x"))
    #expect(drain(&outbox).last == "verdict x")
  }

  @Test func aNewerStateTakesThePlaceOfTheOneThatWaits() {
    var outbox = Outbox()
    outbox.add(state("a", "old"))
    outbox.add(state("b", "1"))
    outbox.add(state("a", "new"))
    #expect(outbox.count == 2)
    #expect(drain(&outbox) == ["a=new", "b=1"])
  }

  @Test func aStateThatWasSentMayComeAgain() {
    var outbox = Outbox()
    outbox.add(state("a", "1"))
    _ = drain(&outbox)
    outbox.add(state("a", "1"))
    #expect(drain(&outbox) == ["a=1"])
  }

  @Test func isBoundedAndCountsDrops() {
    var outbox = Outbox()
    for sequence in 0..<UInt64(Outbox.transitionLimit + 3) { outbox.add(transition(sequence)) }
    #expect(outbox.count == Outbox.transitionLimit)
    #expect(outbox.lostTransitions == 3)
    guard case .numbered(let first) = outbox.first else { return #expect(Bool(false)) }
    #expect(first.content.sequence == 3)
  }

  /// The broker refuses it, or is away; nothing else is decided.
  @Test func whatWasHandedOverWhileTheDiskWasFullIsWrittenOnceItHasRoom() {
    var outbox = Outbox(isDurable: true)
    var disk = Disk()
    for number in 1...3 { outbox.add(transition(UInt64(number))) }
    outbox.failed(outbox.takePending()) { _ in }
    #expect(drain(&outbox) == ["1", "2", "3"])
    outbox.acknowledge(row: 2)
    #expect(outbox.unsafe == 2 && outbox.count == 2)
    outbox.retry()
    let batch = outbox.takePending()
    // One is acknowledged while it is being written.
    outbox.acknowledge(row: 3)
    disk.write(batch, of: &outbox)
    #expect(outbox.unsafe == 0 && outbox.count == 1)
    #expect(drain(&outbox) == [], "none is offered twice")
    disk.write(outbox.takePending(), of: &outbox)
    #expect(disk.rows.keys.sorted() == [1])
    outbox.acknowledge(row: 1)
    disk.write(outbox.takePending(), of: &outbox)
    #expect(disk.rows.isEmpty && outbox.count == 0)
  }

  /// What a disk does, without one.
  private struct Disk {
    var rows: [Int64: WaitingMessage] = [:]

    mutating func write(_ batch: OutboxStore.Batch, of outbox: inout Outbox) {
      for row in batch.acknowledged { rows[row] = nil }
      for message in batch.handedOver + batch.transitions { rows[message.row] = message }
      outbox.committed(batch)
    }

    func fetch(into outbox: inout Outbox) {
      guard outbox.wantsFetch else { return }
      let found = rows.values.filter { $0.row > outbox.lastRow }.sorted { $0.row < $1.row }.prefix(
        100)
      outbox.fetched(Array(found), isLast: found.count < 100)
    }
  }

  /// Commits, failures, silences, fetches, sending, acknowledgements, and messages that the broker refuses, in any order: each
  /// transition is offered once, in the order in which it was decided, or, past a disk that hangs, in the order of its numbers; nothing
  /// stays behind; and in the end the disk has what the broker refuses.
  @Test(arguments: 0..<40) func withABadDiskTransitionsAreStillOfferedOnceAndInOrder(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    let mayHang = seed % 2 == 1
    var outbox = Outbox(isDurable: true)
    var disk = Disk()
    var writing: OutboxStore.Batch?
    var decided: UInt64 = 0
    var (epoch, sequence): (UInt64, UInt64) = (1, 0)
    var offered: [(value: Double, epoch: UInt64, sequence: UInt64)] = []
    var refused: Set<Int64> = []

    func restamp(_ transitions: inout [WaitingMessage]) {
      epoch += 1
      sequence = UInt64(transitions.count)
      for index in transitions.indices {
        transitions[index].content.epoch = epoch
        transitions[index].content.sequence = UInt64(index + 1)
      }
    }
    func offer() {
      guard case .numbered(let waiting)? = outbox.first else { return }
      if let zone = (waiting.content as? TransitionMessage)?.transition {
        offered.append((zone.evidence.value, waiting.content.epoch, waiting.content.sequence))
      }
      outbox.removeFirst()
      if random.next() % 4 == 0 {
        refused.insert(waiting.row)
      } else {
        outbox.acknowledge(row: waiting.row)
      }
    }
    for _ in 0..<4000 {
      switch random.next() % 9 {
      case 0, 1:
        for _ in 0..<(1 + random.next() % 20) {
          decided += 1
          sequence += 1
          var next = transition(sequence)
          next.epoch = epoch
          next.transition?.evidence.value = Double(decided)
          outbox.add(next)
        }
      case 2, 3:
        if let batch = writing {
          writing = nil
          if random.next() % 4 == 0 {
            outbox.failed(batch, restamp: restamp)
          } else {
            disk.write(batch, of: &outbox)
          }
        } else {
          if random.next() % 2 == 0 { outbox.retry() }
          writing = outbox.takePending()
        }
      case 4: if mayHang, writing != nil, !outbox.isStalled { outbox.stall(restamp: restamp) }
      case 5: if writing == nil { disk.fetch(into: &outbox) }
      case 6:
        if let row = refused.popFirst() { outbox.acknowledge(row: row) }
      default: for _ in 0..<(random.next() % 30) { offer() }
      }
    }
    if let batch = writing { disk.write(batch, of: &outbox) }
    for _ in 0..<3000 {
      outbox.retry()
      disk.write(outbox.takePending(), of: &outbox)
      disk.fetch(into: &outbox)
      offer()
      while case .numbered? = outbox.first { offer() }
    }
    disk.write(outbox.takePending(), of: &outbox)
    #expect(outbox.unsafe == 0)
    #expect(Set(disk.rows.keys) == refused && outbox.count == refused.count)
    let all = (1...decided).map { Double($0) }
    let agrees = mayHang ? offered.map(\.value).sorted() == all : offered.map(\.value) == all
    #expect(agrees, "\(offered.count) offered of \(decided)")
    var last: [UInt64: UInt64] = [:]
    for item in offered {
      let isInOrder = item.sequence > last[item.epoch, default: 0]
      #expect(isInOrder, "\(item)")
      last[item.epoch] = item.sequence
    }
  }
}
