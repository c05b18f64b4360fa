import Beacons
import Settings
import SettingsFile

/// A configuration that is being put together, answer by answer.
public struct Draft: Hashable, Sendable {
  public enum Broker: Hashable, Sendable {
    case embedded
    case remote(Remote)
  }

  public struct Remote: Hashable, Sendable {
    public var url: String
    public var username: String?
    /// As the file names it: a path, or a credential of the service.
    public var passwordFile: String?
    public var caFile: String?

    public init(url: String, caFile: String? = nil) {
      self.url = url
      self.caFile = caFile
    }
  }

  public struct Beacon: Hashable, Sendable {
    public var name: String
    public var pattern: BeaconPattern
    /// Signal in dBm when it was chosen.
    public var signal: Int?

    public init(name: String, pattern: BeaconPattern, signal: Int? = nil) {
      self.name = name
      self.pattern = pattern
      self.signal = signal
    }
  }

  public struct Zone: Hashable, Sendable {
    public var name: String
    /// nil: any beacon that is heard is inside.
    public var enter: Limit?

    public init(name: String, enter: Limit? = nil) {
      self.name = name
      self.enter = enter
    }
  }

  /// How near a beacon must be, as somebody wrote it: `-70 dBm`, `3m`.
  public struct Limit: Hashable, Sendable {
    public enum Kind: String, Hashable, Sendable {
      case signal, distance
    }

    public var text: String
    /// nil: the unit decides.
    public var kind: Kind?

    public init(_ text: String, _ kind: Kind? = nil) {
      self.text = text
      self.kind = kind
    }
  }

  public var gateway: String
  public var broker: Broker
  public var beacons: [Beacon]
  public var zone: Zone?

  public init(
    gateway: String = "home", broker: Broker = .embedded, beacons: [Beacon] = [], zone: Zone? = nil
  ) {
    self.gateway = gateway
    self.broker = broker
    self.beacons = beacons
    self.zone = zone
  }

  /// What the gateway makes of it: its text, read by the reader of every configuration.
  ///
  /// - Parameter path: where the file will be, from where relative paths start.
  public func read(
    path: String, environment: [String: String] = [:]
  ) throws(ConfigurationErrors) -> Configuration {
    try Configuration.read(
      Array(text.utf8), path: path, environment: environment, hostName: gateway, connects: false
    ).configuration
  }
}
