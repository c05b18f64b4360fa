/// Measurements from a walk through the rooms: the level of each receiver by place. Receivers and rooms are stored by name, so that
/// a calibration stays valid in later runs.
public struct RoomCalibration: Hashable, Sendable {
  /// The log-distance path-loss model of one receiver, with walls.
  public struct Receiver: Hashable, Sendable {
    public var name: String
    /// dBm at 1 m.
    public var power: Double
    public var exponent: Double

    public init(name: String, power: Double, exponent: Double) {
      self.name = name
      self.power = power
      self.exponent = exponent
    }
  }

  /// The mean signal at one place.
  public struct Sample: Hashable, Sendable {
    public var receiver: String
    public var floor: String?
    public var x: Double
    public var y: Double
    /// dBm.
    public var level: Double
    /// Standard deviation, dB.
    public var spread: Double
    /// Seconds of signal that were averaged.
    public var weight: Double

    public init(
      receiver: String, floor: String? = nil, x: Double, y: Double, level: Double, spread: Double,
      weight: Double
    ) {
      self.receiver = receiver
      self.floor = floor
      self.x = x
      self.y = y
      self.level = level
      self.spread = spread
      self.weight = weight
    }
  }

  /// How often a receiver hears each level in a room.
  public struct Histogram: Hashable, Sendable {
    public var receiver: String
    public var room: String
    /// dBm of the first count.
    public var lowest: Int
    public var counts: [Double]

    public init(receiver: String, room: String, lowest: Int, counts: [Double]) {
      self.receiver = receiver
      self.room = room
      self.lowest = lowest
      self.counts = counts
    }
  }

  /// How long any receiver heard the beacon in a room or at a place. A receiver that heard it for less of that time was silent for
  /// the rest.
  public struct Visit: Hashable, Sendable {
    /// Without outlines: the room.
    public var room: String?
    /// With outlines: the place.
    public var floor: String?
    public var x: Double
    public var y: Double
    /// Seconds of signal.
    public var weight: Double

    public init(room: String? = nil, floor: String? = nil, x: Double = 0, y: Double = 0, weight: Double) {
      self.room = room
      self.floor = floor
      self.x = x
      self.y = y
      self.weight = weight
    }
  }

  public var receivers: [Receiver]
  /// dB for each wall between receiver and beacon.
  public var wallLoss: Double
  /// Empty if the rooms have no outlines.
  public var samples: [Sample]
  public var histograms: [Histogram]
  /// Empty: unknown, so silence says nothing.
  public var visits: [Visit]
  /// RSSI at 1 m in dBm of the walk's beacon, from its frames or the configuration; nil: unknown.
  public var measuredPower: Double?

  public init(
    receivers: [Receiver] = [], wallLoss: Double, samples: [Sample] = [], histograms: [Histogram] = [],
    visits: [Visit] = [], measuredPower: Double? = nil
  ) {
    self.receivers = receivers
    self.wallLoss = wallLoss
    self.samples = samples
    self.histograms = histograms
    self.visits = visits
    self.measuredPower = measuredPower
  }

  /// The names of all receivers with data.
  public var receiverNames: [String] {
    Set(receivers.map(\.name) + samples.map(\.receiver) + histograms.map(\.receiver)).sorted()
  }
}
