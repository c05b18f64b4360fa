import Beacons
import Contract
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

  /// Follows a source that gave an index to another receiver. Returns the pipeline's index, if it passed on with it.
  ///
  /// - Parameter others: does not lose its receivers by it.
  package mutating func follow(
    _ renaming: ReceiverRenaming, in pipeline: inout Pipeline, beside others: ReceiverMap = ReceiverMap()
  ) -> ReceiverIndex? {
    let place = Int(renaming.receiver.rawValue)
    guard place < indices.count else { return nil }
    if let index = indices[place], !others.indices.contains(index), pipeline.rename(index, to: renaming.name)
    {
      return index
    }
    indices[place] = pipeline.receiver(renaming.name)
    if indices[place] == nil { isComplete = false }
    return nil
  }

  package subscript(index: ReceiverIndex) -> ReceiverIndex? { indices[Int(index.rawValue)] }
}
