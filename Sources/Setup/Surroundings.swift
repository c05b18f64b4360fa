import Beacons
import Settings

/// The outside world of an interview: answers, brokers, and beacons in range.
public protocol Surroundings: Sendable {
  /// Whether somebody is there to answer.
  var isAnswered: Bool { get }
  func ask(_ question: Question) -> Reply
  func tell(_ text: String)
  /// The content of a password file, without its line end.
  func password(in file: String) throws(UnreadableFile) -> String
  /// What there is to say about the broker that the gateway can start.
  var embeddedBroker: String { get }
  func findBrokers() async -> [FoundBroker]
  /// Why the broker does not take us; nil: it does.
  func refusal(of broker: RemoteBroker) async -> ConnectionRefusal?
  /// The beacons in range, the strongest first.
  func listen() async throws(NothingHeard) -> [NearbyBeacon]
}

/// A broker in the neighbourhood.
public struct FoundBroker: Hashable, Sendable {
  public var url: String
  /// How it answered a connection without user name; nil: it accepted it.
  public var refusal: ConnectionRefusal?

  public init(url: String, refusal: ConnectionRefusal? = nil) {
    self.url = url
    self.refusal = refusal
  }
}

/// A beacon in range that can be configured.
public struct NearbyBeacon: Hashable, Sendable {
  /// One that suits it.
  public var name: String
  public var pattern: BeaconPattern
  /// What kind it is: `ibeacon`, `ruuvi5`.
  public var format: String
  /// What it calls itself.
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

/// Why the air cannot be heard.
public struct NothingHeard: Error, Hashable, Sendable {
  public var reason: String
  public init(_ reason: String) { self.reason = reason }
}

public struct UnreadableFile: Error, Hashable, Sendable {
  public var reason: String
  public init(_ reason: String) { self.reason = reason }
}
