import Core

/// An advertisement together with the known beacon that sent it, or with `nobody`: the input of the proximity engine.
public struct Sighting: Sendable {
  public var beacon: BeaconIndex
  public var receiver: ReceiverIndex
  /// dBm; nil if the radio did not know. Such a sighting proves presence, not distance.
  public var rssi: Int8?
  /// RSSI at 1 m in dBm, if the frame has it.
  public var measuredPower: Int8?
  public var time: MonotonicTime
  public var wallTime: WallTime

  public init(
    beacon: BeaconIndex, receiver: ReceiverIndex, rssi: Int8?, measuredPower: Int8?, time: MonotonicTime,
    wallTime: WallTime
  ) {
    self.beacon = beacon
    self.receiver = receiver
    self.rssi = rssi
    self.measuredPower = measuredPower
    self.time = time
    self.wallTime = wallTime
  }

  /// An advertisement from an unknown sender: it only advances the time.
  public init(ofNobodyIn advertisement: Advertisement) {
    self.init(
      beacon: .nobody, receiver: advertisement.receiver, rssi: nil, measuredPower: nil,
      time: advertisement.time, wallTime: advertisement.wallTime)
  }
}

/// A tracked beacon's index in the catalogue: dense from 0, in order of first sighting.
public struct BeaconIndex: Hashable, Comparable, Sendable {
  public var rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }

  /// Stands for a device that is not tracked.
  public static var nobody: BeaconIndex { BeaconIndex(rawValue: -1) }
}

/// The index of an entry of `beacons:` in the configuration.
public struct BeaconEntryIndex: Hashable, Comparable, Sendable {
  public var rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }
  public static func < (a: Self, b: Self) -> Bool { a.rawValue < b.rawValue }
}

/// A sighting reported by a source that knows the beacon by its key and has no payload: another gateway, or a scanner with
/// names of its own.
public struct Observation: Sendable, Hashable {
  /// See `BeaconCatalogue.key(of:)`.
  public var key: String
  public var receiver: ReceiverIndex
  /// dBm; nil if the radio did not know.
  public var rssi: Int8?
  /// RSSI at 1 m in dBm, if the frame had it.
  public var measuredPower: Int8?
  public var time: MonotonicTime
  public var wallTime: WallTime

  public init(
    key: String, receiver: ReceiverIndex, rssi: Int8?, measuredPower: Int8? = nil, time: MonotonicTime,
    wallTime: WallTime
  ) {
    self.key = key
    self.receiver = receiver
    self.rssi = rssi
    self.measuredPower = measuredPower
    self.time = time
    self.wallTime = wallTime
  }
}
