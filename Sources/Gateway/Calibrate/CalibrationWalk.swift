import Beacons
import Captures
import Dashboard
import Pipeline
import Proximity
import Settings

/// A walk in progress, for a calibration from the page. It reads the beacon's signals from the gateway's history of sightings,
/// so it costs the decisions nothing.
struct CalibrationWalk: Sendable {
  /// The largest number of sightings: half an hour with 10 a second from each of six receivers.
  static let limit = 100_000

  let beacon: String
  /// When it began.
  let began: Moment
  var marks = MarkBook()
  private(set) var sightings: [Sighting] = []
  private(set) var receivers = ReceiverTable()
  /// The latest level that each receiver heard, in dBm, and when.
  private(set) var levels: [ReceiverIndex: (level: Int8, time: MonotonicTime)] = [:]
  /// The number of the event in the history at which the walk continues.
  private var place: UInt64

  init(_ beacon: String, at now: Moment, since place: UInt64) {
    self.beacon = beacon
    began = now
    self.place = place
  }

  var isFull: Bool { sightings.count >= Self.limit }

  /// When the beacon was last heard; nil: not yet.
  var latest: MonotonicTime? { levels.values.map(\.time).max() }

  /// Adds the sightings since the last call.
  ///
  /// - Parameter index: the beacon's index in this snapshot; nil: it was not heard.
  mutating func take(_ memory: Hindsight, _ index: BeaconIndex?) {
    guard let index else { return }
    var map = ReceiverMap()
    map.learn(memory.receivers) { receivers.index(of: $0) }
    memory.history.forEach(from: place) { event in
      guard case .sighting(var sighting) = event, sighting.beacon == index, let level = sighting.rssi,
        let receiver = map[sighting.receiver]
      else { return }
      sighting.receiver = receiver
      levels[receiver] = (level, sighting.time)
      if !isFull { sightings.append(sighting) }
    }
    place = memory.history.end
  }

  /// In the form that a calibration is computed from.
  var marked: WalkWithMarks {
    WalkWithMarks(
      beacon: beacon, sightings: sightings, receivers: receivers,
      marks: marks.marks.enumerated().map { number, mark in
        let point = mark.point.map { (x: $0.x, y: $0.y) }
        return (
          // The line of the CSV counts from below its header.
          RecordingMarks.Mark(
            time: .calendar(mark.wallTime), room: mark.room, point: point, line: number + 2),
          mark.time
        )
      })
  }
}
