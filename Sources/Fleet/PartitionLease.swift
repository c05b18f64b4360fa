import Core

/// A worker's place in the queue of leases of a partition, and its lease once it has one.
///
/// Each partition has a quorum queue with a single active consumer: RabbitMQ serves one worker, and the next one when that is
/// gone. It outlives any one node. The queue holds the partition's last state, in pieces, and a record that names the worker. A
/// worker acknowledges these only when there are later ones, so the next worker gets them. A worker gets back what it wrote
/// only while it is the active consumer. That proves that its lease holds and that its state is safe.
package struct PartitionLease: Sendable {
  package enum Standing: Hashable, Sendable {
    case waiting
    /// We are the active consumer. Once our mark is back, we have read everything that was written before it.
    case asking
    /// Once our record is back, we have the lease.
    case claiming(UInt64)
    case held(UInt64)
    /// Another worker has a later lease.
    case lost
  }

  /// The pieces of a state that have arrived.
  private struct Parts {
    /// How many pieces the state has.
    var count: Int
    /// By place. Emptied once the partition was taken over.
    var octets: [Int: ArraySlice<UInt8>] = [:]
    /// All deliveries of the state. A piece may come twice, and again if another worker was served for a while.
    var numbers: [UInt64] = []
  }

  package private(set) var standing = Standing.waiting
  /// The last complete state, from which the next worker continues. nil: there is none yet.
  package private(set) var saved: LeaseRecord.Saved?
  /// Entries to write to the queue, in order.
  private var outgoing: [LeaseEntry] = []
  private let worker: String
  private let turn: UInt64
  private var written: UInt64 = 0
  private var returned: UInt64 = 0
  /// Whether an entry came that is not a redelivery.
  private var hasNew = false
  private var saving: (state: LeaseRecord.Saved, payload: [UInt8])?
  /// The highest lease in any record, and the state that this record names. That state, or a later one, must be in the queue.
  private var highest: UInt64 = 0
  private var needed: LeaseRecord.Saved?
  /// Records that no other record covers; usually one.
  private var kept: [(number: UInt64, record: LeaseRecord)] = []
  private var states: [LeaseRecord.Saved: Parts] = [:]

  /// - Parameters:
  ///   - worker: its name, which no other worker has.
  ///   - turn: a number that the worker has not used before.
  package init(worker: String, turn: UInt64) {
    self.worker = worker
    self.turn = turn
    // A new queue is empty. Without a mark, the active consumer would get nothing and not know that it is active.
    mark()
  }

  /// The lease; nil: not yet, or no more.
  package var lease: UInt64? {
    if case .held(let lease) = standing { lease } else { nil }
  }

  // MARK: Writing

  /// Writes a mark; returns its number for `isBack`.
  @discardableResult
  package mutating func mark() -> UInt64 {
    written += 1
    outgoing.append(.mark(LeaseMark(worker: worker, turn: turn, number: written)))
    return written
  }

  /// Whether the lease held when, or after, this mark was written.
  package func isBack(_ mark: UInt64) -> Bool { lease != nil && returned >= mark }

  /// Writes a state. It is in the queue once `isSafe` returns true.
  package mutating func save(_ payload: [UInt8], position: UInt64) {
    guard let lease else { return }
    let state = LeaseRecord.Saved(lease: lease, position: position)
    saving = (state, payload)
    outgoing += StatePiece.pieces(of: payload, state).map(LeaseEntry.piece)
    outgoing.append(.record(LeaseRecord(lease: lease, worker: worker, saved: state)))
  }

  /// Whether the next worker will find this state.
  package func isSafe(upTo position: UInt64) -> Bool {
    guard let lease, let saved else { return false }
    return saved >= LeaseRecord.Saved(lease: lease, position: position)
  }

  /// Writes again what has not come back: RabbitMQ does not confirm it, and it may be lost with a node. Call it when the wait
  /// is unusually long.
  package mutating func repeatLast() {
    switch standing {
    case .waiting, .asking: mark()
    case .claiming: claim()
    case .held: if let saving { save(saving.payload, position: saving.state.position) }
    case .lost: break
    }
  }

  /// The entries to write now, in order.
  package mutating func takeOutgoing() -> [LeaseEntry] {
    defer { outgoing.removeAll() }
    return outgoing
  }

  // MARK: Reading

  /// Processes a delivery.
  ///
  /// - Parameters:
  ///   - number: the number of the delivery; it increases.
  ///   - isRepeated: it was delivered before, perhaps to another worker.
  /// - Returns: the deliveries that are not needed any more.
  package mutating func take(_ payload: [UInt8], number: UInt64, isRepeated: Bool) -> [UInt64] {
    // Redeliveries come first. A later one means that another worker was active meanwhile.
    if isRepeated, hasNew { standing = .lost }
    hasNew = hasNew || !isRepeated
    // The partition is another worker's by now. Our unacknowledged entries go back when we disconnect.
    if standing == .lost { return [] }
    defer { if standing == .waiting { ask() } }
    switch LeaseEntry(payload) {
    case nil: return [number]
    case .mark(let mark):
      if mark.worker == worker, mark.turn == turn {
        returned = max(returned, mark.number)
        if standing == .waiting || standing == .asking && returned == written { claim() }
      }
      return [number]
    case .piece(let piece): return take(piece, number)
    case .record(let record): return take(record, number)
    }
  }

  private mutating func take(_ piece: StatePiece, _ number: UInt64) -> [UInt64] {
    if let lease, piece.state != saved {
      // Besides the saved state, only our own later ones matter. A piece of a later lease shows that another worker
      // was active.
      if saved.map({ piece.state < $0 }) ?? false || piece.state.lease < lease { return [number] }
      if piece.state.lease > lease { standing = .lost }
    }
    var parts = states.removeValue(forKey: piece.state) ?? Parts(count: piece.count)
    defer { states[piece.state] = parts }
    guard piece.count == parts.count else { return [number] }
    parts.octets[piece.place] = lease == nil ? piece.octets : []
    parts.numbers.append(number)
    return []
  }

  /// A worker that is no longer active may have written its record late. Then the highest lease may name an older state. Or the
  /// record is of an earlier lease, and the worker with the later one has deleted pieces of that state.
  private mutating func take(_ record: LeaseRecord, _ number: UInt64) -> [UInt64] {
    if let lease, record.lease < lease || record.worker != worker && record.lease == lease { return [number] }
    if record.lease > highest { (highest, needed) = (record.lease, nil) }
    if record.lease == highest, let state = record.saved { needed = max(needed ?? state, state) }
    var record = record
    if let state = record.saved, !isWhole(state) { record.saved = nil }
    kept.append((number, record))
    if let state = record.saved { saved = max(saved ?? state, state) }
    switch standing {
    case .claiming(let lease) where record.lease == lease && record.worker == worker:
      standing = .held(lease)
      return []
    case .claiming(let lease) where record.lease >= lease: claim()
    case .held(let lease) where record.lease > lease: standing = .lost
    default: break
    }
    // A worker without the lease deletes nothing.
    guard lease != nil, let best = saved else { return [] }
    if let saving, isSafe(upTo: saving.state.position) { self.saving = nil }
    return forget { $0 < best } + forgetRecords()
  }

  private func isWhole(_ state: LeaseRecord.Saved) -> Bool {
    states[state].map { $0.octets.count == $0.count } ?? false
  }

  /// The lowest delivery that is still needed.
  package var lowestKept: UInt64? {
    (kept.map(\.number) + states.values.compactMap { $0.numbers.min() }).min()
  }

  private mutating func forget(_ isNeedless: (LeaseRecord.Saved) -> Bool) -> [UInt64] {
    states.keys.filter(isNeedless).flatMap { states.removeValue(forKey: $0)?.numbers ?? [] }
  }

  /// Drops the records that are covered by another one.
  private mutating func forgetRecords() -> [UInt64] {
    let all = kept
    kept = all.enumerated().filter { place, entry in
      !all.enumerated().contains { other, better in
        other != place && better.record.covers(entry.record)
          && (other > place || !entry.record.covers(better.record))
      }
    }.map(\.element)
    return all.map(\.number).filter { number in !kept.contains { $0.number == number } }
  }

  /// The state to continue from, once the lease is held. It is large, so it is moved out.
  ///
  /// - Returns: its octets, and the deliveries that are not needed any more. Empty: there is no state yet. nil: a piece is
  ///   missing, though a record says that the state is complete.
  package mutating func takeState() -> (payload: [UInt8]?, done: [UInt64]) {
    if let needed, saved.map({ $0 < needed }) ?? true {
      saved = nil
      return (nil, forget { _ in true } + forgetRecords())
    }
    guard let saved, let parts = states[saved] else { return ([], forget { _ in true } + forgetRecords()) }
    let done = forget { $0 != saved } + forgetRecords()
    var payload: [UInt8] = []
    for place in 0..<parts.count { payload += parts.octets[place] ?? [] }
    states[saved]?.octets = parts.octets.mapValues { _ in [] }
    return (payload, done)
  }

  private mutating func ask() {
    standing = .asking
    mark()
  }

  private mutating func claim() {
    standing = .claiming(highest + 1)
    let state = [saved, needed].compactMap(\.self).max()
    outgoing.append(.record(LeaseRecord(lease: highest + 1, worker: worker, saved: state)))
  }
}

/// An entry in a partition's lease queue: JSON, or a piece of a state.
package enum LeaseEntry: Hashable, Sendable {
  case record(LeaseRecord)
  /// Only the active consumer gets its own mark back.
  case mark(LeaseMark)
  case piece(StatePiece)

  package var payload: [UInt8] {
    switch self {
    case .piece(let piece): piece.payload
    case .mark(let mark):
      JSONWriter.object {
        $0.field("v", 1)
        $0.field("worker", mark.worker)
        $0.field("turn", mark.turn)
        $0.field("mark", mark.number)
      }
    case .record(let record):
      JSONWriter.object {
        $0.field("v", 1)
        $0.field("worker", record.worker)
        $0.field("lease", record.lease)
        guard let saved = record.saved else { return }
        $0.key("saved")
        $0.object {
          $0.field("lease", saved.lease)
          $0.field("position", saved.position)
        }
      }
    }
  }

  /// nil for anything else.
  package init?(_ payload: [UInt8]) {
    if let piece = StatePiece(payload) {
      self = .piece(piece)
      return
    }
    guard payload.count <= 1000, let tree = try? JSONTree(payload), tree["v"]?.wholeNumber == 1,
      case .text(let worker)? = tree["worker"], (1...200).contains(worker.utf8.count)
    else { return nil }
    func number(_ tree: JSONTree?, from least: Int64) -> UInt64? {
      guard let number = tree?.wholeNumber, number >= least else { return nil }
      return UInt64(number)
    }
    if let mark = number(tree["mark"], from: 0), let turn = number(tree["turn"], from: 0) {
      self = .mark(LeaseMark(worker: worker, turn: turn, number: mark))
      return
    }
    guard let lease = number(tree["lease"], from: 1) else { return nil }
    var saved: LeaseRecord.Saved?
    if let entry = tree["saved"] {
      // A record cannot name a state of a later lease. If it were believed, no later record could exceed it.
      guard let earlier = number(entry["lease"], from: 1), earlier <= lease,
        let position = number(entry["position"], from: 0)
      else { return nil }
      saved = LeaseRecord.Saved(lease: earlier, position: position)
    }
    self = .record(LeaseRecord(lease: lease, worker: worker, saved: saved))
  }
}

/// Records which worker has a partition, and which of its states is complete.
package struct LeaseRecord: Hashable, Sendable {
  /// Identifies a state.
  package struct Saved: Hashable, Comparable, Sendable {
    package var lease: UInt64
    package var position: UInt64

    package static func < (left: Self, right: Self) -> Bool {
      (left.lease, left.position) < (right.lease, right.position)
    }
  }

  package var lease: UInt64
  package var worker: String
  /// nil: there is none yet.
  package var saved: Saved?

  /// Whether it contains everything that another record does.
  func covers(_ other: LeaseRecord) -> Bool {
    guard lease >= other.lease else { return false }
    return other.saved.map { theirs in saved.map { $0 >= theirs } ?? false } ?? true
  }
}

package struct LeaseMark: Hashable, Sendable {
  package var worker: String
  /// Distinguishes this wait from earlier ones of the same worker.
  package var turn: UInt64
  package var number: UInt64
}
