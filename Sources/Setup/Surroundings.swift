import Beacons
import Settings

/// The outside world of an interview: answers, brokers, and beacons in range.
public protocol Surroundings: Sendable {
  /// Whether a user is there to answer.
  var isAnswered: Bool { get }
  func ask(_ question: Question) -> Reply
  func tell(_ text: String)
  /// The content of a password file, without its line end.
  func password(in file: String) throws(UnreadableFile) -> String
  /// A sentence about the broker that the gateway can start.
  var embeddedBroker: String { get }
  func findBrokers() async -> [FoundBroker]
  /// Why the broker refuses the connection; nil: it accepts it.
  func refusal(of broker: RemoteBroker) async -> ConnectionRefusal?
  /// The beacons in range, the strongest first.
  func listen() async throws(NothingHeard) -> [NearbyBeacon]
}

/// A broker that was found.
public struct FoundBroker: Hashable, Sendable {
  public var url: String
  /// Its answer to a connection without user name; nil: it accepted.
  public var refusal: ConnectionRefusal?

  public init(url: String, refusal: ConnectionRefusal? = nil) {
    self.url = url
    self.refusal = refusal
  }
}

/// A beacon in range that can be configured.
public struct NearbyBeacon: Hashable, Sendable {
  /// A suitable name.
  public var name: String
  public var pattern: BeaconPattern
  /// Its format: `ibeacon`, `ruuvi5`.
  public var format: String
  /// Its own name.
  public var localName: String?
  /// In dBm.
  public var signal: Int?

  public init(
    name: String, pattern: BeaconPattern, format: String, localName: String? = nil, signal: Int? = nil
  ) {
    self.name = name
    self.pattern = pattern
    self.format = format
    self.localName = localName
    self.signal = signal
  }
}

/// Why no beacon was received.
public struct NothingHeard: Error, Hashable, Sendable {
  public var reason: String
  public init(_ reason: String) { self.reason = reason }
}

public struct UnreadableFile: Error, Hashable, Sendable {
  public var reason: String
  public init(_ reason: String) { self.reason = reason }
}
