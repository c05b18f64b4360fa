import Beacons
import Proximity

/// `receivers:` – a radio with a name or a calibration.
public struct ReceiverSettings: Hashable, Sendable {
  /// `name`: the adapter's alias, else `hciN`, else the name in a recording or of a remote scanner.
  public var name: String
  /// `adapter`: the adapter's address, which stays the same wherever it is plugged in; nil: it is identified by `name`.
  public var adapter: DeviceAddress?
  public var calibration: Calibration

  public init(
    name: String, adapter: DeviceAddress? = nil, calibration: Calibration = Calibration()
  ) {
    self.name = name
    self.adapter = adapter
    self.calibration = calibration
  }
}
