import Beacons
import Configuration
import Contract
import Core
import Proximity

/// The data needed to repeat decisions: the stored sightings and their names. Unlike the pipeline, it is cheap to
/// hold while the pipeline continues.
package struct Hindsight: Sendable {
  package let configuration: Configuration
  package let receivers: ReceiverTable
  package let roster: Roster
  package let history: SightingHistory
  /// The pipeline's latest time.
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

/// The decisions of a configuration on the stored sightings.
package struct Trial: Sendable {
  /// The span in which decisions are reported; nil: no sightings are stored.
  package var span: (from: MonotonicTime, to: MonotonicTime)?
  /// Whether the history reaches back to the requested time.
  package var isComplete = true
  /// How many sightings were processed.
  package var sightings = 0
  /// Transitions without numbers.
  package var transitions: [TransitionMessage] = []
  package var verdicts: [VerdictMessage] = []
  /// The trace of the requested beacon.
  package var trace = Trace()
  /// When each of the beacon's zones was blind, in order. An open end means that it still is.
  package var blindness: [ZoneIndex: [(from: MonotonicTime, to: MonotonicTime?)]] = [:]
}

extension Hindsight {
  /// Repeats the pipeline's decisions on the same sightings, under other rules. Decisions start from the
  /// beacons that an earlier run saved, or, if the first sightings were dropped, from nothing. Then the first
  /// decisions may differ from those of a gateway that had earlier data.
  ///
  /// - Parameters:
  ///   - configuration: must have the same beacons and zones; rules and calibrations may differ.
  ///   - beacon: process only its sightings; nil: all.
  ///   - since: earlier decisions are left out.
  ///   - warmUp: how long before `since` to begin; nil: at the first stored sighting.
  ///   - spacing: the time between two points of the trace.
  ///   - decidesRooms: false leaves out rooms, which take nearly all of the time; zones of rooms then watch all receivers.
  ///   - limit: maximum number of transitions. If there are more, the earliest are dropped, and the span
  ///     begins later.
  ///   - isAwaited: whether anybody still waits for the result. It is called from time to time. Once it
  ///     returns false, the rest is left out.
  package func trial(
    _ configuration: Configuration, of beacon: BeaconIndex?, since: MonotonicTime, warmUp: TimeSpan? = nil,
    spacing: TimeSpan = .zero, decidesRooms: Bool = true, atMost limit: Int = 50_000,
    isAwaited: () -> Bool = { true }
  ) -> Trial {
    var configuration = configuration
    if !decidesRooms { for place in configuration.zones.indices { configuration.zones[place].rooms = nil } }
    var trial = Trial()
    // The beacon appeared after the history was copied.
    if let beacon, !roster.knows(beacon) { return trial }
    guard let first = history.firstTime else { return trial }
    trial.trace = Trace(spacing: spacing)
    let start = warmUp.map { since - $0 }
    trial.span = (max(first, since), max(time, first))
    trial.isComplete = history.start == 0 || first <= since
    var next = Pipeline(configuration, receivers: receivers, decidesRooms: decidesRooms)
    next.roster = roster
    let zones = beacon.map { roster.zones(of: $0) } ?? []
    var output = Pipeline.Output()
    if let beginning = history.beginning, start.map({ $0 <= beginning.time }) ?? true {
      next.restore(
        beginning.beacons.filter { saved in beacon.map { roster.key(of: $0) == saved.key } ?? true },
        isSameBoot: beginning.isSameBoot, at: beginning.time, wallTime: beginning.wallTime, into: &output)
      trial.take(&output)
    }
    var count = 0
    for event in history.events(since: start) {
      count += 1
      if count & 0xFF == 0, !isAwaited() { break }
      switch event {
      case .sighting(let sighting, let now):
        guard beacon == nil || beacon == sighting.beacon else { continue }
        if let start, sighting.time < start { continue }
        // If this sighting came late, decisions were made without it before.
        if now > sighting.time, now > next.time { next.advance(to: now, into: &output) }
        next.observeAgain(sighting, into: &output)
        if sighting.time >= since {
          trial.sightings += 1
          if beacon != nil { trial.trace.note(sighting, in: next.engine, zones: zones) }
        }
      case .sight(let receiver, let state, let time):
        next.show(receiver, state, at: time, into: &output)
        for zone in zones { trial.note(zone, isBlind: next.engine.isBlind(zone), at: time) }
      case .retirement(let retired, _):
        // Its index now belongs to another beacon.
        _ = next.engine.retire(retired)
        trial.transitions.removeAll { $0.beaconIndex == retired }
      }
      trial.take(&output)
      if trial.transitions.count > limit { trial.forget(limit / 2) }
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
    process(sighting, into: &output)
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

  /// Drops the earliest transitions.
  fileprivate mutating func forget(_ count: Int) {
    transitions.removeFirst(count)
    guard let first = transitions.first?.time, let from = span?.from, first > from else { return }
    span?.from = first
    isComplete = false
  }

  fileprivate mutating func take(_ output: inout Pipeline.Output) {
    if output.items.isEmpty { return }
    transitions += output.transitions
    verdicts += output.verdicts
    output.removeAll()
  }
}
