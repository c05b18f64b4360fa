import Core
import Proximity

/// `rooms:` – a room, defined by its outline, by the receivers in it, or by both.
package struct RoomSettings: Hashable, Sendable {
  package var name: String
  /// The name of its floor; nil only if there are no `floors`.
  package var floor: String?
  /// Its corners in order, in the site's own coordinates; empty: no geometry is known. At least three, and no two sides cross.
  package var outline: [Point] = []
  /// Names of the receivers in it. May be empty if there is an outline.
  package var receivers: [String] = []
  /// The area of Home Assistant suggested for its device.
  package var area: String?

  /// The largest number of rooms, of rooms with outlines or a calibration, corners of an outline, and corners in all.
  package static let limit = RoomPlan.hearerLimit
  package static let mappedLimit = RoomPlan.mappedLimit
  package static let cornerLimit = 200
  package static let allCornersLimit = 4_000
}

/// `floors:` – a storey.
package struct FloorSettings: Hashable, Sendable {
  package var name: String
  /// Height of its floor above the zero of the site's coordinates, in metres.
  package var height: Double
  /// Height of its ceiling above its floor, in metres; nil: unknown.
  package var ceiling: Double?

  /// The largest number of floors.
  package static let limit = 64
}

/// `doors:` – an opening in a wall between rooms, from one side to the other.
package struct DoorSettings: Hashable, Sendable {
  package var from: Point
  package var to: Point
  /// As in a room.
  package var floor: String?

  package init(from: Point, to: Point, floor: String?) {
    self.from = from
    self.to = to
    self.floor = floor
  }

  /// The largest number of doors.
  package static let limit = 256
}

/// How a calibration was made: with which walk and when, and how good it is.
package struct CalibrationAccount: Hashable, Sendable {
  /// How much of the walk was in a room.
  package struct Stay: Hashable, Sendable {
    package var room: String
    package var seconds: Double
    /// The receivers that were configured in it.
    package var receivers: [String]

    package init(room: String, seconds: Double, receivers: [String] = []) {
      self.room = room
      self.seconds = seconds
      self.receivers = receivers
    }
  }

  /// How often rooms were right on stretches of the walk that the calibration had not seen.
  package struct HeldOut: Hashable, Sendable {
    /// Share of the time, 0 to 1.
    package var right: Double
    package var changes: Int
    package var trueChanges: Int
    /// Seconds; nil: no change was reported.
    package var delay: Double?

    package init(right: Double, changes: Int, trueChanges: Int, delay: Double?) {
      self.right = right
      self.changes = changes
      self.trueChanges = trueChanges
      self.delay = delay
    }
  }

  package var time: WallTime
  /// The version of Beaconkeeper that wrote it.
  package var version: String
  /// The beacon that was carried.
  package var beacon: String
  /// All rooms that were configured then. A room that was never covered has 0 s.
  package var stays: [Stay]
  /// nil: the walk was too short.
  package var heldOut: HeldOut?
  /// Where receivers hung; those without a position are left out.
  package var positions: [String: Position] = [:]

  package init(
    time: WallTime, version: String, beacon: String, stays: [Stay], heldOut: HeldOut?
  ) {
    self.time = time
    self.version = version
    self.beacon = beacon
    self.stays = stays
    self.heldOut = heldOut
  }
}
