import Beacons
import Core
import Proximity

/// The latest sightings of configured beacons, for the dashboard and for trials of other thresholds: those of the last hour and five
/// minutes, and at least 98,304, as far as 24 MiB of memory hold them. A sighting takes some 8 octets, so an hour may have 800
/// a second.
///
/// Nothing is written to a disk: an SD card would wear out.
package struct SightingHistory: Sendable {
  /// The events, in the order in which they were processed.
  package enum Event: Sendable {
    /// With the pipeline's time when it was processed, which is later if it came late, as from scanners.
    case sighting(Sighting, at: MonotonicTime)
    /// A receiver became blind, or works again.
    case sight(ReceiverIndex, ReceiverSight.State, MonotonicTime)
    /// The index is reused. Earlier sightings with it belong to another beacon.
    case retirement(BeaconIndex, at: MonotonicTime)
  }

  /// How much is kept. The limit of octets holds even if the others would keep more.
  package struct Limits: Sendable {
    /// The memory of encoded events.
    package var octets = 24 << 20
    /// Older events are dropped…
    package var age = TimeSpan.seconds(65 * 60)
    /// …but not below this number, so that a quiet site remembers longer.
    package var events: UInt64 = 98_304

    package init() {}
  }

  /// Consecutive events, encoded. A piece is read on its own, it is dropped as a whole, and while a reader holds the history, a
  /// write copies only the last one.
  fileprivate struct Piece: Sendable {
    /// Always of full length; the first `used` octets are valid.
    var octets: [UInt8]
    var used = 0
    /// The number of the event after its last.
    var end: UInt64
    /// No sighting in it is later.
    var latest = MonotonicTime(nanoseconds: .min)
    var hasOnlySightings = true

    static let length = 16 << 10
  }

  private let limits: Limits
  private var pieces: [Piece] = []
  /// Encodes the last piece.
  private var coder = EventCoder()
  private var numbers = BeaconNumbers()
  /// The number of the first event that is kept, which is how many were dropped.
  package private(set) var start: UInt64 = 0
  /// The number of the next event.
  package private(set) var end: UInt64 = 0
  /// Where beacons were before the first event; nil: nowhere, or that event was dropped.
  private(set) var beginning: Beginning?

  /// The beacons that an earlier run saved.
  struct Beginning: Sendable {
    var beacons: [SavedBeacon]
    var isSameBoot: Bool
    var time: MonotonicTime
    var wallTime: WallTime

    /// Maximum number of beacons. It bounds memory.
    static let limit = 2048
  }

  package init(_ limits: Limits = Limits()) { self.limits = limits }

  /// Since when no event is missing; nil: there is none.
  package var firstTime: MonotonicTime? { events().first { _ in true }?.time }

  /// How many octets the events take.
  package var octets: Int { pieces.reduce(0) { $0 + $1.used } }

  mutating func begin(with beginning: Beginning) {
    if end == 0, beginning.beacons.count <= Beginning.limit { self.beginning = beginning }
  }

  /// - Parameter now: the pipeline's time.
  package mutating func note(_ sighting: Sighting, at now: MonotonicTime) {
    if sighting.beacon == .nobody { return }
    append(.sighting(sighting, at: max(now, sighting.time)))
  }

  package mutating func note(
    _ receiver: ReceiverIndex, _ sight: ReceiverSight.State, at time: MonotonicTime
  ) {
    append(.sight(receiver, sight, time))
  }

  package mutating func noteRetirement(of beacon: BeaconIndex, at time: MonotonicTime) {
    append(.retirement(beacon, at: time))
  }

  private mutating func append(_ event: Event) {
    if pieces.last.map({ $0.used > Piece.length - EventCoder.longest }) ?? true { beginPiece() }
    let last = pieces.count - 1
    pieces[last].used = coder.write(
      event, numbers: &numbers, into: &pieces[last].octets, at: pieces[last].used)
    end += 1
    pieces[last].end = end
    pieces[last].latest = coder.latest
    if case .sighting = event {} else { pieces[last].hasOnlySightings = false }
  }

  /// Drops what is not to be kept. Its memory is used again, so a full history does not allocate.
  private mutating func beginPiece() {
    var octets: [UInt8] = []
    while let oldest = pieces.first,
      (pieces.count + 1) * Piece.length > limits.octets
        || oldest.latest < coder.latest - limits.age && end - oldest.end >= limits.events
    {
      octets = pieces.removeFirst().octets
      start = oldest.end
      beginning = nil
    }
    if octets.isEmpty { octets = Array(repeating: 0, count: Piece.length) }
    pieces.append(Piece(octets: octets, end: end))
    coder = EventCoder()
  }

  /// The history with new beacon indices. Events of beacons without a new index are not shown any more. Numbers of events stay.
  func renumbered(_ indices: [BeaconIndex?]) -> SightingHistory {
    var next = self
    next.numbers.renumber(indices, keeping: start..<end)
    return next
  }

  /// Events in order.
  ///
  /// - Parameters:
  ///   - first: the number of the first event.
  ///   - time: sightings before it may be left out, as whole pieces.
  package func events(from first: UInt64 = 0, since time: MonotonicTime? = nil) -> Events {
    Events(of: pieces, numbers, from: first, start: start, since: time)
  }

  /// Decodes events while they are read.
  package struct Events: Sequence, IteratorProtocol {
    private var pieces: ArraySlice<Piece>
    private let numbers: BeaconNumbers
    private let time: MonotonicTime
    private let first: UInt64
    /// The number of the next event.
    private var number: UInt64
    private var octets: [UInt8] = []
    /// The range of `octets` that is still to read.
    private var (place, used) = (0, 0)
    private var coder = EventCoder()

    fileprivate init(
      of pieces: [Piece], _ numbers: BeaconNumbers, from first: UInt64, start: UInt64,
      since time: MonotonicTime?
    ) {
      let skipped = pieces.prefix { $0.end <= first }
      self.pieces = pieces[skipped.endIndex...]
      number = skipped.last?.end ?? start
      self.numbers = numbers
      self.first = first
      self.time = time ?? MonotonicTime(nanoseconds: .min)
    }

    package mutating func next() -> Event? {
      while true {
        while place == used { if !takePiece() { return nil } }
        let event = coder.read(octets, at: &place, numbers: numbers)
        number += 1
        if number > first, let event { return event }
      }
    }

    private mutating func takePiece() -> Bool {
      while let piece = pieces.popFirst() {
        if piece.hasOnlySightings, piece.latest < time {
          number = piece.end
          continue
        }
        (octets, place, used, coder) = (piece.octets, 0, piece.used, EventCoder())
        return true
      }
      return false
    }
  }
}

extension SightingHistory.Event {
  /// The pipeline's time when it was processed.
  package var time: MonotonicTime {
    switch self {
    case .sighting(_, let time), .sight(_, _, let time), .retirement(_, let time): time
    }
  }
}
