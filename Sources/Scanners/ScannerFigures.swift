import Beacons

/// What came from one scanner of the configuration.
public struct ScannerFigures: Hashable, Sendable {
  public var kind: Scanner.Kind
  /// The filter of its topic.
  public var topic: String
  /// Messages on its topic.
  public var messages: UInt64 = 0
  public var observations: UInt64 = 0
  /// Messages that the broker had kept: heard at some time, so they are no observations.
  public var retained: UInt64 = 0
  /// By cause.
  public var refused: [ScannerRefusal: UInt64] = [:]

  init(_ scanner: Scanner) {
    kind = scanner.kind
    topic = scanner.topic.filter
  }
}

/// What came from another Beaconkeeper.
public struct GatewayFigures: Hashable, Sendable {
  public var name: String
  /// Which run of it is followed.
  public var boot: String
  /// Our monotonic clock minus its; nil before its first batch.
  public var offset: TimeSpan?
  public var batches: UInt64
  public var observations: UInt64
  /// Batches that never arrived.
  public var lost: UInt64
  public var refused: UInt64
  /// Whether another gateway uses the same name.
  public var hasTwin: Bool
  /// Why a batch or observation was refused last.
  public var lastRefusal: ScannerRefusal?

  init(_ name: String, _ gateway: RemoteGateway) {
    self.name = name
    boot = gateway.boot
    offset = gateway.clock.offset
    batches = gateway.batches
    observations = gateway.observations
    lost = gateway.lost
    refused = gateway.refused
    hasTwin = gateway.twin != nil
    lastRefusal = gateway.lastRefusal
  }
}
