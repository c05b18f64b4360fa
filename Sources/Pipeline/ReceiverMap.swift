import Beacons
import Core

/// Maps a source's receivers to the pipeline's: each source numbers them in order of appearance.
package struct ReceiverMap: Sendable {
  /// Indexed by the source's index; nil for receivers beyond the limit.
  private var indices: [ReceiverIndex?] = []
  /// Whether every receiver so far has an index.
  package private(set) var isComplete = true

  package init() {}

  /// Adds names that are new in the source's table. `receiver` returns the pipeline's index.
  package mutating func learn(_ table: ReceiverTable, _ receiver: (String) -> ReceiverIndex?) {
    while indices.count < table.names.count {
      let index = receiver(table.names[indices.count])
      if index == nil { isComplete = false }
      indices.append(index)
    }
  }

  package subscript(index: ReceiverIndex) -> ReceiverIndex? { indices[Int(index.rawValue)] }
}
