import Beacons

/// Why a scanner's message, or one observation in it, was refused. Each cause is counted, and logged once per scanner.
package enum ScannerRefusal: String, StateCoded, Error, CaseIterable, Sendable {
  /// No JSON, or not of the expected shape.
  case malformed
  /// A status that says neither online nor offline.
  case status
  /// Larger than `ScannerIntake.largestMessage`.
  case size
  /// Neither topic nor message names the receiver, or the name is unusable.
  case receiver
  /// The names of receivers are used up.
  case receivers
  /// The observation identifies no beacon that could be configured.
  case identity
  /// A field has a value that cannot be read. The rest of the observation counts if it identifies a beacon.
  case field
  /// Not a signal strength that a radio reports.
  case signal
  /// A signal strength that means "lost".
  case absent
  /// The raw payload is not hexadecimal, or too long.
  case payload
  /// An unknown version of the format.
  case version
  /// The message names another gateway than its topic, or there are too many gateways.
  case gateway
  /// The sender's clock jumped, or the message was over a minute under way.
  case clock
  /// Over a minute old when it was sent, or received after it was sent.
  case age
  /// Two gateways publish under one name.
  case twin
  /// A batch from an earlier run of this gateway than the one that counts.
  case former
  /// A batch that came already or is older than one that did, or a device with the same time as before.
  case repeated

  /// A sentence for the log.
  var words: String {
    switch self {
    case .malformed: "messages that are not what this kind of scanner sends"
    case .status: "messages about a scanner itself that say neither online nor offline"
    case .size: "messages of more than \(ScannerIntake.largestMessage / 1024) KiB"
    case .receiver: "messages that do not say which receiver heard, or whose name cannot be used"
    case .receivers: "more than \(ScannerIntake.receiverLimit) receivers; somebody may be inventing them"
    case .identity: "observations without an address, an identity or a payload"
    case .field: "fields whose value cannot be read"
    case .signal: "observations whose rssi is no signal strength"
    case .absent: "devices that are not heard any more: an rssi of 0 or −127 says so"
    case .payload: "payloads that are not hexadecimal digits, or too long"
    case .version: "batches of another version of the contract"
    case .gateway: "batches whose gateway is not the one in their topic, or too many gateways"
    case .clock: "batches whose send time jumped, or that were over a minute under way"
    case .age: "observations of more than a minute before they were sent"
    case .twin: "batches of a second gateway with this name; rename one of them"
    case .former: "batches of an earlier run of this gateway, after those of a later one"
    case .repeated:
      "what came already, or is older: the same batch, one from before it, or a device with the same time; if all of it is, the sender's clock stands still"
    }
  }
}
