import Core

/// All topics of version 1 of the contract, below `beaconkeeper/<gateway>`.
package struct Topics: Hashable, Sendable {
  package let gateway: String
  /// The levels before the gateway's: `beaconkeeper`, or what the configuration says.
  package let root: String
  package let base: String

  package static let usualRoot = "beaconkeeper"

  package init(gateway: String, root: String = usualRoot) {
    self.gateway = gateway
    self.root = root
    base = root + "/" + topicLevel(gateway)
  }

  /// The topic below this root for a topic of the same gateway. Another configuration may have put that below
  /// another root.
  package func rooted(_ topic: String, of other: Topics) -> String {
    topic.hasPrefix(other.base + "/") ? base + topic.dropFirst(other.base.utf8.count) : topic
  }

  /// The base in a retained topic of any gateway; nil: the topic is not of that form.
  package static func base(ofRetained topic: String) -> String? {
    let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
    guard levels.count >= 5,
      RetainedTopic(rawValue: "\(levels[levels.count - 3])/\(levels[levels.count - 1])") != nil
    else { return nil }
    return levels.dropLast(3).joined(separator: "/")
  }

  package var status: String { base + "/status" }
  package var health: String { base + "/health" }
  /// Identifies the run of the gateway that publishes.
  package var instance: String { base + "/instance" }
  /// The topic on which `doctor` tests what the broker can do. Nothing stays there.
  package var doctor: String { base + "/doctor" }
  /// The observations of one partition of the beacons.
  package func observations(partition: Int) -> String { base + "/observations/\(partition)" }
  package func occupancy(zone: String) -> String { occupancy(of: .zone, zone) }
  package func occupancy(room: String) -> String { occupancy(of: .room, room) }
  package func occupancy(of kind: PlaceKind, _ name: String) -> String {
    topic(kind.level, name, "/occupancy")
  }
  package func transition(zone: String, event: String) -> String { transition(of: .zone, zone, event: event) }
  package func transition(room: String, event: String) -> String { transition(of: .room, room, event: event) }
  package func transition(of kind: PlaceKind, _ name: String, event: String) -> String {
    topic(kind.level, name, "/", event)
  }
  package func state(beacon: String) -> String { topic("/beacon/", beacon, "/state") }
  package func event(beacon: String) -> String { topic("/beacon/", beacon, "/event") }
  package func room(beacon: String) -> String { topic("/beacon/", beacon, "/room") }
  package func zone(beacon: String) -> String { topic("/beacon/", beacon, "/zone") }
  package func place(beacon: String) -> String { topic("/beacon/", beacon, "/place") }
  package func window(phone: String) -> String { topic("/phone/", phone, "/window") }
  package func verdict(phone: String) -> String { topic("/phone/", phone, "/verdict") }
  package func record(phone: String) -> String { topic("/phone/", phone, "/record") }
  /// What the broker retains of a beacon.
  package func retained(beacon: String, hasPlaces: Bool, hasRooms: Bool) -> [String] {
    [state(beacon: beacon), zone(beacon: beacon)] + (hasPlaces ? [place(beacon: beacon)] : [])
      + (hasRooms ? [room(beacon: beacon)] : [])
  }
  /// The filter for the retained topics of all things of a kind.
  package func all(_ kind: RetainedTopic) -> String {
    "\(base)/\(kind.rawValue.replacing("/", with: "/+/"))"
  }
  /// What kind of thing a retained topic is about, and the thing's name as a topic level; nil: the topic is not ours.
  package func retained(_ topic: String) -> (kind: RetainedTopic, name: Substring)? {
    guard topic.hasPrefix(base + "/") else { return nil }
    let levels = topic.dropFirst(base.count + 1).split(separator: "/", omittingEmptySubsequences: false)
    guard levels.count == 3, let kind = RetainedTopic(rawValue: "\(levels[0])/\(levels[2])") else {
      return nil
    }
    return (kind, levels[1])
  }
  /// The topic of reports about a phone's app.
  package func appReport(phone: String) -> String { appReport(phone: phone, "set") }
  /// The topic on which a phone's app says what it noticed.
  package func appSeen(phone: String) -> String { appReport(phone: phone, "seen") }
  /// `set` or `seen`.
  package func appReport(phone: String, _ kind: String) -> String { topic("/phone/", phone, "/app/", kind) }
  /// The filters for both of every phone.
  package var appReports: [String] { ["set", "seen"].map { base + "/phone/+/app/" + $0 } }
  package func isAppReport(_ topic: String) -> Bool {
    topic.hasPrefix(base + "/phone/") && (topic.hasSuffix("/app/set") || topic.hasSuffix("/app/seen"))
  }

  /// The topic for a named item, built with a single allocation.
  private func topic(_ kind: String, _ name: String, _ what: String, _ event: String = "") -> String {
    let level = topicLevel(name)
    let octets = base.utf8.count + kind.utf8.count + level.utf8.count + what.utf8.count + event.utf8.count
    return String(utf8Capacity: octets) { topic in
      topic.append(contentsOf: base.utf8.span)
      topic.append(contentsOf: kind.utf8.span)
      topic.append(contentsOf: level.utf8.span)
      topic.append(contentsOf: what.utf8.span)
      topic.append(contentsOf: event.utf8.span)
    }
  }
}

/// The topics of named things that the broker retains, without the gateway and the name.
package enum RetainedTopic: String, CaseIterable, Sendable {
  case zoneOccupancy = "zone/occupancy"
  case roomOccupancy = "room/occupancy"
  case phoneWindow = "phone/window"
  case phoneRecord = "phone/record"
  case beaconState = "beacon/state"
  case beaconZone = "beacon/zone"
  case beaconPlace = "beacon/place"
  case beaconRoom = "beacon/room"

  /// The topics that say where a beacon is.
  package static let ofBeacons: [RetainedTopic] = [.beaconState, .beaconZone, .beaconPlace, .beaconRoom]
}

extension PlaceKind {
  fileprivate var level: String {
    switch self {
    case .zone: "/zone/"
    case .room: "/room/"
    }
  }
}

extension UInt8 {
  fileprivate var standsInTopicAsItIs: Bool {
    switch self {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"):
      true
    default: false
    }
  }
}

/// A name as one level of a topic: percent-encoded outside `[A-Za-z0-9_.-]`, so that no name can add levels
/// or act as a wildcard.
package func topicLevel(_ name: String) -> String {
  if standsInTopicAsItIs(name.utf8.span) { return name }
  return String(utf8Capacity: 3 * name.utf8.count) { level in
    for unit in name.utf8 {
      if unit.standsInTopicAsItIs {
        level.append(unit)
      } else {
        level.append(UInt8(ascii: "%"))
        level.append(upperHexadecimal: unit >> 4)
        level.append(upperHexadecimal: unit & 15)
      }
    }
  }
}

/// The name in a level; nil if the level is not an encoded name.
package func name(ofTopicLevel level: some StringProtocol) -> String? {
  unescaped(level, marker: UInt8(ascii: "%"))
}

/// Decodes a text in which a marker and two hexadecimal digits stand for an octet.
package func unescaped(_ text: some StringProtocol, marker: UInt8) -> String? {
  var octets: [UInt8] = []
  var units = text.utf8.makeIterator()
  while let unit = units.next() {
    guard unit == marker else {
      octets.append(unit)
      continue
    }
    guard let high = units.next().flatMap(hexadecimalDigit), let low = units.next().flatMap(hexadecimalDigit)
    else { return nil }
    octets.append(high << 4 | low)
  }
  return String(validating: octets, as: UTF8.self)
}

private func standsInTopicAsItIs(_ name: Span<UInt8>) -> Bool {
  for index in name.indices where !name[index].standsInTopicAsItIs { return false }
  return true
}

extension OutputSpan<UInt8> {
  @_lifetime(self: copy self)
  fileprivate mutating func append(upperHexadecimal nibble: UInt8) {
    append(nibble + (nibble < 10 ? 0x30 : 0x37))
  }
}
