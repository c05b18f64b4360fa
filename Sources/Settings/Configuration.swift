import Beacons
import Proximity

/// Everything a gateway is told: the content of `beaconkeeper.yaml` with what its secret files say.
///
/// It is a plain value. Entries are known by name, so that a reload can compare the old with the new one and
/// keep the state of what did not change.
public struct Configuration: Hashable, Sendable {
  /// The gateway's name in every topic and transition.
  public var gatewayName: String
  /// Where the outbox is kept; nil: where the system keeps such things.
  public var stateDirectory: String?
  public var broker: BrokerSettings
  public var radio: RadioSettings
  public var receivers: [ReceiverSettings]
  public var beacons: [BeaconSettings]
  public var zones: [ZoneSettings]
  public var phones: [PhoneSettings]
  public var profiles: ProfileSettings
  public var telemetry: TelemetrySettings
  public var homeAssistant: HomeAssistantSettings
  /// nil: nothing listens.
  public var metrics: MetricsSettings?
  /// What is broadcast; nil: nothing.
  public var wake: WakeSettings?
  /// Identity resolving keys and bind keys, by name.
  public var keys: [String: SecretBytes]

  public init(
    gatewayName: String, broker: BrokerSettings = .embedded, radio: RadioSettings = .init(),
    receivers: [ReceiverSettings] = [], beacons: [BeaconSettings] = [], zones: [ZoneSettings] = [],
    phones: [PhoneSettings] = [], profiles: ProfileSettings = .init(), telemetry: TelemetrySettings = .init(),
    homeAssistant: HomeAssistantSettings = .init(), metrics: MetricsSettings? = nil,
    wake: WakeSettings? = nil,
    keys: [String: SecretBytes] = [:]
  ) {
    self.gatewayName = gatewayName
    self.broker = broker
    self.radio = radio
    self.receivers = receivers
    self.beacons = beacons
    self.zones = zones
    self.phones = phones
    self.profiles = profiles
    self.telemetry = telemetry
    self.homeAssistant = homeAssistant
    self.metrics = metrics
    self.wake = wake
    self.keys = keys
  }
}

/// `receivers:` – a radio that has a name, or a calibration of its own.
public struct ReceiverSettings: Hashable, Sendable {
  /// `name`: the adapter's alias, else `hciN`, else what a recording or a remote scanner says.
  public var name: String
  /// `adapter`: the address by which the adapter is known wherever it is plugged in; nil: known by `name`.
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

/// `beacons:` – one beacon, or a region of them.
public struct BeaconSettings: Hashable, Sendable {
  public var name: String
  public var pattern: BeaconPattern
  /// `irk`: the name of its identity resolving key, where `pattern` is `resolvingKey`.
  public var identityKey: String?
  /// `measured_power`: RSSI in dBm at 1 m; goes before what the frame says.
  public var measuredPower: Double?
  /// `bind_key`: the name of the key that decrypts its readings (BTHome).
  public var bindKey: String?
  /// `names`: what people call the members of a region, by member, as in `fleet:1.1` what stands after the colon.
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

/// `zones:` – a place, and what near, enter and exit mean there.
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

  public init(
    name: String, receivers: [String]? = nil, beacons: [String]? = nil, near: NearRule? = nil, enter: Rule,
    exit: Rule, lost: LostRule = .auto
  ) {
    self.name = name
    self.receivers = receivers
    self.beacons = beacons
    self.near = near
    self.enter = enter
    self.exit = exit
    self.lost = lost
  }
}

/// `telemetry:` – how often state that may be coalesced is published.
public struct TelemetrySettings: Hashable, Sendable {
  /// `beacon_state`: the least time between two states of one beacon. Default 10 s.
  public var beaconState: TimeSpan
  /// `health`: the time between two health messages while nothing changes. Default 60 s.
  public var health: TimeSpan

  public init(beaconState: TimeSpan = .seconds(10), health: TimeSpan = .seconds(60)) {
    self.beaconState = beaconState
    self.health = health
  }
}

extension Configuration {
  /// What people call members of regions, by their names as published.
  public var displayNames: [String: String] {
    var all: [String: String] = [:]
    for beacon in beacons {
      for (member, name) in beacon.names { all["\(beacon.name):\(member)"] = name }
    }
    return all
  }
}
