import Core

/// A gateway's overview, as far as `top` shows it. Members that are missing or have another type are unknown, so that older and
/// newer gateways can be shown.
struct TopPicture: Sendable {
  struct Receiver: Sendable {
    var name: String
    var state: String
    var reason: String?
    /// Advertisements a second.
    var rate: Double?
  }

  struct Member: Sendable {
    var name: String
    var since: WallTime?
    var isNear: Bool
    var distance: Double?
    /// The probability of a room.
    var probability: Double?
  }

  /// A zone or a room.
  struct Place: Sendable {
    var name: String
    var state: String
    var count: Int
    var members: [Member]
  }

  struct Beacon: Sendable {
    var id: String
    var displayName: String?
    var places: [String]
    var distance: Double?
    var deviation: Double?
    var rssi: Double?
    var lastSeen: WallTime?
    var receiver: String?
  }

  struct Phone: Sendable {
    var name: String
    var beacon: String
    var app: String
    var state: String
    var until: WallTime?
    var why: String?
  }

  /// A transition, or an event of a beacon.
  struct Event: Sendable {
    var time: WallTime?
    var kind: String
    /// Zone or room; for an event of a beacon, the reading that reported it.
    var place: String
    var beacon: String
    var distance: Double?
    var rssi: Double?
  }

  /// The text is not an overview.
  struct Stranger: Error {
    var reason: String
  }

  /// More values than any gateway sends; limits our memory for a hostile one.
  private static let valueLimit = 400_000

  private(set) var gateway: String
  private(set) var version: String
  private(set) var isRecording: Bool
  private(set) var time: WallTime?
  /// nil: unknown.
  private(set) var isConnected: Bool?
  private(set) var queued: Int
  private(set) var receivers: [Receiver]
  private(set) var zones: [Place]
  private(set) var rooms: [Place]
  private(set) var beacons: [Beacon]
  private(set) var omitted: Int
  private(set) var phones: [Phone]
  private(set) var events: [Event]

  init(_ body: [UInt8]) throws(Stranger) {
    let tree: JSONTree
    do throws(JSONCursor.Malformed) { tree = try JSONTree(body, limit: Self.valueLimit) } catch {
      throw Stranger(reason: "its answer is not JSON")
    }
    guard let gateway = tree.text("gateway"), tree.number("v") == 1, tree["health"] != nil else {
      throw Stranger(reason: "its answer is not an overview of version 1")
    }
    self.gateway = gateway
    version = tree.text("version") ?? "?"
    isRecording = tree.text("source") == "recording"
    time = tree.time("time")
    isConnected = tree["broker"]?.flag("connected")
    queued = tree["health"]?.number("queued").map { Int(clamping: Int64($0.rounded())) } ?? 0
    receivers = (tree["health"]?.list("receivers") ?? []).map(Receiver.init)
    zones = tree.list("zones").map { Place($0, "zone") }
    rooms = tree.list("rooms").map { Place($0, "room") }
    beacons = tree.list("beacons").map(Beacon.init)
    omitted = Int(clamping: Int64(tree.number("beacons_omitted") ?? 0))
    phones = tree.list("phones").map(Phone.init)
    events = (tree.list("transitions") + tree.list("events")).map(Event.init)
    let never = WallTime(nanoseconds: .min)
    events.sort { $0.time ?? never > $1.time ?? never }
  }

  /// An error in the API's format.
  struct Fault {
    var text: String

    init(_ body: [UInt8]) throws(Stranger) {
      guard let tree = try? JSONTree(body), let error = tree.text("error") else {
        throw Stranger(reason: "it says nothing")
      }
      text = tree.text("remedy").map { "\(error): \($0)" } ?? error
    }
  }
}

extension TopPicture.Receiver {
  init(_ tree: JSONTree) {
    self.init(
      name: tree.text("name") ?? "?", state: tree.text("state") ?? "?", reason: tree.text("reason"),
      rate: tree.number("advertisements_per_s"))
  }
}

extension TopPicture.Place {
  init(_ tree: JSONTree, _ kind: String) {
    let members = tree.list("beacons").map { member in
      TopPicture.Member(
        name: member.text("name") ?? member.text("beacon") ?? "?", since: member.time("since"),
        isNear: member.flag("near") ?? false, distance: member.number("distance_m"),
        probability: member.number("probability"))
    }
    self.init(
      name: tree.text(kind) ?? "?", state: tree.text("state") ?? "?",
      count: tree.number("count").map { Int(clamping: Int64($0.rounded())) } ?? members.count,
      members: members)
  }
}

extension TopPicture.Beacon {
  init(_ tree: JSONTree) {
    let zones = tree.list("zones").compactMap { if case .text(let zone) = $0 { zone } else { nil } }
    self.init(
      id: tree.text("beacon") ?? "?", displayName: tree.text("name"),
      places: zones + [tree.text("room")].compactMap(\.self), distance: tree.number("distance_m"),
      deviation: tree.number("distance_sd_m"), rssi: tree.number("rssi_dbm"),
      lastSeen: tree.time("last_seen"),
      receiver: tree.text("receiver"))
  }
}

extension TopPicture.Phone {
  init(_ tree: JSONTree) {
    self.init(
      name: tree.text("phone") ?? "?", beacon: tree.text("beacon") ?? "?",
      app: [tree.text("os"), tree.text("strategy")].compactMap(\.self).joined(separator: " "),
      state: tree.text("state") ?? "?", until: tree.time("until"), why: tree.text("why"))
  }
}

extension TopPicture.Event {
  init(_ tree: JSONTree) {
    self.init(
      time: tree.time("time"), kind: tree.text("event") ?? "?",
      place: tree.text("zone") ?? tree.text("room") ?? tree.text("reading") ?? "?",
      beacon: tree.text("name") ?? tree.text("beacon") ?? "?", distance: tree.number("distance_m"),
      rssi: tree.number("rssi_dbm"))
  }
}

extension JSONTree {
  /// A number within a displayable range.
  fileprivate func number(_ name: String) -> Double? {
    if case .number(let number)? = self[name], abs(number) < 1e15 { number } else { nil }
  }

  fileprivate func time(_ name: String) -> WallTime? { text(name).flatMap { WallTime(rfc3339: $0) } }

  fileprivate func list(_ name: String) -> [JSONTree] {
    if case .list(let entries)? = self[name] { entries } else { [] }
  }
}
