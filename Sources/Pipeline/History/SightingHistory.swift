import Beacons
import Core

/// The latest sightings of configured beacons, for the dashboard and for trials of other thresholds. Its size is
/// bounded: at 27 sightings a second it covers an hour.
package struct SightingHistory: Sendable {
  /// The events, in the order in which they were processed.
  package enum Event: Sendable {
    /// With the pipeline's time when it came, which is later if it came late, as from scanners.
    case sighting(Sighting, at: MonotonicTime)
    /// A receiver became blind, or works again.
    case blindness(ReceiverIndex, Bool, MonotonicTime)
    /// The index is reused. Earlier sightings with it belong to another beacon.
    case retirement(BeaconIndex)
  }

  /// An event in 32 bytes.
  private struct Record: Sendable {
    var time: Int64
    var wallTime: Int64
    var beacon: Int32
    var receiver: UInt16
    /// `unknown`: none. For blindness: 1 or 0.
    var rssi: Int8
    /// `unknown`: none.
    var measuredPower: Int8
    /// By how much a sighting came late, in ns.
    var lateness: Int64 = 0

    static let unknown = Int8.min
  }

  /// Marks blindness, in place of a beacon.
  private static let blindness = Int32(-2)
  /// Marks retirement, in place of a receiver.
  private static let retirement = UInt16.max
  /// Records are stored in pieces. While a reader holds the history, a write copies only one piece.
  private static let pieceLength = 2048

  private let pieceLimit: Int
  private var pieces: [[Record]] = []
  /// How many records were dropped at the front. This is the number of the first one kept.
  package private(set) var start: UInt64 = 0
  /// Where beacons were before the first event; nil: nowhere, or that event was dropped.
  private(set) var beginning: Beginning?

  /// What an earlier run saved.
  struct Beginning: Sendable {
    var beacons: [SavedBeacon]
    var isSameBoot: Bool
    var time: MonotonicTime
    var wallTime: WallTime

    /// The memory that they take is bounded.
    static let limit = 2048
  }

  /// - Parameter limit: at least this many events are kept, and up to 2,048 more.
  package init(limit: Int = 98_304) {
    pieceLimit = max(limit / Self.pieceLength, 1) + 1
    pieces.reserveCapacity(pieceLimit)
  }

  /// The number of the next event.
  package var end: UInt64 {
    guard let last = pieces.last else { return start }
    return start + UInt64((pieces.count - 1) * Self.pieceLength + last.count)
  }

  /// The time of the earliest event; nil: none.
  package var firstTime: MonotonicTime? {
    pieces.first?.first.map { MonotonicTime(nanoseconds: $0.time) }
  }

  mutating func begin(with beginning: Beginning) {
    if end == 0, beginning.beacons.count <= Beginning.limit { self.beginning = beginning }
  }

  /// - Parameter now: the pipeline's time.
  package mutating func note(_ sighting: Sighting, at now: MonotonicTime) {
    if sighting.beacon == .nobody { return }
    append(
      Record(
        time: sighting.time.nanoseconds, wallTime: sighting.wallTime.nanoseconds,
        beacon: sighting.beacon.rawValue, receiver: sighting.receiver.rawValue,
        rssi: sighting.rssi ?? Record.unknown, measuredPower: sighting.measuredPower ?? Record.unknown,
        lateness: max(now - sighting.time, .zero).nanoseconds))
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

  /// A full history reuses its oldest piece, so it does not allocate.
  private mutating func append(_ record: Record) {
    if pieces.last.map({ $0.count == Self.pieceLength }) ?? true {
      var piece: [Record] = []
      if pieces.count == pieceLimit {
        piece = pieces.removeFirst()
        piece.removeAll(keepingCapacity: true)
        start += UInt64(Self.pieceLength)
        beginning = nil
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
        wallTime: WallTime(nanoseconds: record.wallTime)),
      at: time + TimeSpan(nanoseconds: record.lateness))
  }

  /// The history with new beacon indices. Events of beacons without a new index are dropped.
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
    // Readers at the end of the old history continue at the end of the new one.
    next.start = end - (next.end - next.start)
    return next
  }
}
