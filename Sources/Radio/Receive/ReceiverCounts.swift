import Beacons

/// What a live receiver has counted since it was first found.
public struct ReceiverCounts: Equatable, Sendable {
  public var receiver: ReceiverIndex
  /// Packets that the kernel dropped because they were not taken in soon enough.
  public var lost: Int64 = 0
  /// Recovery steps taken.
  public var recoveries: Int64 = 0
}
