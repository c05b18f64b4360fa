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

  /// nil for a row that this version cannot read, or that is damaged: no column is trusted to have its type. Zone, beacon
  /// and receiver have their names only: indices are of the run that decided.
  init?(_ row: Row) {
    func value<Value: DatabaseValueConvertible>(_ column: String) -> Value? {
      Value.fromDatabaseValue(row[column])
    }
    /// Absent is fine, anything but a number is not.
    func optional(_ column: String) -> Double?? {
      let stored: DatabaseValue = row[column]
      return stored.isNull ? .some(nil) : Double.fromDatabaseValue(stored).map { .some($0) }
    }
    guard let event = (value("event") as String?).flatMap(Transition.Event.init(rawValue:)),
      let unit = (value("unit") as String?).flatMap(Evidence.Unit.init(rawValue:)),
      let time: Int64 = value("monotonic_ns"), let wallTime: Int64 = value("time_ns"),
      let distance = optional("distance_m"), let deviation = optional("distance_sd_m"),
      let rssi = optional("rssi_dbm"), let threshold: Double = value("threshold"),
      let measured: Double = value("value"), let samples: Int = value("samples"),
      let dwell: Int64 = value("dwell_ns"), let epoch: Int64 = value("epoch"),
      let sequence: Int64 = value("seq"),
      let gateway: String = value("gateway"), let zone: String = value("zone"),
      let beacon: String = value("beacon"), let receiver: String = value("receiver")
    else { return nil }
    self.init(
      transition: Transition(
        event: event, zone: ZoneIndex(rawValue: -1), beacon: BeaconIndex(rawValue: -1),
        time: MonotonicTime(nanoseconds: time), wallTime: WallTime(nanoseconds: wallTime), distance: distance,
        distanceDeviation: deviation, rssi: rssi,
        evidence: Evidence(
          threshold: threshold, value: measured, unit: unit, samples: samples,
          dwell: TimeSpan(nanoseconds: dwell), receiver: ReceiverIndex(rawValue: 0))),
      epoch: UInt64(clamping: epoch), sequence: UInt64(clamping: sequence), gateway: gateway, zone: zone,
      beacon: beacon, receiver: receiver)
  }
}
