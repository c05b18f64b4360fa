import Beacons

/// From a source's own receivers to those of the pipeline: each source numbers them as it meets them.
package struct ReceiverMap: Sendable {
  /// By the source's index; nil for a receiver too many.
  private var indices: [ReceiverIndex?] = []
  /// Whether every receiver met so far has an index.
  package private(set) var isComplete = true

  package init() {}

  /// Takes up names that are new in the source's table; `receiver` gives the pipeline's index.
  package mutating func learn(_ table: ReceiverTable, _ receiver: (String) -> ReceiverIndex?) {
    while indices.count < table.names.count {
      let index = receiver(table.names[indices.count])
      if index == nil { isComplete = false }
      indices.append(index)
    }
  }

  package subscript(index: ReceiverIndex) -> ReceiverIndex? { indices[Int(index.rawValue)] }
}
