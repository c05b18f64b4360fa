/// A worker's place in line for a partition, and its lease once it has one.
///
/// Each partition has a quorum queue of leases with a single active consumer: RabbitMQ serves one worker, and the next in line when
/// that one is gone. It outlives any one node. In it are the partition's last state, in pieces, and a record that says who has the
/// partition. Nobody acknowledges these before there are later ones, so they come to whoever is next. What a worker wrote comes back
/// to it only as long as it is the one who is served: that is the proof that its lease holds, and that its state is safe.
public struct PartitionLease: Sendable {
  public enum Standing: Hashable, Sendable {
    case waiting
    /// We are served. Once our mark is back, all that was written before it is here.
    case asking
    /// Once our record is back, we have the lease.
    case claiming(UInt64)
    case held(UInt64)
    /// Somebody has a later one.
    case lost
  }

  /// What is here of a state.
  private struct Parts {
    /// How many pieces it has.
    var count: Int
    /// By place. Empty once the partition was taken over.
    var octets: [Int: ArraySlice<UInt8>] = [:]
    /// All deliveries of it: a piece may come twice, and again when another worker was served for a while.
    var numbers: [UInt64] = []
  }

  public private(set) var standing = Standing.waiting
  /// The state from which whoever has the partition goes on: the last that is whole. nil: there is none yet.
  public private(set) var saved: LeaseRecord.Saved?
  /// What is to be written to the queue, in order.
  private var outgoing: [LeaseEntry] = []
  private let worker: String
  private let turn: UInt64
  private var written: UInt64 = 0
  private var returned: UInt64 = 0
  /// Whether something came that nobody gave back.
  private var hasNew = false
  private var saving: (state: LeaseRecord.Saved, payload: [UInt8])?
  /// The highest lease in any record, and the state that such a record names: that one, or a later one, must be there.
  private var highest: UInt64 = 0
  private var needed: LeaseRecord.Saved?
  /// Records that say more than all others: mostly one.
  private var kept: [(number: UInt64, record: LeaseRecord)] = []
  private var states: [LeaseRecord.Saved: Parts] = [:]

  /// - Parameters:
  ///   - worker: its name, which no other has.
  ///   - turn: a number that none of the worker's earlier ones had.
  public init(worker: String, turn: UInt64) {
    self.worker = worker
    self.turn = turn
    // A new queue is empty, and whoever is served would not know.
    mark()
  }

  /// The lease; nil: none yet, or no more.
  public var lease: UInt64? {
    if case .held(let lease) = standing { lease } else { nil }
  }

  // MARK: What is written

  /// Writes a mark; returns its number for `isBack`.
  @discardableResult
  public mutating func mark() -> UInt64 {
    written += 1
    outgoing.append(.mark(LeaseMark(worker: worker, turn: turn, number: written)))
    return written
  }

  /// Whether the lease held when, or after, this mark was written.
  public func isBack(_ mark: UInt64) -> Bool { lease != nil && returned >= mark }

  /// Writes a state. It may be relied on once `isSafe` says so.
  public mutating func save(_ payload: [UInt8], position: UInt64) {
    guard let lease else { return }
    let state = LeaseRecord.Saved(lease: lease, position: position)
    saving = (state, payload)
    outgoing += StatePiece.pieces(of: payload, state).map(LeaseEntry.piece)
    outgoing.append(.record(LeaseRecord(lease: lease, worker: worker, saved: state)))
  }

  /// Whether whoever comes after us will find this state.
  public func isSafe(upTo position: UInt64) -> Bool {
    guard let lease, let saved else { return false }
    return saved >= LeaseRecord.Saved(lease: lease, position: position)
  }

  /// Writes again what did not come back: RabbitMQ confirms none of it, and a node that dies may take it along. Call it when that
  /// takes unusually long.
  public mutating func repeatLast() {
    switch standing {
    case .waiting, .asking: mark()
    case .claiming: claim()
    case .held: if let saving { save(saving.payload, position: saving.state.position) }
    case .lost: break
    }
  }

  /// What is to be written now, in order.
  public mutating func takeOutgoing() -> [LeaseEntry] {
    defer { outgoing.removeAll() }
    return outgoing
  }

  // MARK: What comes

  /// Takes a delivery in.
  ///
  /// - Parameters:
  ///   - number: the delivery's, which grows.
  ///   - isRepeated: it was delivered before, maybe to somebody else.
  /// - Returns: the deliveries that nobody needs any more.
  public mutating func take(_ payload: [UInt8], number: UInt64, isRepeated: Bool) -> [UInt64] {
    // What others gave back comes first. Later there is such only if another worker was served meanwhile.
    if isRepeated, hasNew { standing = .lost }
    hasNew = hasNew || !isRepeated
    // What we knew is others' by now. It all goes back when we leave.
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
      // What else has no record yet is ours, or belongs to nobody, or to somebody who was served meanwhile.
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

  /// A worker that is served no more may have written a record late: its lease may be the highest, and its state an older one; or its
  /// lease is an earlier one, and whoever had a later one has thrown pieces of its state away.
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
    // Whoever does not have the partition throws nothing away.
    guard lease != nil, let best = saved else { return [] }
    if let saving, isSafe(upTo: saving.state.position) { self.saving = nil }
    return forget { $0 < best } + forgetRecords()
  }

  private func isWhole(_ state: LeaseRecord.Saved) -> Bool {
    states[state].map { $0.octets.count == $0.count } ?? false
  }

  /// The lowest delivery that is still needed.
  public var lowestKept: UInt64? {
    (kept.map(\.number) + states.values.compactMap { $0.numbers.min() }).min()
  }

  private mutating func forget(_ isNeedless: (LeaseRecord.Saved) -> Bool) -> [UInt64] {
    states.keys.filter(isNeedless).flatMap { states.removeValue(forKey: $0)?.numbers ?? [] }
  }

  /// Those that say nothing beside others.
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

  /// The state from which we go on, once the lease is held: gives it away, because it is large.
  ///
  /// - Returns: its octets, and the deliveries that nobody needs any more. No octets: there is none yet. nil: a part of it is missing,
  ///   though a record says that it was whole.
  public mutating func takeState() -> (payload: [UInt8]?, done: [UInt64]) {
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
