import Beacons

/// A partition's state as workers save it.
///
///     0   "BKFL"     4
///     4   kind       1  3; 2 if the state is not compressed, as workers wrote it until 2026
///     5   lease      8  little endian, as all here
///     13  position   8  how many messages of the queue the state has seen
///     21  worker     1  its length, then so many octets
///         seen       4  how many hashes, then 8 octets each
///         state      rest, compressed; see `Zstandard`
public struct Checkpoint: Hashable, Sendable {
  public var lease: UInt64
  public var position: UInt64
  public var worker: String
  /// Hashes of the messages that the state has seen and that were not acknowledged when it was saved, in order; see `SeenAgain`.
  public var seen: [UInt64]
  public var state: [UInt8]

  public init(lease: UInt64, position: UInt64, worker: String, seen: [UInt64] = [], state: [UInt8]) {
    self.lease = lease
    self.position = position
    self.worker = worker
    self.seen = seen
    self.state = state
  }

  private static let magic = Array("BKFL".utf8)
  private static let header = 22
  /// The longest state, in octets.
  private static let limit = 1 << 28

  public var payload: [UInt8] {
    var bytes = Self.magic
    let worker = self.worker.utf8.prefix(255)
    let state = Zstandard.compress(self.state)
    bytes.reserveCapacity(Self.header + worker.count + 4 + 8 * seen.count + state.count)
    func add(_ number: UInt64, octets: Int) {
      for place in 0..<octets { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(place)))) }
    }
    bytes.append(3)
    add(lease, octets: 8)
    add(position, octets: 8)
    bytes.append(UInt8(worker.count))
    bytes.append(contentsOf: worker)
    add(UInt64(seen.count), octets: 4)
    for hash in seen { add(hash, octets: 8) }
    bytes.append(contentsOf: state)
    return bytes
  }

  /// nil for anything else.
  public init?(_ payload: [UInt8]) {
    guard payload.count >= Self.header, payload.starts(with: Self.magic), (2...3).contains(payload[4])
    else {
      return nil
    }
    func number(at place: Int, octets: Int = 8) -> UInt64 {
      (0..<octets).reduce(0) { $0 | UInt64(payload[place + $1]) << (8 * $1) }
    }
    let end = Self.header + Int(payload[21])
    guard payload.count >= end, let worker = String(validating: payload[Self.header..<end], as: UTF8.self)
    else {
      return nil
    }
    lease = number(at: 5)
    position = number(at: 13)
    self.worker = worker
    guard payload.count >= end + 4 else { return nil }
    let count = Int(number(at: end, octets: 4))
    let begin = end + 4
    guard count <= (payload.count - begin) / 8 else { return nil }
    seen = (0..<count).map { number(at: begin + 8 * $0) }
    let rest = payload[(begin + 8 * count)...]
    guard let state = payload[4] == 2 ? Array(rest) : Zstandard.decompress(rest, limit: Self.limit) else {
      return nil
    }
    self.state = state
  }
}
