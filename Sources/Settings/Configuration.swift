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
  /// The content of that file.
  public var roomCalibration: RoomCalibration?
  /// How the calibration was made.
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

extension Configuration {
  /// The scanners, with keys of beacons instead of names.
  public var resolvedScanners: [Scanner] {
    guard !scanners.isEmpty else { return [] }
    let keys = Dictionary(
      beacons.compactMap { beacon in
        BeaconEntry(name: beacon.name, pattern: beacon.pattern).key.map { (beacon.name, $0) }
      }, uniquingKeysWith: { first, _ in first })
    let resolving = resolvingIdentities(keys)
    return scanners.map { scanner in
      var scanner = scanner
      scanner.servesRooms = !rooms.isEmpty
      scanner.identities = scanner.identities.compactMapValues { keys[$0] }
        .merging(resolving) { written, _ in written }
      return scanner
    }
  }

  /// The hint for a machine without Bluetooth that has scanners.
  public static let radioOffHint =
    "if this machine has no Bluetooth and only scanners are to hear, add radio: { duty: off } to the configuration"

  /// How late an observation of a scanner may come and still count for rooms.
  public var scannersLateness: TimeSpan {
    scanners.map(\.interval).max().map { $0 + Scanner.slack } ?? .zero
  }

  /// ESPresense names a device by `irk:` and its identity resolving key. A beacon with that key is the same device, so users
  /// need not write the key into `identities`. ESPresense shows the octets in either order.
  private func resolvingIdentities(_ keys: [String: String]) -> [String: String] {
    var identities: [String: String] = [:]
    for beacon in beacons {
      guard let secret = beacon.identityKey.flatMap({ self.keys[$0] })?.revealed, let key = keys[beacon.name]
      else {
        continue
      }
      identities["irk:" + hexadecimal(secret)] = key
      identities["irk:" + hexadecimal(Array(secret.reversed()))] = key
    }
    return identities
  }
}

/// `metrics:` – where the gateway's counters are written for Prometheus.
public struct MetricsSettings: Hashable, Sendable {
  /// `file`: an absolute path.
  public var file: String
  /// `every`: the time between two writes. Default 15 s.
  public var interval: TimeSpan

  public init(file: String, interval: TimeSpan = .seconds(15)) {
    self.file = file
    self.interval = interval
  }
}

/// `telemetry:` – how often changing values are published.
public struct TelemetrySettings: Hashable, Sendable {
  /// `beacon_state`: the least time between two states of one beacon. Default 10 s; 60 s in a fleet, where the states of a
  /// hundred thousand beacons would otherwise be most of the broker's work.
  public var beaconState: TimeSpan
  /// `health`: the time between two health messages if nothing changes. Default 60 s.
  public var health = TimeSpan.seconds(60)

  public init(ofFleet: Bool = false) { beaconState = .seconds(ofFleet ? 60 : 10) }
}

/// `radio:` – how this machine's adapters are used.
public struct RadioSettings: Hashable, Sendable {
  /// The share of time in which they listen.
  public enum Duty: String, Hashable, Sendable, CaseIterable {
    case full
    case balanced
    case wifiFriendly = "wifi-friendly"
    /// No adapter is used: all receivers are scanners.
    case off
  }

  /// `duty`. Default `balanced`.
  public var duty = Duty.balanced
  /// `unblock`: whether to lift an rfkill block that somebody set. Default false.
  public var unblocks = false

  public init() {}
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

/// `publish:` – what the gateway publishes beside its decisions.
public struct PublishSettings: Hashable, Sendable {
  /// `observations`: signals of configured beacons at its own radios, for another Beaconkeeper; nil: off.
  public var observations: ObservationSettings?

  public init() {}
}

/// How observations are published.
public struct ObservationSettings: Hashable, Sendable {
  /// `interval`: how long they are collected. Default 200 ms.
  public var interval: TimeSpan
  /// `partitions`: over how many topics the beacons are spread. Default 1.
  public var partitions: Int
  /// `buffer`: octets of batches that wait on disk while the broker is away; the oldest are dropped first. nil: nothing waits.
  public var buffer: Int?

  public init(interval: TimeSpan = .milliseconds(200), partitions: Int = 1, buffer: Int? = nil) {
    self.interval = interval
    self.partitions = partitions
    self.buffer = buffer
  }
}
