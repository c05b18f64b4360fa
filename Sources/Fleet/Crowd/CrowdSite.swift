import Configuration
import Core
import Glibc

/// Rooms of one size on a grid, and gateways in them. Metres from the south-western corner.
package struct CrowdSite: Sendable {
  static let width = 6.0
  static let depth = 5.0
  /// RSSI at 1 m, dBm.
  static let measuredPower = -59.0
  static let exponent = 2.2
  /// The weakest signal that a gateway receives, dBm.
  static let weakest = -98.0

  struct Gateway: Sendable {
    var name: String
    var room: Int
    var x: Double
    var y: Double
  }

  package let rooms: Int
  let columns: Int
  let gateways: [Gateway]
  /// The gateways that are most likely to receive a tag in a room, by room.
  let audience: [[Int]]
  private let wall: Double

  package init(_ settings: CrowdSettings) {
    rooms = max(1, min(settings.rooms, settings.gateways))
    let columns = max(1, Int(Double(rooms).squareRoot().rounded(.up)))
    self.columns = columns
    wall = settings.wall
    var dice = Dice(seed: settings.seed, stream: .max)
    var gateways: [Gateway] = []
    for number in 0..<settings.gateways {
      let room = number % rooms
      let x = (Double(room % columns) + dice.number(in: 0.25...0.75)) * Self.width
      let y = (Double(room / columns) + dice.number(in: 0.25...0.75)) * Self.depth
      gateways.append(Gateway(name: "g" + digits(number + 1), room: room, x: x, y: y))
    }
    self.gateways = gateways
    let wall = settings.wall
    audience = (0..<rooms).map { room in
      let x = (Double(room % columns) + 0.5) * Self.width
      let y = (Double(room / columns) + 0.5) * Self.depth
      let levels = gateways.map { gateway in
        signal(from: x, y, in: room, to: gateway, columns: columns, wall: wall)
      }
      let order = gateways.indices.sorted { (-levels[$0], $0) < (-levels[$1], $1) }
      return Array(order.prefix(settings.audience))
    }
  }

  package func name(ofRoom room: Int) -> String { "r" + digits(room + 1) }

  /// The rooms next to a room.
  func neighbours(of room: Int) -> [Int] {
    let column = room % columns
    var found: [Int] = []
    if column > 0 { found.append(room - 1) }
    if column < columns - 1, room + 1 < rooms { found.append(room + 1) }
    if room >= columns { found.append(room - columns) }
    if room + columns < rooms { found.append(room + columns) }
    return found
  }

  /// dBm, without noise.
  func level(x: Double, y: Double, in room: Int, to gateway: Int) -> Double {
    signal(from: x, y, in: room, to: gateways[gateway], columns: columns, wall: wall)
  }
}

private func signal(
  from x: Double, _ y: Double, in room: Int, to gateway: CrowdSite.Gateway, columns: Int, wall: Double
) -> Double {
  let (dx, dy) = (x - gateway.x, y - gateway.y)
  // Tags hang lower than gateways.
  let distance = (dx * dx + dy * dy + 1).squareRoot()
  let walls = abs(room % columns - gateway.room % columns) + abs(room / columns - gateway.room / columns)
  return CrowdSite.measuredPower - 10 * CrowdSite.exponent * log10(distance) - wall * Double(walls)
}

/// At least three digits, so that names sort.
private func digits(_ number: Int) -> String {
  let text = String(number)
  return String(repeating: "0", count: max(0, 3 - text.count)) + text
}

/// The names of the site's parts, and its configuration.
extension CrowdSite {
  static let receiver = "hci0"
  /// The UUID of all tags.
  static let uuid = "f29dc74a-dbbd-12de-318a-c8b046dd4425"
  /// The region of all tags.
  static let region = "tag"

  package static let siteName = "site"

  /// A configuration of this site as YAML: for workers, or for one gateway that hears nothing itself and gets the observations of
  /// all others. If there are more gateways than a plan may have, outlines are left out.
  ///
  /// - Parameters:
  ///   - broker: where it publishes, and where the one gateway gets observations: `mqtt://host:1883`.
  ///   - nodes: RabbitMQ's nodes, from which workers get observations: `amqp://host:5672`. Empty: one gateway.
  package func configuration(_ settings: CrowdSettings, broker: String, nodes: [String] = []) -> String {
    var lines = ["gateway: { name: \(Self.siteName) }", "broker: { url: \"\(broker)\" }"]
    let interval = "\(settings.interval.nanoseconds / 1_000_000) ms"
    if nodes.isEmpty {
      lines += ["radio: { duty: off }", "scanners: [{ kind: beaconkeeper, interval: \(interval) }]"]
    } else {
      let nodes = nodes.map { "\"\($0)\"" }.joined(separator: ", ")
      lines.append(
        "fleet: { rabbitmq: [\(nodes)], partitions: \(settings.partitions), interval: \(interval) }")
    }
    lines += [
      "home_assistant: off",
      "beacons: [{ name: \(Self.region), ibeacon: { uuid: \(Self.uuid) } }]",
    ]
    let isMapped = gateways.count <= RoomSettings.mappedLimit
    if isMapped { lines.append("receivers:") }
    for gateway in gateways where isMapped {
      let position = "[\(metres(gateway.x)), \(metres(gateway.y)), 2 m]"
      lines.append("  - { name: \(gateway.name)/\(Self.receiver), position: \(position) }")
    }
    lines.append("rooms:")
    let members = Dictionary(grouping: gateways, by: \.room)
    for room in 0..<rooms {
      let (west, south) = (Double(room % columns) * Self.width, Double(room / columns) * Self.depth)
      let (east, north) = (west + Self.width, south + Self.depth)
      let corners = [(west, south), (east, south), (east, north), (west, north)]
        .map { "[\(metres($0)), \(metres($1))]" }.joined(separator: ", ")
      let receivers = (members[room] ?? []).map { "\($0.name)/\(Self.receiver)" }.joined(separator: ", ")
      let outline = isMapped ? ", outline: [\(corners)]" : ""
      lines.append("  - { name: \(name(ofRoom: room)), receivers: [\(receivers)]\(outline) }")
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

extension WalkingCrowd {
  private static let minors = 1000

  /// The key of a tag in observations.
  static func key(_ tag: Int) -> String {
    "ibeacon \(CrowdSite.uuid.filter { $0 != "-" }) \(tag / minors) \(tag % minors)"
  }

  /// The name of a tag in transitions.
  package static func name(ofTag tag: Int) -> String { "\(CrowdSite.region):\(tag / minors).\(tag % minors)" }
}

private func metres(_ length: Double) -> String {
  let centimetres = Int((length * 100).rounded())
  let rest = centimetres % 100
  return "\(centimetres / 100).\(rest < 10 ? "0" : "")\(rest) m"
}
