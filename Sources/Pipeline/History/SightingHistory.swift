import Beacons

/// The latest sightings of configured beacons, for people who look back and try other thresholds. It holds a bounded number:
/// with 27 sightings a second they last an hour.
package struct SightingHistory: Sendable {
  /// The records, in the order in which they were processed.
  package enum Event: Sendable {
    case sighting(Sighting)
    /// A receiver became blind, or works again.
    case blindness(ReceiverIndex, Bool, MonotonicTime)
    /// Earlier sightings of this index are of another beacon.
    case retirement(BeaconIndex)
  }

  /// An event in 24 bytes.
  private struct Record: Sendable {
    var time: Int64
    var wallTime: Int64
    var beacon: Int32
    var receiver: UInt16
    /// `unknown`: none. Of blindness: 1 or 0.
    var rssi: Int8
    /// `unknown`: none.
    var measuredPower: Int8

    static let unknown = Int8.min
  }

  /// Instead of a beacon.
  private static let blindness = Int32(-2)
  /// Instead of a receiver.
  private static let retirement = UInt16.max
  /// Records are kept in pieces, so that a reader who holds the history costs the writer a copy of one piece only.
  private static let pieceLength = 2048

  private let pieceLimit: Int
  private var pieces: [[Record]] = []
  /// How many records were dropped at the front: the number of the first that is kept.
  package private(set) var start: UInt64 = 0

  /// - Parameter limit: how many events are kept at least; up to 2,048 more.
  package init(limit: Int = 98_304) {
    pieceLimit = max(limit / Self.pieceLength, 1) + 1
    pieces.reserveCapacity(pieceLimit)
  }

  /// The number that the next event gets.
  package var end: UInt64 {
    guard let last = pieces.last else { return start }
    return start + UInt64((pieces.count - 1) * Self.pieceLength + last.count)
  }

  /// When the earliest event was that is kept; nil: there is none.
  package var firstTime: MonotonicTime? {
    pieces.first?.first.map { MonotonicTime(nanoseconds: $0.time) }
  }

  package mutating func note(_ sighting: Sighting) {
    if sighting.beacon == .nobody { return }
    append(
      Record(
        time: sighting.time.nanoseconds, wallTime: sighting.wallTime.nanoseconds,
        beacon: sighting.beacon.rawValue, receiver: sighting.receiver.rawValue,
        rssi: sighting.rssi ?? Record.unknown, measuredPower: sighting.measuredPower ?? Record.unknown))
  }

  mutating func note(_ receiver: ReceiverIndex, isBlind: Bool, at time: MonotonicTime) {
    append(
      Record(
        time: time.nanoseconds, wallTime: 0, beacon: Self.blindness, receiver: receiver.rawValue,
        rssi: isBlind ? 1 : 0, measuredPower: Record.unknown))
  }

  mutating func noteRetirement(of beacon: BeaconIndex, at time: MonotonicTime) {
    append(
      Record(
        time: time.nanoseconds, wallTime: 0, beacon: beacon.rawValue, receiver: Self.retirement,
        rssi: Record.unknown, measuredPower: Record.unknown))
  }

  /// A full history reuses its oldest piece, so that it never allocates again.
  private mutating func append(_ record: Record) {
    if pieces.last.map({ $0.count == Self.pieceLength }) ?? true {
      var piece: [Record] = []
      if pieces.count == pieceLimit {
        piece = pieces.removeFirst()
        piece.removeAll(keepingCapacity: true)
        start += UInt64(Self.pieceLength)
      } else {
        piece.reserveCapacity(Self.pieceLength)
      }
      pieces.append(piece)
    }
    pieces[pieces.count - 1].append(record)
  }

  /// Visits events from the number `first` on.
  package func forEach(from first: UInt64, _ body: (Event) -> Void) {
    let first = Int(clamping: max(first, start) - start)
    var skipped = first % Self.pieceLength
    for piece in pieces.dropFirst(first / Self.pieceLength) {
      for record in piece.dropFirst(skipped) { body(Self.event(record)) }
      skipped = 0
    }
  }

  private static func event(_ record: Record) -> Event {
    let receiver = ReceiverIndex(rawValue: record.receiver)
    let time = MonotonicTime(nanoseconds: record.time)
    if record.beacon == blindness { return .blindness(receiver, record.rssi == 1, time) }
    let beacon = BeaconIndex(rawValue: record.beacon)
    if record.receiver == retirement { return .retirement(beacon) }
    return .sighting(
      Sighting(
        beacon: beacon, receiver: receiver, rssi: record.rssi == Record.unknown ? nil : record.rssi,
        measuredPower: record.measuredPower == Record.unknown ? nil : record.measuredPower, time: time,
        wallTime: WallTime(nanoseconds: record.wallTime)))
  }

  /// The same for beacons that have other indices now. Events of those without one are dropped.
  func renumbered(_ indices: [BeaconIndex?]) -> SightingHistory {
    var next = self
    next.pieces.removeAll(keepingCapacity: true)
    for piece in pieces {
      for record in piece {
        guard record.beacon >= 0 else {
          next.append(record)
          continue
        }
        guard Int(record.beacon) < indices.count, let index = indices[Int(record.beacon)] else { continue }
        var record = record
        record.beacon = index.rawValue
        next.append(record)
      }
    }
    // Readers at the end of the old one continue at the end of the new one.
    next.start = end - (next.end - next.start)
    return next
  }
}
