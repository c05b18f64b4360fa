import Beacons
import JSON
import Messages
import Pipeline
import Proximity
import Settings

/// The last minutes of a beacon, from memory.
package struct BeaconHistory: Sendable {
  private let beacon: String
  private let span: (from: WallTime, to: WallTime)
  private let trial: Trial
  private let transitions: [TransitionMessage]
  private let receivers: ReceiverTable
  private let zones: [String]

  /// Decides again over what is remembered of the beacon, because estimates are not remembered.
  ///
  package init(
    of beacon: BeaconIndex, _ hindsight: Hindsight, _ journal: Journal, _ surroundings: Surroundings,
    over length: TimeSpan
  ) {
    let name = hindsight.roster.name(of: beacon)
    trial = hindsight.trial(hindsight.configuration, of: beacon, since: surroundings.monotonicTime - length)
    let from = surroundings.time - length
    span = (from, surroundings.time)
    transitions = journal.transitions(atMost: Journal.limit)
      .filter { $0.beacon == name && $0.wallTime >= from }.reversed()
    self.beacon = name
    receivers = hindsight.receivers
    zones = hindsight.configuration.zones.map(\.name)
  }

  package var json: [UInt8] {
    JSONWriter.object {
      $0.field("beacon", beacon)
      $0.field("from", span.from.milliseconds)
      $0.field("to", span.to.milliseconds)
      $0.field("complete", trial.isComplete)
      $0.fields(of: trial.trace, receivers: receivers, zones: zones)
      $0.key("transitions")
      $0.array(transitions) { $0.value(json: $1.json) }
    }
  }
}
