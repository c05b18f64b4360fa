/// Parses amounts in common notation: `180 s`, `2.5min`, `50m`, `1.4 m/s`. Only 0 needs no unit.
public enum Amount {
  /// At most 10 years.
  public static func duration(_ text: String) -> Milliseconds? {
    scaled(text, ["ms": 1, "s": 1000, "min": 60_000, "h": 3_600_000, "d": 86_400_000], most: 3.2e11)
  }

  /// At most 1000 km.
  public static func distance(_ text: String) -> Micrometres? {
    scaled(text, ["m": 1e6, "cm": 1e4, "km": 1e9], most: 1e12)
  }

  /// Micrometres per second.
  public static func speed(_ text: String) -> Micrometres? {
    scaled(text, ["m/s": 1e6, "cm/s": 1e4, "km/h": 1e6 / 3.6], most: 1e12)
  }

  /// `50m@1m/s`: the distance, and the speed of approach.
  public static func approach(_ text: String) -> (distance: Micrometres, speed: Micrometres)? {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    guard parts.count == 2, let distance = distance(String(parts[0])), let speed = speed(String(parts[1])),
      speed > 0
    else { return nil }
    return (distance, speed)
  }

  /// `36 s`, `1.5 s`.
  public static func seconds(_ time: Milliseconds) -> String {
    time % 1000 == 0 ? "\(time / 1000) s" : "\(Double(time) / 1000) s"
  }

  static func metres(_ distance: Micrometres) -> String {
    distance % 1_000_000 == 0 ? "\(distance / 1_000_000) m" : "\(Double(distance) / 1e6) m"
  }

  private static func scaled(_ text: String, _ units: [String: Double], most: Double) -> Int64? {
    guard text.utf8.count <= 40 else { return nil }
    let text = text.filter { $0 != " " }
    let number = text.prefix { $0.isNumber || $0 == "." }
    guard let value = Double(number) else { return nil }
    if value == 0, number.count == text.count { return 0 }
    guard let unit = units[String(text.dropFirst(number.count))] else { return nil }
    let amount = (value * unit).rounded()
    return amount >= 0 && amount <= most ? Int64(amount) : nil
  }
}
