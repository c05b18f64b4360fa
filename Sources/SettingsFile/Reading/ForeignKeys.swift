/// What people who know another program, or write from memory, call our keys. What stands there is then read as if it had the
/// right name, so that the errors below it are seen at once, too.
enum ForeignKeys {
  /// - Parameter path: of the section, such as `zones[].enter`.
  static func names(for key: String, in path: String) -> [String] {
    let words =
      switch path {
      case "": root
      case "beacons[]": beacon
      case "broker": broker
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
    "phones": ["phone"],
    "receivers": ["receiver", "adapters"],
    "zones": ["zone", "areas"],
  ]
  private static let beacon = [
    "address": ["mac", "mac_address"],
    "bind_key": ["bindkey", "encryption_key"],
    "irk": ["identity_resolving_key"],
    "measured_power": ["tx_power", "rssi_at_1m"],
  ]
  private static let broker = ["url": ["host", "server"], "username": ["user"]]
  private static let zone = ["enter": ["entry", "inside"], "exit": ["leave", "outside"]]
  private static let rule = [
    "distance": ["range", "radius"],
    "dwell": ["delay", "duration"],
    "lost": ["timeout"],
    "signal": ["rssi"],
  ]
}
