import Beacons
import Core

/// The configured rooms and their receivers.
///
/// Rooms may have outlines or only names. Outlines are used only if every room has one and at least one receiver has a position.
/// Otherwise only the assignment of receivers to rooms is used.
public struct RoomPlan: Sendable {
  public struct Room: Hashable, Sendable {
    /// An index into `floorHeights`.
    public var floor: Int
    /// Corners in order, metres; empty: unknown.
    public var outline: [Point]
    /// The receivers in the room.
    public var receivers: [ReceiverIndex]

    public init(floor: Int = 0, outline: [Point] = [], receivers: [ReceiverIndex] = []) {
      self.floor = floor
      self.outline = outline
      self.receivers = receivers
    }
  }

  /// A receiver that is used for rooms.
  public struct Hearer: Hashable, Sendable {
    public var receiver: ReceiverIndex
    /// Metres; the height is above the receiver's own floor. nil: unknown.
    public var position: Position?
    public var floor: Int
    /// How much more than others the receiver is known to hear, dB. A calibration and later learning correct
    /// it.
    public var gain: Double
    /// Its path-loss exponent; nil: unknown. Only used with outlines.
    public var exponent: Double?

    public init(
      receiver: ReceiverIndex, position: Position? = nil, floor: Int = 0, gain: Double = 0,
      exponent: Double? = nil
    ) {
      self.receiver = receiver
      self.position = position
      self.floor = floor
      self.gain = gain
      self.exponent = exponent
    }
  }

  /// A gap in a wall. On a floor with doors, beacons change rooms only through doors.
  public struct Door: Hashable, Sendable {
    public var from: Point
    public var to: Point
    public var floor: Int

    public init(from: Point, to: Point, floor: Int = 0) {
      self.from = from
      self.to = to
      self.floor = floor
    }
  }

  /// By `RoomIndex`.
  public var rooms: [Room]
  public var hearers: [Hearer]
  public var doors: [Door]
  /// Metres above the lowest floor, by floor.
  public var floorHeights: [Double]

  /// Maximum number of receivers; further ones are ignored. There may be as many rooms.
  public static let hearerLimit = 4096
  /// With outlines or a calibration, maximum number of receivers, and of rooms: each receiver then has a map of all rooms.
  public static let mappedLimit = 256

  public init(rooms: [Room], hearers: [Hearer], doors: [Door] = [], floorHeights: [Double] = [0]) {
    self.rooms = rooms
    self.hearers = Array(hearers.prefix(Self.hearerLimit))
    self.doors = doors
    self.floorHeights = floorHeights.isEmpty ? [0] : floorHeights
  }

  /// Whether positions within the rooms are estimated.
  public var hasGeometry: Bool {
    !rooms.isEmpty && rooms.allSatisfy { $0.outline.count > 2 } && places.contains { $0 != nil }
  }

  /// The position of each hearer, else the middle of its room.
  var places: [(position: Position, floor: Int)?] {
    zip(hearers, homes).map { hearer, homes in
      if let position = hearer.position { return (position, hearer.floor) }
      let room = homes.lazy.map { rooms[$0] }.first { $0.outline.count > 2 }
      return room.map { room in
        let middle = Outline(room.outline).centroid
        return (Position(x: middle.x, y: middle.y, z: Self.usualHeight), room.floor)
      }
    }
  }

  /// By hearer: the rooms that it is in.
  var homes: [[Int]] {
    let places = Dictionary(
      hearers.enumerated().map { ($1.receiver, $0) }, uniquingKeysWith: { first, _ in first })
    var homes = hearers.map { _ in [Int]() }
    for (room, settings) in rooms.enumerated() {
      for receiver in settings.receivers {
        if let hearer = places[receiver], homes[hearer].last != room { homes[hearer].append(room) }
      }
    }
    return homes
  }

  /// Default height of receivers above the floor, metres.
  private static let usualHeight = 1.0
}

extension RoomPlan {
  /// The edge of a cell in metres, and the rooms without any cell. A beacon is never reported in such a room.
  public var cells: (edge: Double, without: [RoomIndex]) {
    let grid = RoomGrid(self)
    let known = Set(grid.rooms)
    let without = rooms.indices.filter { !known.contains(Int16($0)) }
    return (grid.edge, without.map { RoomIndex(rawValue: Int32($0)) })
  }

  /// The edge of a cell on a small site, metres.
  public static let finestCell = RoomGrid.finest
}

/// An index into the list of rooms.
public struct RoomIndex: Hashable, Comparable, Sendable {
  public var rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// Decoding checks the index against the coder's bounds.
extension ZoneIndex: StateCoded {
  public static var shape: StateShape { .octets(4) }
  public func write(to coder: inout StateCoder) {
    coder.mention(rawValue, .zone)
    coder.write(rawValue)
  }
  public init(reading coder: inout StateCoder) throws(StateError) {
    self.init(rawValue: try coder.index(.zone, try coder.read(), below: coder.bounds.zones))
  }
}

extension RoomIndex: StateCoded {
  public static var shape: StateShape { .octets(4) }
  public func write(to coder: inout StateCoder) {
    coder.mention(rawValue, .room)
    coder.write(rawValue)
  }
  public init(reading coder: inout StateCoder) throws(StateError) {
    self.init(rawValue: try coder.index(.room, try coder.read(), below: coder.bounds.rooms))
  }
}
