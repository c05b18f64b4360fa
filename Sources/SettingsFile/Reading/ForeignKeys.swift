/// Other programs' names for our keys, and likely misnomers. The reader reports such a key, and reads its value as if
/// the key had the right name, so that errors below it are reported in the same run.
enum ForeignKeys {
  /// - Parameter path: the path of the section, such as `zones[].enter`.
  static func names(for key: String, in path: String) -> [String] {
    let words =
      switch path {
      case "": root
      case "beacons[]": beacon
      case "broker": broker
      case "http": http
      case "rooms[]": room
      case "zones[]": zone
      case "zones[].enter", "zones[].near", "zones[].exit": rule
      default: [:] as [String: [String]]
      }
    return words[key] ?? []
  }

  private static let root = [
    "beacons": ["beacon", "devices", "tags", "trackers"],
    "broker": ["mqtt"],
    "home_assistant": ["homeassistant", "hass"],
    "http": ["frontend", "web", "dashboard"],
    "phones": ["phone"],
    "doors": ["door"],
    "floors": ["floor", "storeys"],
    "receivers": ["receiver", "adapters"],
    "scanners": ["scanner", "remote_receivers"],
    "rooms": ["room"],
    "zones": ["zone", "areas"],
  ]
  private static let beacon = [
    "address": ["mac", "mac_address"],
    "bind_key": ["bindkey", "encryption_key"],
    "irk": ["identity_resolving_key"],
    "measured_power": ["tx_power", "rssi_at_1m"],
  ]
  private static let broker = ["url": ["host", "server"], "username": ["user"]]
  private static let http = [
    "listen": ["address", "bind", "port"], "password_file": ["token_file", "read_password_file"],
    "proxies": ["trusted_proxies"],
  ]
  // As ESPresense-companion has them.
  private static let room = [
    "outline": ["points", "polygon", "corners"], "receivers": ["receiver", "nodes", "scanners"],
  ]
  private static let zone = ["enter": ["entry", "inside"], "exit": ["leave", "outside"]]
  private static let rule = [
    "distance": ["range", "radius"],
    "dwell": ["delay", "duration"],
    "lost": ["timeout"],
    "signal": ["rssi"],
  ]
}
