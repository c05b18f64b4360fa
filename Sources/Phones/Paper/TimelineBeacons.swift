import Core

/// The beacons that a timeline names, in the order of their first lines, with the UUID, major and minor that it says they have,
/// and the regions of the app.
struct TimelineBeacons {
  private struct Named {
    var name: String?
    var uuid: String?
    var major: UInt16?
    var minor: UInt16?
  }

  private var beacons: [Named] = []
  private var indices: [String: Int] = [:]
  private var firstUUID: String?
  /// The regions that lines of the timeline name.
  private(set) var regions: [BeaconRegion] = []

  /// The members of a line about a beacon, besides its distance.
  static let members = ["beacon", "uuid", "major", "minor"]

  /// The index of a line's beacon.
  mutating func index(_ members: [String: FlatObject.Member]) throws(JSONCursor.Malformed) -> Int {
    let beacon = members["beacon"]
    let name = try beacon.map { member throws(JSONCursor.Malformed) in try Self.name(member) }
    let index = try place(of: name, beacon)
    if let uuid = members["uuid"] {
      guard case .text(let text) = uuid.value, let read = BeaconRegion.uuid(text) else {
        throw uuid.malformed("\"uuid\" is one such as \"2f234454-cf6d-4a0f-adf2-f4911ba9ffa6\"")
      }
      try Self.note(read, &beacons[index].uuid, uuid)
      if firstUUID == nil { firstUUID = read }
    }
    if let major = members["major"] { try Self.note(Self.number(major), &beacons[index].major, major) }
    if let minor = members["minor"] { try Self.note(Self.number(minor), &beacons[index].minor, minor) }
    if beacons[index].uuid == nil, let stray = members["major"] ?? members["minor"] {
      throw stray.misnamed("\"\(stray.name)\" goes with \"uuid\"")
    }
    return index
  }

  /// `{"region":"UUID/MAJOR/MINOR"}`: a region that the app monitors.
  mutating func addRegion(_ member: FlatObject.Member) throws(JSONCursor.Malformed) {
    guard case .text(let text) = member.value, let region = BeaconRegion(text) else {
      throw member.malformed("\"region\" is UUID, UUID/MAJOR or UUID/MAJOR/MINOR")
    }
    guard !regions.contains(region) else { throw member.malformed("this region is there twice") }
    guard regions.count < BeaconRegion.limit else {
      throw member.malformed("an app monitors at most \(BeaconRegion.limit) regions")
    }
    regions.append(region)
  }

  /// The beacons with their regions: those in `given`, else those of the lines, else one for the first UUID. A beacon without a
  /// UUID belongs to each region.
  func of(regions given: [BeaconRegion]) -> [Timeline.Beacon] {
    var regions = given.isEmpty ? regions : given
    if regions.isEmpty { regions = firstUUID.map { [BeaconRegion(uuid: $0)] } ?? [] }
    return beacons.map { beacon in
      guard let uuid = beacon.uuid else {
        return Timeline.Beacon(name: beacon.name, regions: Array(0..<max(1, regions.count)))
      }
      return Timeline.Beacon(
        name: beacon.name,
        regions: regions.indices.filter {
          regions[$0].contains(uuid: uuid, major: beacon.major, minor: beacon.minor)
        })
    }
  }

  private static func note<Value: Equatable>(
    _ read: Value, _ known: inout Value?, _ member: FlatObject.Member
  ) throws(JSONCursor.Malformed) {
    guard known == nil || known == read else {
      throw member.malformed("an earlier line gives this beacon another \"\(member.name)\"")
    }
    known = read
  }

  private static func number(_ member: FlatObject.Member) throws(JSONCursor.Malformed) -> UInt16 {
    guard case .number(let number) = member.value, let read = UInt16(exactly: number) else {
      throw member.malformed("\"\(member.name)\" is a whole number from 0 to 65535")
    }
    return read
  }

  private mutating func place(
    of name: String?, _ member: FlatObject.Member?
  ) throws(JSONCursor.Malformed) -> Int {
    let key = name ?? ""
    if let known = indices[key] { return known }
    guard beacons.count < BeaconView.limit else {
      throw JSONCursor.Malformed(
        offset: member?.valueOffset ?? 0, message: "a timeline has at most \(BeaconView.limit) beacons")
    }
    indices[key] = beacons.count
    beacons.append(Named(name: name))
    return beacons.count - 1
  }

  private static func name(_ member: FlatObject.Member) throws(JSONCursor.Malformed) -> String {
    guard case .text(let name) = member.value, !name.isEmpty, name.utf8.count <= 100 else {
      throw member.malformed("\"beacon\" is a name in double quotes, of at most 100 octets")
    }
    return name
  }
}

extension Timeline {
  /// The name of a beacon; nil: it is the only one, and has no name.
  public func name(of beacon: Int) -> String? {
    guard beacons.indices.contains(beacon) else { return nil }
    return beacons[beacon].name ?? (beacons.count > 1 ? "unnamed" : nil)
  }
}
