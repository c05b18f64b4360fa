import Settings
import JSON
import Beacons

/// Reads `names:` of a region: names for its members.
struct MemberNamesReader {
  /// The pattern of the region.
  var pattern: BeaconPattern

  /// Names by member: the part after the colon in `fleet:1.1`.
  func read(_ value: Value) -> [String: String]? {
    guard pattern.isRegion else {
      return value.refused(
        "names are for the members of a region", hint: "this is one beacon: name says what it is called")
    }
    guard let section = value.section(hint: "for example { \"\(example)\": Bella }") else { return nil }
    defer { section.finish() }
    var names: [String: String] = [:]
    var members: [String: String] = [:]
    for key in section.keys {
      guard let value = section.take(key, isVocabulary: false) else { continue }
      guard let member = pattern.memberName(key) else {
        section.diagnostics.error(
          "\(quoted(key)) is not a member of this region", at: section.keyPosition(of: key),
          hint: "members are written as \(example)")
        continue
      }
      guard let name = checkedName(value) else { continue }
      if let other = members[name] {
        value.warning("\(quoted(name)) is the name of \(other) too", hint: "nobody could tell them apart")
      }
      members[name] = member
      names[member] = name
    }
    return names
  }

  private var example: String { pattern.memberExample }
}

extension BeaconPattern {
  /// A member in its published form; nil if no member is written like that.
  fileprivate func memberName(_ text: String) -> String? {
    switch self {
    case .iBeacon(_, let major, _):
      guard let (first, second) = pair(text), major == nil || major == first else { return nil }
      return "\(first).\(second)"
    case .eddystoneUID: return octets(hexadecimal: text)?.count == 6 ? text.lowercased() : nil
    case .altBeacon: return pair(text).map { "\($0.0).\($0.1)" }
    case .eddystoneURL, .address, .resolvingKey: return nil
    }
  }
}
