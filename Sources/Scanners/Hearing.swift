import Beacons

/// What scanners' messages came to. A caller empties and fills the same one again and again.
public struct Hearing: Sendable {
  /// What has a payload or an address.
  public var batch = AdvertisementBatch()
  /// What is known by its key alone.
  public var observations: [Observation] = []
  public var changes: [ReceiverHealthChange] = []
  /// For people, each once.
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
