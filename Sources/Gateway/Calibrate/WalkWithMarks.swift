import Beacons
import Captures

/// The sightings of a beacon, and the rooms that it was in.
package struct WalkWithMarks: Sendable {
  package typealias Placed = (mark: RecordingMarks.Mark, time: MonotonicTime)

  package let beacon: String
  package let sightings: [Sighting]
  package let receivers: ReceiverTable
  package let marks: [Placed]

  package init(beacon: String, sightings: [Sighting], receivers: ReceiverTable, marks: [Placed]) {
    self.beacon = beacon
    self.sightings = sightings
    self.receivers = receivers
    self.marks = marks
  }

  /// The receivers that heard it, by name, with the number of sightings.
  package var hearers: [String: Int] {
    var counts: [UInt16: Int] = [:]
    for sighting in sightings { counts[sighting.receiver.rawValue, default: 0] += 1 }
    return Dictionary(
      uniqueKeysWithValues: counts.map { (receivers.name(of: ReceiverIndex(rawValue: $0.key)), $0.value) })
  }
}
