import Beacons
import Core

/// Writes the text form: one JSON object per line, see `TextLines`. Pure: it appends bytes, and the caller
/// writes them to the file.
///
/// ```swift
/// var encoder = TextEncoder()
/// batch.forEach { advertisement, payload in encoder.append(advertisement, payload: payload, receivers: receivers) }
/// let file = try RecordingFile(path: "monday.jsonl")
/// try file.write(&encoder.bytes)
/// ```
public struct TextEncoder: Sendable {
  /// Bytes not written yet.
  public var bytes: [UInt8] = []

  private static let digits = Array("0123456789abcdef".utf8)

  public init() {}

  public mutating func append(
    _ advertisement: borrowing Advertisement, payload: Span<UInt8>, receivers: ReceiverTable
  ) {
    appendHead(advertisement.wallTime, receivers.name(of: advertisement.receiver))
    append(", \"address\": \"\(advertisement.address)\"")
    append(", \"address_type\": \"\(advertisement.address.kind == .public ? "public" : "random")\"")
    append(", \"rssi\": \(advertisement.rssi.map { "\($0)" } ?? "null")")
    if let power = advertisement.txPower { append(", \"tx_power\": \(power)") }
    if advertisement.phy != .le1M { append(", \"phy\": \"\(advertisement.phy == .le2M ? "2m" : "coded")\"") }
    if advertisement.isScanResponse { append(", \"scan_response\": true") }
    append(payload)
  }

  public mutating func append(_ report: AppReport) {
    append("{\"t\": ")
    append(seconds: report.wallTime)
    append(", \"phone\": ")
    append(quoted: report.phone)
    append(", \"report\": \"\(report.kind.rawValue)\"")
    if report.isRetained { append(", \"retained\": true") }
    append(report.payload.span)
  }

  /// The last member of a line.
  private mutating func append(_ payload: Span<UInt8>) {
    append(", \"payload\": \"")
    for offset in payload.indices {
      bytes.append(Self.digits[Int(payload[offset] >> 4)])
      bytes.append(Self.digits[Int(payload[offset] & 15)])
    }
    append("\"}\n")
  }

  public mutating func append(_ observation: Observation, receivers: ReceiverTable) {
    appendHead(observation.wallTime, receivers.name(of: observation.receiver))
    append(", \"rssi\": \(observation.rssi.map { "\($0)" } ?? "null")")
    if let power = observation.measuredPower { append(", \"measured_power\": \(power)") }
    append(", \"beacon\": ")
    append(quoted: observation.key)
    append("}\n")
  }

  public mutating func append(_ change: ReceiverHealthChange, receivers: ReceiverTable) {
    appendHead(change.wallTime, receivers.name(of: change.receiver))
    append(", \"health\": \"\(change.health.rawValue)\"")
    if !change.reason.isEmpty {
      append(", \"reason\": ")
      append(quoted: change.reason)
    }
    append("}\n")
  }

  private mutating func appendHead(_ wallTime: WallTime, _ receiver: String) {
    append("{\"t\": ")
    append(seconds: wallTime)
    append(", \"receiver\": ")
    append(quoted: receiver)
  }

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }

  /// Writes seconds with as many decimals as needed to read back the same nanoseconds.
  private mutating func append(seconds time: WallTime) {
    let magnitude = time.nanoseconds.magnitude
    if time.nanoseconds < 0 { bytes.append(UInt8(ascii: "-")) }
    append("\(magnitude / 1_000_000_000)")
    var rest = magnitude % 1_000_000_000
    guard rest > 0 else { return }
    bytes.append(UInt8(ascii: "."))
    var unit: UInt64 = 100_000_000
    while rest > 0 {
      bytes.append(Self.digits[Int(rest / unit)])
      rest %= unit
      unit /= 10
    }
  }

  private mutating func append(quoted text: String) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"):
        bytes.append(UInt8(ascii: "\\"))
        bytes.append(byte)
      case 0..<0x20:
        append("\\u00")
        bytes.append(Self.digits[Int(byte >> 4)])
        bytes.append(Self.digits[Int(byte & 15)])
      default: bytes.append(byte)
      }
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
