import Beacons
import Proximity
import Scanners

/// A gateway's whole configuration: the contents of `beaconkeeper.yaml` and of its secret files.
///
/// It is a plain value. Entries are identified by name, so that a reload can compare the old configuration with the new one
/// and keep the state of everything that did not change.
public struct Configuration: Hashable, Sendable {
  /// The gateway's name in every topic and transition.
  public var gatewayName: String
  /// The directory of the outbox; nil: the system's usual place.
  public var stateDirectory: String?
  public var broker = BrokerSettings.embedded
  public var radio = RadioSettings()
  public var receivers: [ReceiverSettings] = []
  public var scanners: [Scanner] = []
  public var beacons: [BeaconSettings] = []
  public var zones: [ZoneSettings] = []
  public var rooms: [RoomSettings] = []
  /// In the file's order; empty: there is one, at height 0.
  public var floors: [FloorSettings] = []
  /// Openings in the walls that outlines make; empty: unknown.
  public var doors: [DoorSettings] = []
  /// `calibration`: the absolute path of the file that `calibrate` wrote; nil: rooms are not calibrated.
  public var calibrationFile: String?
  /// What that file says.
  public var roomCalibration: RoomCalibration?
  /// How it came about.
  public var calibrationAccount: CalibrationAccount?
  public var phones: [PhoneSettings] = []
  public var profiles = ProfileSettings()
  public var telemetry = TelemetrySettings()
  public var homeAssistant = HomeAssistantSettings()
  /// nil: no metrics are written.
  public var metrics: MetricsSettings?
  /// nil: no HTTP server.
  public var http: HTTPSettings?
  public var publish = PublishSettings()
  /// nil: this is one gateway.
  public var fleet: FleetSettings?
  /// The wake regions to broadcast; nil: none.
  public var wake: WakeSettings?
  /// Identity resolving keys and bind keys, by name.
  public var keys: [String: SecretBytes] = [:]

  public init(gatewayName: String) { self.gatewayName = gatewayName }
}

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

/// `beacons:` – one beacon or a region.
public struct BeaconSettings: Hashable, Sendable {
  public var name: String
  public var pattern: BeaconPattern
  /// `irk`: the name of its identity resolving key, if `pattern` is `resolvingKey`.
  public var identityKey: String?
  /// `measured_power`: RSSI in dBm at 1 m; overrides the frame's value.
  public var measuredPower: Double?
  /// `bind_key`: the name of the key that decrypts its readings (BTHome).
  public var bindKey: String?
  /// `names`: readable names for members of a region, by the part after the colon in `fleet:1.1`.
  public var names: [String: String]

  public init(
    name: String, pattern: BeaconPattern, identityKey: String? = nil, measuredPower: Double? = nil,
    bindKey: String? = nil, names: [String: String] = [:]
  ) {
    self.name = name
    self.pattern = pattern
    self.identityKey = identityKey
    self.measuredPower = measuredPower
    self.bindKey = bindKey
    self.names = names
  }
}

/// `zones:` – a place, and its rules for near, enter and exit.
public struct ZoneSettings: Hashable, Sendable {
  public var name: String
  /// Names of receivers; nil: all.
  public var receivers: [String]?
  /// Names of beacons; nil: all configured ones.
  public var beacons: [String]?
  public var near: NearRule?
  public var enter: Rule
  public var exit: Rule
  public var lost: LostRule
  /// Names of rooms: a beacon is in the zone while it is in one of them, and only the dwell times of `enter` and `exit` mean
  /// something. nil: receivers and thresholds decide.
  public var rooms: [String]?

  public init(
    name: String, receivers: [String]? = nil, beacons: [String]? = nil, near: NearRule? = nil, enter: Rule,
    exit: Rule, lost: LostRule = .auto, rooms: [String]? = nil
  ) {
    self.name = name
    self.receivers = receivers
    self.beacons = beacons
    self.near = near
    self.enter = enter
    self.exit = exit
    self.lost = lost
    self.rooms = rooms
  }
}

/// `telemetry:` – how often state is published that need not be published at every change.
public struct TelemetrySettings: Hashable, Sendable {
  /// `beacon_state`: the least time between two states of one beacon. Default 10 s.
  public var beaconState = TimeSpan.seconds(10)
  /// `health`: the time between two health messages if nothing changes. Default 60 s.
  public var health = TimeSpan.seconds(60)

  public init() {}
}

extension Configuration {
  /// Readable names of members of regions, by their published names.
  public var displayNames: [String: String] {
    var all: [String: String] = [:]
    for beacon in beacons {
      for (member, name) in beacon.names { all["\(beacon.name):\(member)"] = name }
    }
    return all
  }
}
