import Beacons

/// The content of scanners' messages. A caller empties and fills the same value again and again.
package struct Hearing: Sendable {
  /// Devices with a payload or an address.
  package var batch = AdvertisementBatch()
  /// Beacons that are identified by their keys.
  package var observations: [Observation] = []
  package var changes: [ReceiverHealthChange] = []
  /// Log messages, each once.
  package var notices: [String] = []

  package init() {}

  package var isEmpty: Bool { batch.isEmpty && observations.isEmpty && changes.isEmpty && notices.isEmpty }

  package mutating func removeAll() {
    batch.removeAll()
    observations.removeAll(keepingCapacity: true)
    changes.removeAll()
    notices.removeAll()
  }
}
