import Beacons
import Contract
import Core

/// The outside world of an interview: answers, brokers, and beacons in range.
package protocol Surroundings: Sendable {
  /// Whether a user is there to answer.
  var isAnswered: Bool { get }
  func ask(_ question: Question) -> Reply
  func tell(_ text: String)
  /// The content of a password file, without its line end.
  func password(in file: String) throws(UnreadableFile) -> String
  /// A password that nobody can guess.
  var newPassword: String { get }
  /// A sentence about the broker that the gateway can start.
  var embeddedBroker: String { get }
  func findBrokers() async -> [FoundBroker]
  /// Why the broker refuses the connection; nil: it accepts it.
  func refusal(of broker: RemoteBroker) async -> ConnectionRefusal?
  /// Boards and gateways that publish what they hear to this broker.
  func findScanners(at broker: RemoteBroker) async -> [FoundScanner]
  /// This machine's first Bluetooth adapter; nil: it has none.
  var adapter: String? { get }
  /// The beacons in range of this machine and of the configured scanners, the strongest first.
  func listen(_ configuration: Configuration) async throws(NothingHeard) -> [NearbyBeacon]
}

/// Scanners of one kind that were heard.
package struct FoundScanner: Hashable, Sendable {
  package var kind: Scanner.Kind
  /// As rooms and zones name them.
  package var receivers: [String]

  package init(kind: Scanner.Kind, receivers: [String]) {
    self.kind = kind
    self.receivers = receivers
  }

  /// `ESPresense: bath, hall, kitchen`; of many, the first.
  var words: String {
    let product =
      switch kind {
      case .espresense: "ESPresense"
      case .theengs: "Theengs or OpenMQTTGateway"
      case .beaconkeeper: "Beaconkeeper"
      case .json: "JSON"
      }
    return "\(product): \(receiverWords)"
  }

  var receiverWords: String {
    let listed = receivers.prefix(8).map { String($0.printable.prefix(40)) }.joined(separator: ", ")
    return listed + (receivers.count > 8 ? " and \(receivers.count - 8) more" : "")
  }
}

/// A broker that was found.
package struct FoundBroker: Hashable, Sendable {
  package var url: String
  /// Its answer to a connection without user name; nil: it accepted.
  package var refusal: ConnectionRefusal?

  package init(url: String, refusal: ConnectionRefusal? = nil) {
    self.url = url
    self.refusal = refusal
  }
}

/// A beacon in range that can be configured.
package struct NearbyBeacon: Hashable, Sendable {
  /// A suitable name.
  package var name: String
  package var pattern: BeaconPattern
  /// Its format: `ibeacon`, `ruuvi5`.
  package var format: String
  /// Its own name.
  package var localName: String?
  /// In dBm.
  package var signal: Int?

  package init(
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
package struct NothingHeard: Error, Hashable, Sendable {
  package var reason: String
  package init(_ reason: String) { self.reason = reason }
}

package struct UnreadableFile: Error, Hashable, Sendable {
  package var reason: String
  package init(_ reason: String) { self.reason = reason }
}
