import Beacons
import GRDB
import Messages
import Proximity

/// A transition as a row of table `waiting`.
extension TransitionMessage {
  static let insertion = """
    INSERT INTO waiting (epoch, seq, event, time_ns, monotonic_ns, gateway, zone, beacon, receiver, distance_m,
      distance_sd_m, rssi_dbm, threshold, value, unit, samples, dwell_ns)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    """

  var columns: StatementArguments {
    [
      Int64(clamping: epoch), Int64(clamping: sequence), transition.event.rawValue,
      transition.wallTime.nanoseconds, transition.time.nanoseconds, gateway, zone, beacon, receiver,
      transition.distance, transition.distanceDeviation, transition.rssi, transition.evidence.threshold,
      transition.evidence.value, transition.evidence.unit.rawValue, transition.evidence.samples,
      transition.evidence.dwell.nanoseconds,
    ]
  }

  /// nil for a row that this version cannot read. Zone, beacon and receiver have their names only: indices are of the
  /// run that decided.
  init?(_ row: Row) {
    let columns = (event: String.fromDatabaseValue(row["event"]), unit: String.fromDatabaseValue(row["unit"]))
    guard let event = columns.event.flatMap(Transition.Event.init(rawValue:)),
      let unit = columns.unit.flatMap(Evidence.Unit.init(rawValue:))
    else { return nil }
    self.init(
      transition: Transition(
        event: event, zone: ZoneIndex(rawValue: -1), beacon: BeaconIndex(rawValue: -1),
        time: MonotonicTime(nanoseconds: row["monotonic_ns"]),
        wallTime: WallTime(nanoseconds: row["time_ns"]),
        distance: row["distance_m"], distanceDeviation: row["distance_sd_m"], rssi: row["rssi_dbm"],
        evidence: Evidence(
          threshold: row["threshold"], value: row["value"], unit: unit, samples: row["samples"],
          dwell: TimeSpan(nanoseconds: row["dwell_ns"]), receiver: ReceiverIndex(rawValue: 0))),
      epoch: UInt64(clamping: row["epoch"] as Int64), sequence: UInt64(clamping: row["seq"] as Int64),
      gateway: row["gateway"], zone: row["zone"], beacon: row["beacon"], receiver: row["receiver"])
  }
}
