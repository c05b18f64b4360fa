import Beacons
import Core
import Pipeline
import Web

/// `beacons/<name>/live`: the last minutes first, then new sightings.
final class BeaconStream: EventSource {
  private static let length = TimeSpan.seconds(300)
  /// A client that missed more events than this, because it read nothing for long, gets the last minutes again. Decisions
  /// wait while what it missed is read.
  private static let backlog: UInt64 = 100_000

  private let name: String
  private let stage: any Stage
  /// The place in the history; nil: nothing was sent yet.
  private var place: UInt64?

  init(_ name: String, _ stage: any Stage) {
    self.name = name
    self.stage = stage
  }

  func next() -> [UInt8] {
    guard let first = place else { return past() }
    let name = name
    let end = stage.look { pipeline, _, _ in pipeline.history?.end ?? 0 }
    if end > first + Self.backlog { return past() }
    let live = stage.look { pipeline, recent, now in
      pipeline.beacon(named: name).map { LiveBeacon(of: $0, since: first, pipeline, recent, at: now) }
    }
    guard let live else { return [] }
    // A recording was rewound, so its history is a different one.
    place = live.next < first ? nil : live.next
    return live.isNews ? event("trace", live.json) : []
  }

  private func past() -> [UInt8] {
    let name = name
    let found = stage.look { pipeline, recent, now in
      pipeline.beacon(named: name).map { ($0, pipeline.hindsight, recent, now) }
    }
    guard let (beacon, hindsight, recent, now) = found, let hindsight else { return [] }
    place = hindsight.history.end
    return event("history", BeaconHistory(of: beacon, hindsight, recent, now, over: Self.length).json)
  }
}
