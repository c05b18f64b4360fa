import Beacons
import Messages
import Proximity
import Settings

/// What is needed to decide again: the remembered sightings and the names in them. Unlike the pipeline it is cheap to hold on
/// to while the pipeline goes on.
package struct Hindsight: Sendable {
  package let configuration: Configuration
  package let receivers: ReceiverTable
  package let roster: Roster
  package let history: SightingHistory
  /// The latest time that the pipeline knew.
  package let time: MonotonicTime
}

extension Pipeline {
  /// nil: history is off.
  package var hindsight: Hindsight? {
    history.map {
      Hindsight(configuration: configuration, receivers: receivers, roster: roster, history: $0, time: time)
    }
  }
}

/// What a configuration would have decided over the sightings that are remembered.
package struct Trial: Sendable {
  /// From when on decisions are told, and until when; nil: nothing is remembered.
  package var span: (from: MonotonicTime, to: MonotonicTime)?
  /// Whether the memory reaches back to the time that was asked for.
  package var isComplete = true
  /// How many sightings were looked at.
  package var sightings = 0
  /// Without numbers.
  package var transitions: [TransitionMessage] = []
  package var verdicts: [VerdictMessage] = []
  /// Of the beacon that was asked for.
  package var trace = Trace()
  /// When each of its zones was blind, in order; without an end: it still is.
  package var blindness: [ZoneIndex: [(from: MonotonicTime, to: MonotonicTime?)]] = [:]
}

extension Hindsight {
  /// The pipeline itself decides again, over the same sightings, under other rules. Decisions begin with the first sighting that is
  /// remembered, so the first ones after that may differ from those of a gateway that knew more.
  ///
  /// - Parameters:
  ///   - configuration: with the same beacons and zones; rules and calibrations may differ.
  /// - beacon: only its sightings count; nil: all.
  ///   - since: earlier decisions are left out.
  ///   - warmUp: how long before `since` to begin; nil: with the first sighting that is remembered.
  ///   - spacing: between two points of the trace.
  package func trial(
    _ configuration: Configuration, of beacon: BeaconIndex?, since: MonotonicTime, warmUp: TimeSpan? = nil,
    spacing: TimeSpan = .zero
  ) -> Trial {
    var trial = Trial()
    // It came after the memory was taken.
    if let beacon, !roster.knows(beacon) { return trial }
    guard let first = history.firstTime else { return trial }
    trial.trace = Trace(spacing: spacing)
    let start = warmUp.map { since - $0 }
    trial.span = (max(first, since), max(time, first))
    trial.isComplete = history.start == 0 || first <= since
    var next = Pipeline(configuration, receivers: receivers)
    next.roster = roster
    let zones = beacon.map { roster.zones(of: $0) } ?? []
    var output = Pipeline.Output()
    history.forEach(from: history.start) { event in
      switch event {
      case .sighting(let sighting):
        guard beacon == nil || beacon == sighting.beacon else { return }
        if let start, sighting.time < start { return }
        next.observeAgain(sighting, into: &output)
        if sighting.time >= since {
          trial.sightings += 1
          if beacon != nil { trial.trace.note(sighting, in: next.engine, zones: zones) }
        }
      case .blindness(let receiver, let isBlind, let time):
        next.setBlind(receiver, isBlind, at: time, into: &output)
        for zone in zones { trial.note(zone, isBlind: next.engine.isBlind(zone), at: time) }
      case .retirement(let retired):
        // Its index has another's name now.
        _ = next.engine.retire(retired)
        trial.transitions.removeAll { $0.beaconIndex == retired }
      }
      trial.take(&output)
    }
    next.advance(to: max(time, next.time), into: &output)
    trial.take(&output)
    trial.transitions.removeAll { $0.time < since }
    return trial
  }
}

extension Pipeline {
  fileprivate mutating func observeAgain(_ sighting: Sighting, into output: inout Output) {
    if !engine.isAdmitted(sighting.beacon) { admit(sighting.beacon, heard: sighting.time) }
    take(sighting, into: &output)
  }
}

extension Trial {
  fileprivate mutating func note(_ zone: ZoneIndex, isBlind: Bool, at time: MonotonicTime) {
    let last = blindness[zone]?.last
    if isBlind, last == nil || last?.to != nil {
      blindness[zone, default: []].append((time, nil))
    } else if !isBlind, let last, last.to == nil, let place = blindness[zone]?.indices.last {
      blindness[zone]?[place].to = time
    }
  }

  fileprivate mutating func take(_ output: inout Pipeline.Output) {
    if output.items.isEmpty { return }
    transitions += output.transitions
    verdicts += output.verdicts
    output.removeAll()
  }
}
