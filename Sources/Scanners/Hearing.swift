import Beacons

/// The content of scanners' messages. A caller empties and fills the same value again and again.
public struct Hearing: Sendable {
  /// Devices with a payload or an address.
  public var batch = AdvertisementBatch()
  /// Beacons that are identified by their keys.
  public var observations: [Observation] = []
  public var changes: [ReceiverHealthChange] = []
  /// Log messages, each once.
  public var notices: [String] = []

  public init() {}

  public var isEmpty: Bool { batch.isEmpty && observations.isEmpty && changes.isEmpty && notices.isEmpty }

  public mutating func removeAll() {
    batch.removeAll()
    observations.removeAll(keepingCapacity: true)
    changes.removeAll()
    notices.removeAll()
  }
}
