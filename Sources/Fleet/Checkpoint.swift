import Beacons

/// A partition's state as it stands in the stream of its checkpoints, under the lease of the worker that wrote it. Of several the
/// one with the highest lease counts, and among those the one with the highest position: a worker that lost its partition without
/// noticing may write one late.
///
///     0   "BKFL"     4
///     4   kind       1  0: an empty mark, 1: a state
///     5   lease      8  little endian, as all here
///     13  position   8  how many messages of the queue the state has seen
///     21  worker     1  its length, then so many octets
///         state      rest
public struct Checkpoint: Hashable, Sendable {
  public var lease: UInt64
  public var position: UInt64
  public var worker: String
  /// nil: only a mark, with which a reader finds the end of the stream.
  public var state: [UInt8]?

  public init(lease: UInt64, position: UInt64, worker: String, state: [UInt8]?) {
    self.lease = lease
    self.position = position
    self.worker = worker
    self.state = state
  }

  private static let magic = Array("BKFL".utf8)
  private static let header = 22

  public var payload: [UInt8] {
    var bytes = Self.magic
    let worker = self.worker.utf8.prefix(255)
    bytes.reserveCapacity(Self.header + worker.count + (state?.count ?? 0))
    bytes.append(state == nil ? 0 : 1)
    for number in [lease, position] {
      for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }
    bytes.append(UInt8(worker.count))
    bytes.append(contentsOf: worker)
    if let state { bytes.append(contentsOf: state) }
    return bytes
  }

  /// nil for anything else.
  public init?(_ payload: [UInt8]) {
    guard payload.count >= Self.header, payload.starts(with: Self.magic), payload[4] < 2 else { return nil }
    func number(at place: Int) -> UInt64 {
      (0..<8).reduce(0) { $0 | UInt64(payload[place + $1]) << (8 * $1) }
    }
    let end = Self.header + Int(payload[21])
    guard payload.count >= end, let worker = String(validating: payload[Self.header..<end], as: UTF8.self)
    else {
      return nil
    }
    lease = number(at: 5)
    position = number(at: 13)
    self.worker = worker
    state = payload[4] == 1 ? Array(payload[end...]) : nil
  }

  public func counts(over other: Checkpoint) -> Bool { (lease, position) > (other.lease, other.position) }
}
