import Settings
import JSON
import Beacons

/// The beacon that a phone carries: an entry of `beacons:`, or a member of a region there.
struct CarriedBeacon {
  /// The name used in the phone's settings.
  var name: String
  /// What it sends; nil if it is known only by its address or key.
  var pattern: BeaconPattern

  /// What observations call it.
  var key: String? { BeaconEntry(name: name, pattern: pattern).key }

  /// Finds the beacon; nil, with a diagnostic, if there is none.
  init?(_ value: Value, among beacons: [BeaconSettings], known: Set<String>) {
    guard let text = value.text() else { return nil }
    if known.contains(text), let entry = beacons.first(where: { $0.name == text }) {
      guard !entry.pattern.isRegion else {
        value.error(
          "\(quoted(text)) is a region of many beacons, and a phone carries one",
          hint: "name the member, for example \(text):\(entry.pattern.memberExample)")
        return nil
      }
      name = text
      pattern = entry.pattern
      return
    }
    // An entry with an error of its own, which is already reported.
    if known.contains(text) { return nil }
    if let colon = text.firstIndex(of: ":"),
      let region = beacons.first(where: { $0.name == text[..<colon] && $0.pattern.isRegion })
    {
      let member = text[text.index(after: colon)...].lowercased()
      guard let pattern = region.pattern.member(member) else {
        value.error(
          "\(quoted(text)) is not a member of the region \(quoted(region.name))",
          hint: "members are called like \(region.name):\(region.pattern.memberExample)")
        return nil
      }
      name = "\(region.name):\(member)"
      self.pattern = pattern
      return
    }
    if let colon = text.firstIndex(of: ":"), known.contains(String(text[..<colon])) {
      if beacons.contains(where: { $0.name == text[..<colon] }) {
        value.error(
          "\(quoted(String(text[..<colon]))) is not a region, so it has no members",
          hint: "write beacon: \(text[..<colon])")
      }
      return nil
    }
    value.error(
      "there is no beacon \(quoted(text))",
      hint: suggestion(for: text, among: known, whenEmpty: "beacons: is empty"))
    return nil
  }

  /// Whether an entry of `beacons:` matches it.
  func belongs(to entry: BeaconSettings) -> Bool { entry.name == name || entry.pattern.includes(pattern) }
}

extension BeaconPattern {
  /// The member of a region with the name that `BeaconCatalogue` gives it: `1.2`, or hexadecimal digits.
  package func member(_ name: String) -> BeaconPattern? {
    switch self {
    case .iBeacon(let uuid, let own, nil):
      guard let (major, minor) = pair(name), own == nil || own == major else { return nil }
      return .iBeacon(uuid: uuid, major: major, minor: minor)
    case .eddystoneUID(let namespace, nil):
      guard let bytes = octets(hexadecimal: name), bytes.count == 6 else { return nil }
      return .eddystoneUID(
        namespace: namespace, instance: UInt64(truncatingIfNeeded: number(bigEndian: bytes)))
    case .altBeacon(let prefix) where prefix.count == 16 || prefix.count == 18:
      guard let (high, low) = pair(name) else { return nil }
      let id = prefix.prefix(16) + [UInt8(high >> 8), UInt8(high & 255), UInt8(low >> 8), UInt8(low & 255)]
      return id.starts(with: prefix) ? .altBeacon(idPrefix: Array(id)) : nil
    case .altBeacon(let prefix) where prefix.count < 20:
      guard let bytes = octets(hexadecimal: name), prefix.count + bytes.count == 20 else { return nil }
      return .altBeacon(idPrefix: prefix + bytes)
    default: return nil
    }
  }

  /// An example of a member's name in this region.
  var memberExample: String {
    switch self {
    case .iBeacon(_, let major, _): "\(major ?? 1).2"
    case .eddystoneUID: "0bdb87539b67"
    default: "1.2"
    }
  }

  /// Whether every beacon of another pattern also matches this pattern.
  fileprivate func includes(_ other: BeaconPattern) -> Bool {
    switch (self, other) {
    case (.iBeacon(let uuid, let major, let minor), .iBeacon(let otherUUID, let otherMajor, let otherMinor)):
      uuid == otherUUID && (major == nil || major == otherMajor) && (minor == nil || minor == otherMinor)
    case (.altBeacon(let prefix), .altBeacon(let id)): id.starts(with: prefix)
    case (.eddystoneUID(let namespace, let instance), .eddystoneUID(let otherNamespace, let otherInstance)):
      namespace == otherNamespace && (instance == nil || instance == otherInstance)
    case (.resolvingKey, _): false
    default: self == other
    }
  }
}

/// Two numbers as `1.2`, without leading zeros.
func pair(_ text: String) -> (UInt16, UInt16)? {
  let parts = text.split(separator: ".", omittingEmptySubsequences: false)
  guard parts.count == 2, let first = UInt16(parts[0]), let second = UInt16(parts[1]),
    "\(first).\(second)" == text
  else { return nil }
  return (first, second)
}
