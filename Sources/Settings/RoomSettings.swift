import Proximity

/// `rooms:` – a room, defined by its outline, by the receivers in it, or by both.
public struct RoomSettings: Hashable, Sendable {
  public var name: String
  /// The name of its floor; nil only if there are no `floors`.
  public var floor: String?
  /// Its corners in order, in the site's own coordinates; empty: no geometry is known. At least three, and no two sides cross.
  public var outline: [Point]
  /// Names of the receivers in it. May be empty if there is an outline.
  public var receivers: [String]
  /// The area of Home Assistant suggested for its device.
  public var area: String?

  /// The largest number of rooms, corners of an outline, and corners in all.
  public static let limit = 256
  public static let cornerLimit = 200
  public static let allCornersLimit = 4_000

  public init(
    name: String, floor: String? = nil, outline: [Point] = [], receivers: [String] = [], area: String? = nil
  ) {
    self.name = name
    self.floor = floor
    self.outline = outline
    self.receivers = receivers
    self.area = area
  }
}

/// `floors:` – a storey.
public struct FloorSettings: Hashable, Sendable {
  public var name: String
  /// Height of its floor above the zero of the site's coordinates, in metres.
  public var height: Double
  /// Height of its ceiling above its floor, in metres; nil: unknown.
  public var ceiling: Double?

  /// The largest number of floors.
  public static let limit = 64

  public init(name: String, height: Double, ceiling: Double? = nil) {
    self.name = name
    self.height = height
    self.ceiling = ceiling
  }
}

/// `doors:` – an opening in a wall between rooms, from one side to the other.
public struct DoorSettings: Hashable, Sendable {
  public var from: Point
  public var to: Point
  /// As in a room.
  public var floor: String?

  /// The largest number of doors.
  public static let limit = 256

  public init(from: Point, to: Point, floor: String? = nil) {
    self.from = from
    self.to = to
    self.floor = floor
  }
}

public import Beacons

/// How a calibration was made: with which walk and when, and how good it is.
public struct CalibrationAccount: Hashable, Sendable {
  /// How much of the walk was in a room.
  public struct Stay: Hashable, Sendable {
    public var room: String
    public var seconds: Double

    public init(room: String, seconds: Double) {
      self.room = room
      self.seconds = seconds
    }
  }

  /// How often rooms were right on stretches of the walk that the calibration had not seen.
  public struct HeldOut: Hashable, Sendable {
    /// Share of the time, 0 to 1.
    public var right: Double
    public var changes: Int
    public var trueChanges: Int
    /// Seconds; nil: no change was reported.
    public var delay: Double?

    public init(right: Double, changes: Int, trueChanges: Int, delay: Double?) {
      self.right = right
      self.changes = changes
      self.trueChanges = trueChanges
      self.delay = delay
    }
  }

  public var time: WallTime
  /// Beaconkeeper's version that wrote it.
  public var version: String
  /// The beacon that was carried.
  public var beacon: String
  /// All rooms that were configured then; 0 s for those that were never covered.
  public var stays: [Stay]
  /// nil: the walk was too short.
  public var heldOut: HeldOut?

  public init(
    time: WallTime, version: String, beacon: String, stays: [Stay], heldOut: HeldOut?
  ) {
    self.time = time
    self.version = version
    self.beacon = beacon
    self.stays = stays
    self.heldOut = heldOut
  }
}
