import Beacons
import CZstd

/// A partition's state as workers save it.
///
///     0   "BKFL"     4
///     4   kind       1  4; older workers wrote 3 (no checksum) and 2 (no checksum, not compressed)
///     5   lease      8  little endian, like all numbers here
///     13  position   8  how many messages of the queue are in the state
///     21  worker     1  its length, then its octets
///         seen       4  how many hashes, then 8 octets each
///         state      rest, compressed; see `Zstandard`
///         checksum   8  of all octets before it; the state's own checksum does not cover the header
package struct Checkpoint: Hashable, Sendable {
  package var lease: UInt64
  package var position: UInt64
  package var worker: String
  /// Hashes of the messages that are in the state and were not yet acknowledged when it was saved, in order; see `SeenAgain`.
  package var seen: [UInt64]
  package var state: [UInt8]

  package init(lease: UInt64, position: UInt64, worker: String, seen: [UInt64] = [], state: [UInt8]) {
    self.lease = lease
    self.position = position
    self.worker = worker
    self.seen = seen
    self.state = state
  }

  private static let magic = Array("BKFL".utf8)
  private static let header = 22
  /// The longest state, in octets. A longer one must not be saved, because no worker could read it.
  package static let limit = 1 << 30
  /// A consumer of RabbitMQ cannot have more unacknowledged messages.
  private static let mostSeen = Int(UInt16.max)
  private static let tail = 8

  package var payload: [UInt8] {
    var bytes = Self.magic
    let worker = self.worker.utf8.prefix(255)
    let state = Zstandard.compress(self.state)
    bytes.reserveCapacity(Self.header + worker.count + 4 + 8 * seen.count + state.count + Self.tail)
    func add(_ number: UInt64, octets: Int) {
      for place in 0..<octets { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(place)))) }
    }
    bytes.append(4)
    add(lease, octets: 8)
    add(position, octets: 8)
    bytes.append(UInt8(worker.count))
    bytes.append(contentsOf: worker)
    add(UInt64(seen.count), octets: 4)
    for hash in seen { add(hash, octets: 8) }
    bytes.append(contentsOf: state)
    add(StateChecksum.of(bytes, count: bytes.count), octets: Self.tail)
    return bytes
  }

  /// Reads a payload. Throws `damaged` if it is no checkpoint, and another error if it is of a later version.
  package init(_ payload: [UInt8]) throws(StateError) {
    guard payload.count >= Self.header, payload.starts(with: Self.magic), payload[4] >= 2 else {
      throw .damaged("no checkpoint")
    }
    guard payload[4] <= 4 else { throw .kind(payload[4]) }
    func number(at place: Int, octets: Int = 8) -> UInt64 {
      (0..<octets).reduce(0) { $0 | UInt64(payload[place + $1]) << (8 * $1) }
    }
    let last = payload[4] == 4 ? payload.count - Self.tail : payload.count
    guard last == payload.count || number(at: last) == StateChecksum.of(payload, count: last) else {
      throw .damaged("checksum of the checkpoint")
    }
    let end = Self.header + Int(payload[21])
    guard last >= end + 4, let worker = String(validating: payload[Self.header..<end], as: UTF8.self)
    else { throw .damaged("head of the checkpoint") }
    lease = number(at: 5)
    position = number(at: 13)
    self.worker = worker
    let count = Int(number(at: end, octets: 4))
    let begin = end + 4
    guard count <= min((last - begin) / 8, Self.mostSeen) else { throw .damaged("hashes of the checkpoint") }
    seen = (0..<count).map { number(at: begin + 8 * $0) }
    let rest = payload[(begin + 8 * count)..<last]
    guard let state = payload[4] == 2 ? Array(rest) : Zstandard.decompress(rest, limit: Self.limit) else {
      throw .damaged("compressed state")
    }
    self.state = state
  }
}

/// Compression with libzstd, in one frame (RFC 8878). A state has many zeros and repetitions, and shrinks to a quarter.
enum Zstandard {
  /// The fastest of the usual levels. Higher ones take longer and compress no better.
  private static let level: Int32 = 1

  static func compress(_ octets: [UInt8]) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: ZSTD_compressBound(octets.count)) { room, count in
      count = octets.withUnsafeBytes {
        ZSTD_compress(room.baseAddress, room.count, $0.baseAddress, $0.count, level)
      }
      // The output has enough room, so this fails only if memory is short.
      precondition(ZSTD_isError(count) == 0, "out of memory")
    }
  }

  /// - Parameter limit: the largest result, in octets. Up to this, the length in the frame is believed.
  /// - Returns: nil if it is damaged, or longer than the limit.
  static func decompress(_ octets: ArraySlice<UInt8>, limit: Int) -> [UInt8]? {
    octets.withUnsafeBytes { frame in
      // For an unknown length or no frame, this returns a number near 2⁶⁴.
      guard let length = Int(exactly: ZSTD_getFrameContentSize(frame.baseAddress, frame.count)),
        length <= limit
      else { return nil }
      var isWhole = false
      let octets = [UInt8](unsafeUninitializedCapacity: length) { room, count in
        let end = ZSTD_decompress(room.baseAddress, room.count, frame.baseAddress, frame.count)
        isWhole = end == length
        count = isWhole ? length : 0
      }
      return isWhole ? octets : nil
    }
  }
}

/// A part of a checkpoint, as an entry of a partition's lease queue. Pieces are short, because RabbitMQ keeps a queue's
/// messages on disk until some thousand later ones have come.
///
///     0   "BKPC"     4
///     4   lease      8  little endian, like all numbers here
///     12  position   8  how many messages of the partition's queue are in the state
///     20  place      4
///     24  count      4
///     28  octets     rest
package struct StatePiece: Hashable, Sendable {
  static let limit = 32 << 10
  private static let magic = Array("BKPC".utf8)
  private static let header = 28

  package var state: LeaseRecord.Saved
  package var place: Int
  package var count: Int
  package var octets: ArraySlice<UInt8>

  /// Splits a checkpoint into pieces.
  static func pieces(of payload: [UInt8], _ state: LeaseRecord.Saved) -> [StatePiece] {
    let count = max((payload.count + limit - 1) / limit, 1)
    return (0..<count).map { place in
      StatePiece(
        state: state, place: place, count: count,
        octets: payload[place * limit..<min((place + 1) * limit, payload.count)])
    }
  }

  var payload: [UInt8] {
    var bytes = Self.magic
    bytes.reserveCapacity(Self.header + octets.count)
    func add(_ number: UInt64, octets: Int) {
      for place in 0..<octets { bytes.append(UInt8(truncatingIfNeeded: number >> (8 * UInt64(place)))) }
    }
    add(state.lease, octets: 8)
    add(state.position, octets: 8)
    add(UInt64(place), octets: 4)
    add(UInt64(count), octets: 4)
    bytes.append(contentsOf: octets)
    return bytes
  }

  init(state: LeaseRecord.Saved, place: Int, count: Int, octets: ArraySlice<UInt8>) {
    (self.state, self.place, self.count, self.octets) = (state, place, count, octets)
  }

  /// nil for anything else.
  init?(_ payload: [UInt8]) {
    guard payload.count >= Self.header, payload.count <= Self.header + Self.limit,
      payload.starts(with: Self.magic)
    else { return nil }
    func number(at place: Int, octets: Int) -> UInt64 {
      (0..<octets).reduce(0) { $0 | UInt64(payload[place + $1]) << (8 * $1) }
    }
    state = LeaseRecord.Saved(lease: number(at: 4, octets: 8), position: number(at: 12, octets: 8))
    place = Int(number(at: 20, octets: 4))
    count = Int(number(at: 24, octets: 4))
    octets = payload[Self.header...]
    guard place < count, count <= Self.mostPieces else { return nil }
  }

  /// Enough for a state of 256 MiB.
  private static let mostPieces = 8192
}
