public import Beacons

/// How a calibration came about: what `calibrate` measured when, and how well that did.
public struct CalibrationAccount: Hashable, Sendable {
  /// How long the walk was in a room.
  public struct Stay: Hashable, Sendable {
    public var room: String
    public var seconds: Double

    public init(room: String, seconds: Double) {
      self.room = room
      self.seconds = seconds
    }
  }

  /// How right rooms were on stretches of the walk that the calibration did not know.
  public struct HeldOut: Hashable, Sendable {
    /// Of the time, 0 to 1.
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
  /// nil: the walk was too short to tell.
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
