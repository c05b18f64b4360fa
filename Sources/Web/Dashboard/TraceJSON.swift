import Beacons
import Core
import Pipeline
import Proximity

/// A trace as columns: the page draws columns, and they need a third of the space.
extension JSONWriter {
  /// Writes the members `receivers`, `sightings` and `estimates`.
  ///
  /// - Parameter zones: by `ZoneIndex`, their names.
  mutating func fields(of trace: Trace, receivers: ReceiverTable, zones: [String]) {
    var names: [ReceiverIndex] = []
    for heard in trace.heard where !names.contains(heard.receiver) { names.append(heard.receiver) }
    key("receivers")
    array(names) { $0.value(receivers.name(of: $1)) }
    key("sightings")
    object {
      $0.array("t", trace.heard) { $0.value($1.wallTime.milliseconds) }
      $0.array("receiver", trace.heard) { json, heard in json.value(names.firstIndex(of: heard.receiver) ?? 0)
      }
      $0.array("rssi", trace.heard) { $0.value($1.rssi) }
    }
    estimates(of: trace, zones: zones)
  }

  /// Writes the member `estimates`.
  mutating func estimates(of trace: Trace, zones: [String]) {
    key("estimates")
    array(trace.estimates.sorted { $0.key < $1.key }) { json, zone in
      json.object {
        $0.field("zone", zones[Int(zone.key.rawValue)])
        $0.array("t", zone.value) { $0.value($1.wallTime.milliseconds) }
        $0.array("distance_m", zone.value) { $0.value($1.estimate.distance, decimals: 2) }
        $0.array("sd_m", zone.value) { $0.value($1.estimate.distanceDeviation, decimals: 2) }
        $0.array("rssi_dbm", zone.value) { $0.value($1.estimate.rssi, decimals: 1) }
      }
    }
  }
}

extension WallTime {
  /// Since 1970, as in the API's arrays.
  var milliseconds: Int64 { nanoseconds / 1_000_000 }
}
