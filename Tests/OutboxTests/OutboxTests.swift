import MQTT
import Beacons
import Messages
import Proximity
import Randomness
import RangingPolicy
import Testing

@testable import Outbox

@Suite struct OutboxTests {
  private func transition(_ sequence: UInt64) -> TransitionMessage {
    TransitionMessage(
      transition: Transition(
        event: .enter, zone: ZoneIndex(rawValue: 0), beacon: BeaconIndex(rawValue: 0), time: .zero,
        wallTime: WallTime(nanoseconds: 0), distance: nil, distanceDeviation: nil, rssi: nil,
        evidence: Evidence(
          threshold: 1, value: 1, unit: .metres, samples: 1, dwell: .zero,
          receiver: ReceiverIndex(rawValue: 0))),
      epoch: 1, sequence: sequence, gateway: "g", zone: "z", beacon: "b", receiver: "r")
  }

  private func state(_ topic: String, _ payload: String) -> Message {
    Message(topic: topic, payload: Array(payload.utf8), qos: .atLeastOnce, retained: true)
  }

  private func drain(_ outbox: inout Outbox) -> [String] {
    var items: [String] = []
    while let item = outbox.first {
      switch item {
      case .transition(let message, _): items.append("\(message.sequence)")
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
    outbox.committed(first, firstRow: 1)
    #expect(drain(&outbox) == ["1", "verdict 1"])
    outbox.add(verdict("2"))
    #expect(drain(&outbox) == [])
    let second = outbox.takePending()
    outbox.failed(second) { _ in }
    #expect(drain(&outbox) == ["2", "verdict 2"])
  }

  @Test func aVerdictWaitsForTheTransitionsOfAnEarlierRun() {
    var outbox = Outbox(isDurable: true, stored: 2)
    outbox.add(transition(3))
    outbox.add(verdict("3"))
    #expect(drain(&outbox) == [])
    outbox.committed(outbox.takePending(), firstRow: 3)
    outbox.fetched([(1, transition(1))], damaged: [2], isLast: false)
    #expect(drain(&outbox) == ["1"])
    outbox.fetched([(3, transition(3))], isLast: true)
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
    guard case .transition(let first, _) = outbox.first else { return #expect(Bool(false)) }
    #expect(first.sequence == 3)
  }

  /// Commits, failures, fetches, sending and acknowledgements in any order: each transition is offered once, in the order
  /// in which it was decided, and nothing stays behind.
  @Test(arguments: 0..<20) func withAFailingDiskTransitionsAreStillOfferedOnceAndInOrder(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var outbox = Outbox(isDurable: true)
    var rows: [(row: Int64, transition: TransitionMessage)] = []
    var writing: OutboxStore.Batch?
    var decided: UInt64 = 0
    var offered: [Double] = []

    func write(_ batch: OutboxStore.Batch) {
      let first = (rows.last?.row ?? 0) + 1
      for (offset, transition) in batch.transitions.enumerated() {
        rows.append((first + Int64(offset), transition))
      }
      outbox.committed(batch, firstRow: first)
    }
    func fetch() {
      guard outbox.wantsFetch else { return }
      let found = rows.filter { $0.row > outbox.lastRow }.prefix(100)
      outbox.fetched(Array(found), isLast: found.count < 100)
    }
    func offer() {
      guard case .transition(let transition, let row)? = outbox.first else { return }
      // The number under which it was decided, whatever it was stamped with later.
      if let zone = transition.transition { offered.append(zone.evidence.value) }
      outbox.removeFirst()
      if let row { outbox.acknowledge(row: row) }
    }
    for _ in 0..<4000 {
      switch random.next() % 8 {
      case 0, 1, 2:
        for _ in 0..<(1 + random.next() % 20) {
          decided += 1
          var next = transition(decided)
          next.transition?.evidence.value = Double(decided)
          outbox.add(next)
        }
      case 3:
        if let batch = writing {
          write(batch)
          writing = nil
        } else {
          if random.next() % 2 == 0 { outbox.retry() }
          writing = outbox.takePending()
        }
      case 4:
        if let batch = writing, random.next() % 4 == 0 {
          outbox.failed(batch) { _ in }
          writing = nil
        }
      case 5: fetch()
      default: for _ in 0..<(random.next() % 30) { offer() }
      }
    }
    if let writing { write(writing) }
    for _ in 0..<3000 {
      outbox.retry()
      write(outbox.takePending())
      fetch()
      offer()
      while case .transition? = outbox.first { offer() }
    }
    let all = (1...decided).map { Double($0) }
    let agrees = offered == all
    #expect(agrees, "\(offered.count) offered of \(decided)")
  }

  /// The same with a disk that does not answer for long, again and again: each is offered once, and in order within its epoch.
  @Test(arguments: 0..<20) func aHangingDiskDelaysNothing(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var outbox = Outbox(isDurable: true)
    var rows: [(row: Int64, transition: TransitionMessage)] = []
    var lastRow: Int64 = 0
    var writing: OutboxStore.Batch?
    var decided: UInt64 = 0
    var (epoch, sequence): (UInt64, UInt64) = (1, 0)
    var offered: [(value: Double, epoch: UInt64, sequence: UInt64)] = []

    func restamp(_ transitions: inout [TransitionMessage]) {
      epoch += 1
      sequence = UInt64(transitions.count)
      for index in transitions.indices {
        transitions[index].epoch = epoch
        transitions[index].sequence = UInt64(index + 1)
      }
    }
    func write(_ batch: OutboxStore.Batch) {
      rows.removeAll { batch.acknowledged.contains($0.row) }
      let first = lastRow + 1
      for transition in batch.transitions {
        lastRow += 1
        rows.append((lastRow, transition))
      }
      outbox.committed(batch, firstRow: first)
    }
    func fetch() {
      guard outbox.wantsFetch, writing == nil else { return }
      let found = rows.filter { $0.row > outbox.lastRow }.prefix(100)
      outbox.fetched(Array(found), isLast: found.count < 100)
    }
    func offer() {
      guard case .transition(let transition, let row)? = outbox.first else { return }
      if let zone = transition.transition {
        offered.append((zone.evidence.value, transition.epoch, transition.sequence))
      }
      outbox.removeFirst()
      outbox.acknowledge(row: row ?? Outbox.noRow)
    }
    for _ in 0..<4000 {
      switch random.next() % 8 {
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
          if random.next() % 4 == 0 { outbox.failed(batch, restamp: restamp) } else { write(batch) }
        } else {
          if random.next() % 2 == 0 { outbox.retry() }
          writing = outbox.takePending()
        }
      case 4: if writing != nil, !outbox.isStalled { outbox.stall(restamp: restamp) }
      case 5: fetch()
      default: for _ in 0..<(random.next() % 30) { offer() }
      }
    }
    if let batch = writing { write(batch) }
    writing = nil
    for _ in 0..<3000 {
      outbox.retry()
      write(outbox.takePending())
      fetch()
      offer()
      while case .transition? = outbox.first { offer() }
    }
    #expect(outbox.unsafe == 0)
    #expect(Set(offered.map(\.value)).count == Int(decided))
    #expect(offered.count == Int(decided))
    var last: [UInt64: UInt64] = [:]
    for item in offered {
      let isInOrder = item.sequence > last[item.epoch, default: 0]
      #expect(isInOrder, "\(item)")
      last[item.epoch] = item.sequence
    }
  }
}
