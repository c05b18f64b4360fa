import Beacons
import Captures
import Configuration
import Core
import Pipeline
import Proximity

/// The sightings of beacons during a walk, for calibration.
package struct HeardWalk: Sendable {
  private var roster: Roster
  /// Name of the wanted beacon; nil: all beacons are kept until one is chosen.
  private let wanted: String?
  package private(set) var receivers = ReceiverTable()
  private var sightings: [BeaconIndex: [Sighting]] = [:]
  private var revision: UInt64 = 0
  private var isWanted: [BeaconIndex: Bool] = [:]
  private var count = 0
  /// The latest reading of both clocks.
  private var latest: (time: MonotonicTime, wallTime: WallTime)?

  /// The largest number of sightings: a day of one beacon that six receivers hear twice a second.
  package static let limit = 1_000_000

  /// - Parameter beacon: its name; nil: any beacon.
  package init(_ configuration: Configuration, beacon: String?) {
    roster = Roster(configuration)
    wanted = beacon
  }

  /// Whether sightings had to be dropped.
  package var isFull: Bool { count >= Self.limit }

  /// The index of a receiver's name; nil: there are too many.
  package mutating func receiver(_ name: String) -> ReceiverIndex? { receivers.index(of: name) }

  /// Adds an advertisement; returns its sighting if it counts.
  @discardableResult
  package mutating func observe(_ advertisement: Advertisement, payload: Span<UInt8>) -> Sighting? {
    latest = (advertisement.time, advertisement.wallTime)
    return take(roster.sighting(of: advertisement, payload: payload) { _ in })
  }

  /// The same for an observation of a scanner.
  @discardableResult
  mutating func observe(_ observation: Observation) -> Sighting? {
    latest = (observation.time, observation.wallTime)
    return take(roster.sighting(of: observation))
  }

  private mutating func take(_ sighting: Sighting?) -> Sighting? {
    guard let sighting, sighting.rssi != nil, counts(sighting.beacon), !isFull else { return nil }
    sightings[sighting.beacon, default: []].append(sighting)
    count += 1
    return sighting
  }

  private mutating func counts(_ beacon: BeaconIndex) -> Bool {
    guard let wanted else { return true }
    // A beacon may get more names while it is heard.
    if revision != roster.revision {
      revision = roster.revision
      isWanted = [:]
    }
    if let known = isWanted[beacon] { return known }
    let answer = roster.names(of: beacon).contains(wanted)
    isWanted[beacon] = answer
    return answer
  }

  /// The beacons that were heard, by name, with how often; the most often heard first.
  package var heard: [(name: String, beacon: BeaconIndex, count: Int)] {
    sightings.map { (name: roster.name(of: $0.key), beacon: $0.key, count: $0.value.count) }
      .sorted { ($1.count, $0.name) < ($0.count, $1.name) }
  }

  /// The walk of the wanted beacon; if none was wanted, of the only one.
  package func marked(_ marks: [PlacedMark]) throws(UselessWalk) -> WalkWithMarks {
    let beacons = heard
    guard let only = beacons.first else {
      throw .silent("nothing was heard of \(wanted.map { "the beacon “\($0)”" } ?? "any configured beacon")")
    }
    guard beacons.count == 1 else {
      let list = beacons.prefix(10).map { "\($0.name) (\($0.count) times)" }.joined(separator: ", ")
      let more = beacons.count > 10 ? " and \(beacons.count - 10) more" : ""
      throw UselessWalk("several beacons were heard: \(list)\(more); name yours with --beacon")
    }
    return WalkWithMarks(
      beacon: only.name, sightings: sightings[only.beacon] ?? [], receivers: receivers, marks: marks)
  }
}

extension HeardWalk {
  /// Reads recordings to their end; marks get their place on the recordings' own clock.
  ///
  /// - Parameter progress: gets the bytes read, the bytes in total, and the number of advertisements.
  package mutating func read(
    _ captures: [String], marks: RecordingMarks, progress: (Int64, Int64?, UInt64) -> Void
  ) throws(CaptureError) -> [PlacedMark] {
    var recording = try Recording(paths: captures)
    var batch = AdvertisementBatch()
    var placed: [PlacedMark] = []
    var start: MonotonicTime?
    var advertisements: UInt64 = 0
    var table = receivers
    while true {
      switch try recording.next(into: &batch, receiver: { table.index(of: $0) }) {
      case .end:
        receivers = table
        place(&placed, marks, start, isLast: true)
        return placed
      case .health, .report: continue
      case .observation(let observation):
        start = start ?? observation.time
        observe(observation)
        place(&placed, marks, start, isLast: false)
        advertisements += 1
      case .advertisements:
        batch.forEach { advertisement, payload in
          start = start ?? advertisement.time
          observe(copy advertisement, payload: payload)
          place(&placed, marks, start, isLast: false)
        }
        advertisements += UInt64(batch.count)
        let (offset, length) = recording.progress
        progress(offset, length, advertisements)
      }
    }
  }

  /// Gives a time to the marks up to now; at the end, to all.
  private func place(
    _ placed: inout [PlacedMark], _ marks: RecordingMarks, _ start: MonotonicTime?, isLast: Bool
  ) {
    while placed.count < marks.marks.count {
      let mark = marks.marks[placed.count]
      let time: MonotonicTime
      switch mark.time {
      case .sinceStart(let span): time = (start ?? .zero) + span
      case .calendar(let wallTime):
        // Exact with the first advertisement after it.
        guard let latest, isLast || wallTime <= latest.wallTime else { return }
        time = latest.time + (wallTime - latest.wallTime)
      }
      // Where the clock was set back, marks keep their order.
      placed.append(
        PlacedMark(
          time: max(time, placed.last?.time ?? time), room: mark.room,
          point: mark.point.map { Point(x: $0.x, y: $0.y) }, line: mark.line))
    }
  }
}

/// A mark: where the beacon was from its time until the next mark.
package struct PlacedMark: Sendable {
  package var time: MonotonicTime
  /// nil: unknown.
  package var room: String?
  /// nil: somewhere in the room.
  package var point: Point?
  /// Its line in the file of marks.
  package var line: Int
}
