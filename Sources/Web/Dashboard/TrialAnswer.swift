import Beacons
import Configuration
import Contract
import Core
import Pipeline
import Proximity

/// The decisions that other rules would have made, beside the real ones.
package struct TrialAnswer: Sendable {
  /// How much later than others the decisions about a moment may be made: rooms wait for scanners.
  private static let lateness = TimeSpan.seconds(5)

  private let trial: Trial
  private let actual: [TransitionMessage]
  private let now: Moment
  private let zones: [String]
  /// The calibrations of the receivers that heard the beacon.
  private let calibrations: [ReceiverSettings]
  private let yaml: String
  /// The revision of the configuration file in use; nil: there is none.
  private let revision: String?

  /// - Parameters:
  ///   - beacon: that of the request.
  ///   - yaml: the changes, as lines of the configuration.
  ///   - kept: all real transitions of that time, the newest first; nil: those in `recent` are taken.
  ///   - isAwaited: called from time to time; once it returns false, the answer is incomplete.
  package init(
    _ request: TrialRequest, of beacon: BeaconIndex?, _ hindsight: Hindsight, _ recent: RecentDecisions,
    _ now: Moment, yaml: String, revision: String?, kept: [TransitionMessage]? = nil,
    isAwaited: () -> Bool = { true }
  ) {
    // Rooms take nearly all of the time. If no zone on trial consists of rooms, the trial leaves out rooms and all zones of
    // rooms.
    let ofRooms = Set(request.configuration.zones.lazy.filter { $0.rooms != nil }.map(\.name))
    let isWithoutRooms = !request.zones.isEmpty && ofRooms.isDisjoint(with: request.zones)
    var trial = hindsight.trial(
      request.configuration, of: beacon, since: now.time - request.length,
      spacing: .seconds(request.length.seconds / 3000), decidesRooms: !isWithoutRooms, isAwaited: isAwaited)
    let latest = kept ?? recent.transitions(atMost: RecentDecisions.limit)
    var begin = trial.span.map { now.wallTime(of: $0.from) }
    // Where no real decisions are remembered, there is nothing to compare with.
    if kept == nil, recent.isFull,
      let oldest = latest.last.map({ min($0.wallTime + Self.lateness, now.wallTime) }), let from = begin,
      oldest > from
    {
      begin = oldest
      trial.span?.from = now.time - (now.wallTime - oldest)
      trial.isComplete = false
      trial.transitions.removeAll { $0.wallTime < oldest }
    }
    let isLeftOut = { (message: TransitionMessage) in
      if case .room = message.decision { return isWithoutRooms }
      return isWithoutRooms && ofRooms.contains(message.place)
    }
    trial.transitions.removeAll(where: isLeftOut)
    // By the wall clock, because some are from before a restart of the machine.
    actual = latest.filter { message in
      (request.beacon == nil || message.beacon == request.beacon)
        && begin.map { message.wallTime >= $0 } ?? false
        && !isLeftOut(message)
    }.reversed()
    self.trial = trial
    self.now = now
    zones = hindsight.configuration.zones.map(\.name)
    let heard = Set(trial.trace.heard.map { hindsight.receivers.name(of: $0.receiver) })
    calibrations = heard.union(request.configuration.receivers.map(\.name)).sorted().map { name in
      request.configuration.receivers.first { $0.name == name } ?? ReceiverSettings(name: name)
    }
    self.yaml = yaml
    self.revision = revision
  }

  package var json: [UInt8] {
    JSONWriter.object {
      $0.key("from")
      if let span = trial.span {
        $0.value(now.wallTime(of: span.from).milliseconds)
      } else {
        $0.null()
      }
      $0.key("to")
      if let span = trial.span {
        $0.value(now.wallTime(of: span.to).milliseconds)
      } else {
        $0.null()
      }
      $0.field("sightings", trial.sightings)
      $0.field("complete", trial.isComplete)
      $0.array("transitions", trial.transitions) { $0.value(json: $1.json) }
      $0.array("verdicts", trial.verdicts) { $0.value(json: $1.json) }
      $0.array("actual", actual) { $0.value(json: $1.json) }
      $0.estimates(of: trial.trace, zones: zones)
      $0.objects("receivers", calibrations) { json, receiver in
        json.field("receiver", receiver.name)
        json.field("exponent", receiver.calibration.exponent, decimals: 3)
        json.field("offset_db", receiver.calibration.offset, decimals: 1)
      }
      $0.field("yaml", yaml)
      $0.field("revision", revision)
    }
  }
}
