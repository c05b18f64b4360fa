import Foundation

/// Whether a stated value is what we decoded.
enum Comparison {
  static func agrees(_ expected: Any, with ours: [Any], factor: Double) -> Bool {
    if let list = expected as? [Any] { return list.allSatisfy { agrees($0, with: ours, factor: factor) } }
    if let event = expected as? [String: Any] { return agrees(event, with: ours) }
    if let number = number(expected) {
      return ours.contains { value in
        guard let value = self.number(value) else { return false }
        let converted = factor == -1 ? 1 - value : value * factor
        return abs(converted - number) <= tolerance(number)
      }
    }
    guard let text = expected as? String else { return false }
    return ours.contains { normal(text) == normal("\($0)") }
  }

  /// A button or dimmer event of bthome-ble.
  private static func agrees(_ event: [String: Any], with ours: [Any]) -> Bool {
    guard let type = event["event_type"] as? String else { return false }
    return ours.contains { ($0 as? String) == type }
  }

  /// Half a unit of the last decimal that is stated.
  private static func tolerance(_ number: Double) -> Double {
    let text = "\(number)"
    let decimals = text.hasSuffix(".0") ? 0 : text.split(separator: ".").last?.count ?? 0
    return 0.5000001 * pow(10, -Double(min(decimals, 9)))
  }

  private static func number(_ value: Any) -> Double? {
    if let number = value as? NSNumber { return number.doubleValue }
    guard let text = value as? String else { return nil }
    if text.hasPrefix("0x"), text.count < 12 { return Int(text.dropFirst(2), radix: 16).map(Double.init) }
    if text.hasPrefix("datetime(") {
      let parts = text.dropFirst(9).split(separator: ",").compactMap {
        Int($0.trimmingCharacters(in: .whitespaces))
      }
      var calendar = Calendar(identifier: .gregorian)
      calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .current
      guard parts.count == 6 else { return nil }
      return calendar.date(
        from: DateComponents(
          year: parts[0], month: parts[1], day: parts[2], hour: parts[3], minute: parts[4], second: parts[5]))?
        .timeIntervalSince1970
    }
    return nil
  }

  private static func normal(_ text: String) -> String {
    var text = text.lowercased()
    for prefix in ["hex:", "0x"] where text.hasPrefix(prefix) { text.removeFirst(prefix.count) }
    return text.filter { !":-,".contains($0) }.replacingOccurrences(of: " ", with: "_")
  }
}
