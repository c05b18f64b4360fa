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
