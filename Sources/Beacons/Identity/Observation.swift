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
