import Beacons
import Dashboard
import HTTP
import Pipeline

/// `beacons/<name>/live`: the last minutes at once, then news as it arrives.
final class BeaconStream: EventSource {
  private static let length = TimeSpan.seconds(300)

  private let name: String
  private let stage: any Stage
  /// In the history; nil: nothing was shown yet.
  private var place: UInt64?

  init(_ name: String, _ stage: any Stage) {
    self.name = name
    self.stage = stage
  }

  func next() -> [UInt8] {
    guard let first = place else { return past() }
    let name = name
    let live = stage.look { pipeline, recent, now in
      pipeline.beacon(named: name).map { LiveBeacon(of: $0, since: first, pipeline, recent, at: now) }
    }
    guard let live else { return [] }
    // A recording went back: its past is another.
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
