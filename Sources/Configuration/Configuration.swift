import Beacons
import Contract
import Core
import Proximity

/// A gateway's whole configuration: the contents of `beaconkeeper.yaml` and of its secret files.
///
/// It is a plain value. Entries are identified by name, so that a reload can compare the old configuration with the new one
/// and keep the state of everything that did not change.
package struct Configuration: Hashable, Sendable {
  /// The gateway's name in every topic and transition.
  package var gatewayName: String
  /// The directory of the outbox; nil: the system's usual place.
  package var stateDirectory: String?
  package var broker = BrokerSettings.embedded
  package var radio = RadioSettings()
  package var receivers: [ReceiverSettings] = []
  package var scanners: [Scanner] = []
  package var beacons: [BeaconSettings] = []
  package var zones: [ZoneSettings] = []
  package var rooms: [RoomSettings] = []
  /// In the file's order; empty: there is one, at height 0.
  package var floors: [FloorSettings] = []
  /// Openings in the walls that outlines make; empty: unknown.
  package var doors: [DoorSettings] = []
  /// `calibration`: the absolute path of the file that `calibrate` wrote; nil: rooms are not calibrated.
  package var calibrationFile: String?
  /// The content of that file.
  package var roomCalibration: RoomCalibration?
  /// How the calibration was made.
  package var calibrationAccount: CalibrationAccount?
  package var phones: [PhoneSettings] = []
  package var profiles = ProfileSettings()
  package var telemetry = TelemetrySettings()
  package var homeAssistant = HomeAssistantSettings()
  /// nil: no diary is kept.
  package var diary: DiarySettings? = DiarySettings()
  /// nil: no metrics are written.
  package var metrics: MetricsSettings?
  /// nil: no HTTP server.
  package var http: HTTPSettings?
  package var publish = PublishSettings()
  /// nil: this is one gateway.
  package var fleet: FleetSettings?
  /// The wake regions to broadcast; nil: none.
  package var wake: WakeSettings?
  /// Identity resolving keys and bind keys, by name.
  package var keys: [String: SecretBytes] = [:]

  package init(gatewayName: String) { self.gatewayName = gatewayName }
}

extension Configuration {
  /// What it publishes and reads at its broker.
  package var topics: Topics {
    guard case .remote(let remote) = broker else { return Topics(gateway: gatewayName) }
    return Topics(gateway: gatewayName, root: remote.baseTopic)
  }

  /// Readable names of members of regions, by their published names.
  package var displayNames: [String: String] {
    var all: [String: String] = [:]
    for beacon in beacons {
      for (member, name) in beacon.names { all["\(beacon.name):\(member)"] = name }
    }
    return all
  }

  /// Owner and icon of the beacons that have one: of entries, and of members of regions by their published names.
  package var belongings: [(beacon: String, owner: String?, icon: String?)] {
    var all: [(beacon: String, owner: String?, icon: String?)] = []
    for beacon in beacons {
      all.append((beacon.name, beacon.owner, beacon.icon))
      for member in Set(beacon.owners.keys).union(beacon.icons.keys).sorted() {
        all.append(("\(beacon.name):\(member)", beacon.owners[member], beacon.icons[member]))
      }
    }
    return all.filter { $0.owner != nil || $0.icon != nil }
  }

  /// The published names of the beacons that people call by this name; usually one. A published name stands
  /// for itself, even if it is no longer configured.
  package func beacons(called name: String) -> [String] {
    guard !beacons.contains(where: { $0.name == name }) else { return [name] }
    let all = displayNames
    let found = all[name] == nil ? all.filter { $0.value == name }.keys.sorted() : []
    return found.isEmpty ? [name] : found
  }
}

extension Configuration {
  /// The scanners, with keys of beacons instead of names.
  package var resolvedScanners: [Scanner] {
    guard !scanners.isEmpty else { return [] }
    let keys = Dictionary(
      beacons.compactMap { beacon in
        BeaconEntry(name: beacon.name, pattern: beacon.pattern).key.map { (beacon.name, $0) }
      }, uniquingKeysWith: { first, _ in first })
    let resolving = resolvingIdentities(keys)
    let named = Dictionary(
      beacons.compactMap { beacon -> (String, String)? in
        guard case .scannerID(let id) = beacon.pattern else { return nil }
        return keys[beacon.name].map { (id.lowercased(), $0) }
      }, uniquingKeysWith: { first, _ in first })
    return scanners.map { scanner in
      var scanner = scanner
      scanner.servesRooms = !rooms.isEmpty
      scanner.identities = scanner.identities.compactMapValues { keys[$0] }
        .merging(resolving) { written, _ in written }
        .merging(named) { written, _ in written }
      return scanner
    }
  }

  /// The hint for a machine without Bluetooth that has scanners.
  package static let radioOffHint =
    "if this machine has no Bluetooth and only scanners are to hear, add radio: { duty: off } to the configuration"

  /// How late an observation of a scanner may come and still count for rooms.
  package var scannersLateness: TimeSpan {
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
package struct MetricsSettings: Hashable, Sendable {
  /// `file`: an absolute path.
  package var file: String
  /// `every`: the time between two writes. Default 15 s.
  package var interval: TimeSpan = .seconds(15)
}

/// `diary:` – how long what happened is kept on disk.
package struct DiarySettings: Hashable, Sendable {
  /// `days`. Default 90.
  package var days = 90
  /// `size`: the largest size of the file, in octets. Default 50 MB.
  package var size = 50_000_000

  package init() {}
}

/// `telemetry:` – how often changing values are published.
package struct TelemetrySettings: Hashable, Sendable {
  /// `beacon_state`: the least time between two states of one beacon. Default 10 s; 60 s in a fleet, where the states of a
  /// hundred thousand beacons would otherwise be most of the broker's work.
  package var beaconState: TimeSpan
  /// `health`: the time between two health messages if nothing changes. Default 60 s.
  package var health = TimeSpan.seconds(60)

  package init(ofFleet: Bool = false) { beaconState = .seconds(ofFleet ? 60 : 10) }
}

/// `radio:` – how this machine's adapters are used.
package struct RadioSettings: Hashable, Sendable {
  /// The share of time in which they listen.
  package enum Duty: String, Hashable, Sendable, CaseIterable {
    case full
    case balanced
    case wifiFriendly = "wifi-friendly"
    /// No adapter is used: all receivers are scanners.
    case off
  }

  /// `duty`. Default `balanced`.
  package var duty = Duty.balanced
  /// `unblock`: whether to lift an rfkill block that somebody set. Default false.
  package var unblocks = false

  package init() {}
}

/// `receivers:` – a radio with a name or a calibration.
package struct ReceiverSettings: Hashable, Sendable {
  /// `name`: the adapter's alias, else `hciN`, else the name in a recording or of a remote scanner.
  package var name: String
  /// `adapter`: the adapter's address, which stays the same wherever it is plugged in; nil: it is identified by `name`.
  package var adapter: DeviceAddress?
  package var calibration: Calibration

  package init(
    name: String, adapter: DeviceAddress? = nil, calibration: Calibration = Calibration()
  ) {
    self.name = name
    self.adapter = adapter
    self.calibration = calibration
  }
}

/// `publish:` – what the gateway publishes beside its decisions.
package struct PublishSettings: Hashable, Sendable {
  /// `observations`: signals of configured beacons at its own radios, for another Beaconkeeper; nil: off.
  package var observations: ObservationSettings?

  package init() {}
}

/// How observations are published.
package struct ObservationSettings: Hashable, Sendable {
  /// `interval`: how long they are collected. Default 200 ms.
  package var interval: TimeSpan
  /// `partitions`: over how many topics the beacons are spread. Default 1.
  package var partitions: Int
  /// `buffer`: octets of batches that wait on disk while the broker is away; the oldest are dropped first. nil: nothing waits.
  package var buffer: Int?

  package init(interval: TimeSpan = .milliseconds(200), partitions: Int = 1, buffer: Int? = nil) {
    self.interval = interval
    self.partitions = partitions
    self.buffer = buffer
  }
}
