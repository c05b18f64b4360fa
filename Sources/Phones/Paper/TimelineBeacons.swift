import Core

/// The beacons that a timeline names, in the order of their first lines, and the UUIDs that it says they have.
struct TimelineBeacons {
  private var names: [String?] = []
  private var uuids: [String?] = []
  private var indices: [String: Int] = [:]
  private var firstUUID: String?

  /// The index of a line's beacon.
  mutating func index(
    _ beacon: FlatObject.Member?, uuid: FlatObject.Member?
  ) throws(JSONCursor.Malformed) -> Int {
    let name = try beacon.map { member throws(JSONCursor.Malformed) in try Self.name(member) }
    let index = try place(of: name, beacon)
    guard let uuid else { return index }
    guard case .text(let text) = uuid.value, let read = Self.normal(text) else {
      throw uuid.malformed("\"uuid\" is one such as \"2f234454-cf6d-4a0f-adf2-f4911ba9ffa6\"")
    }
    guard uuids[index] == nil || uuids[index] == read else {
      throw uuid.malformed("an earlier line gives this beacon another \"uuid\"")
    }
    uuids[index] = read
    if firstUUID == nil { firstUUID = read }
    return index
  }

  /// A beacon without UUID belongs to every region.
  func of(region uuid: String?) -> [Timeline.Beacon] {
    let region = uuid.flatMap(Self.normal) ?? firstUUID
    return names.indices.map { index in
      let isForeign = uuids[index].map { $0 != region } ?? false
      return Timeline.Beacon(name: names[index], isForeign: isForeign)
    }
  }

  /// 32 hexadecimal digits in lower case; nil if it is no UUID.
  static func normal(_ text: String) -> String? {
    let digits = text.lowercased().filter { $0 != "-" }
    let isUUID = digits.utf8.count == 32 && digits.allSatisfy { $0.isASCII && $0.isHexDigit }
    return isUUID ? digits : nil
  }

  private mutating func place(
    of name: String?, _ member: FlatObject.Member?
  ) throws(JSONCursor.Malformed) -> Int {
    let key = name ?? ""
    if let known = indices[key] { return known }
    guard names.count < BeaconView.limit else {
      throw JSONCursor.Malformed(
        offset: member?.valueOffset ?? 0, message: "a timeline has at most \(BeaconView.limit) beacons")
    }
    indices[key] = names.count
    names.append(name)
    uuids.append(nil)
    return names.count - 1
  }

  private static func name(_ member: FlatObject.Member) throws(JSONCursor.Malformed) -> String {
    guard case .text(let name) = member.value, !name.isEmpty, name.utf8.count <= 100 else {
      throw member.malformed("\"beacon\" is a name in double quotes, of at most 100 octets")
    }
    return name
  }
}

extension Timeline {
  /// Whether a text is a UUID, with or without hyphens.
  public static func isUUID(_ text: String) -> Bool { TimelineBeacons.normal(text) != nil }

  /// What a beacon is called; nil: it is the only one, and has no name.
  public func name(of beacon: Int) -> String? {
    guard beacons.indices.contains(beacon) else { return nil }
    return beacons[beacon].name ?? (beacons.count > 1 ? "unnamed" : nil)
  }
}
