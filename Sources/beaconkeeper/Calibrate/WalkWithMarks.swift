import ArgumentParser
import Beacons
import Captures
import Gateway
import Proximity
import Settings

/// What receivers heard of a beacon, and the rooms that it was in.
struct WalkWithMarks {
  typealias Placed = (mark: RecordingMarks.Mark, time: MonotonicTime)

  let beacon: String
  let sightings: [Sighting]
  let receivers: ReceiverTable
  let marks: [Placed]

  /// Picks the beacon: the wanted one, else the only one.
  init(_ heard: HeardWalk, wanted: String?, marks: [Placed], isLive: Bool = false) throws(ExitCode) {
    let beacons = heard.heard
    guard let first = beacons.first else {
      let what = wanted.map { "the beacon “\($0)”" } ?? "any configured beacon"
      throw failure(
        "nothing was heard of \(what); `beaconkeeper scan\(isLive ? "" : " --capture")` shows what there is",
        isLive ? .unavailable : .dataError)
    }
    guard beacons.count == 1 else {
      let list = beacons.prefix(10).map { "\($0.name) (\($0.count) times)" }.joined(separator: ", ")
      let more = beacons.count > 10 ? " and \(beacons.count - 10) more" : ""
      throw failure("several beacons were heard: \(list)\(more); name yours with --beacon", .dataError)
    }
    beacon = first.name
    sightings = heard.sightings(of: first.beacon)
    receivers = heard.receivers
    self.marks = marks
  }

  /// Those of the walk's receivers that heard it, by name, with how often.
  var hearers: [String: Int] {
    var counts: [UInt16: Int] = [:]
    for sighting in sightings { counts[sighting.receiver.rawValue, default: 0] += 1 }
    return Dictionary(
      uniqueKeysWithValues: counts.map { (receivers.name(of: ReceiverIndex(rawValue: $0.key)), $0.value) })
  }
}
