import Beacons
import JSON

/// The history of a beacon's signal at the gateway, for `SignalTrails`.
enum SignalHistory {
  /// More than half a minute of the busiest beacon.
  private static let valueLimit = 100_000

  /// The path of a beacon's last seconds, below the gateway's address.
  static func path(of beacon: String) -> String {
    // `.` and `..` would be resolved as folders, so they are encoded twice.
    let isFolder = beacon == "." || beacon == ".."
    let name = beacon.utf8.map { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        return String(Unicode.Scalar(byte))
      default: return (isFolder ? "%25" : "%") + hexadecimal(UInt128(byte), octets: 1).uppercased()
      }
    }.joined()
    return "api/v1/beacons/\(name)/history?minutes=0.5"
  }

  /// The strongest signal of each second until the end of the history, in dBm; nil: no signal. [] if the answer is invalid.
  static func levels(_ body: [UInt8]) -> [Double?] {
    guard let tree = try? JSONTree(body, limit: valueLimit), let heard = tree["sightings"],
      case .number(let end)? = tree["to"], case .list(let times)? = heard["t"],
      case .list(let signals)? = heard["rssi"]
    else { return [] }
    var levels = [Double?](repeating: nil, count: SignalTrails.length)
    for case (.number(let time), .number(let signal)) in zip(times, signals) {
      let age = (end - time) / 1000
      guard age >= 0, age < Double(levels.count) else { continue }
      let place = levels.count - 1 - Int(age)
      levels[place] = max(levels[place] ?? signal, signal)
    }
    return levels
  }
}
