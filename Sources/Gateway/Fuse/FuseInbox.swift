import Machine
import Mosquitto
import Synchronization

/// What reaches a worker's thread from elsewhere: events of its connections to the broker, and the wish that it stops.
final class FuseInbox: Sendable {
  enum Item: Sendable {
    /// Of a partition's connection; `generation` tells it from earlier ones.
    case partition(Int, generation: UInt64, Event)
    case partitionEnded(Int, generation: UInt64)
    case lead(generation: UInt64, Event)
    case leadEnded(generation: UInt64)
  }

  private struct State {
    var items: [Item] = []
    var isStopping = false
  }

  private let state = Mutex(State())
  let bell = Bell()

  func add(_ item: Item) {
    state.withLock { $0.items.append(item) }
    bell.ring()
  }

  func stop() {
    state.withLock { $0.isStopping = true }
    bell.ring()
  }

  var isStopping: Bool { state.withLock { $0.isStopping } }

  /// All items so far, in order.
  func take() -> [Item] {
    state.withLock { state in
      defer { state.items.removeAll(keepingCapacity: true) }
      return state.items
    }
  }
}
