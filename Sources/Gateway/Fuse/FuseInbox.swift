import Core
import Mosquitto
import Synchronization

/// Events for a worker's thread from other threads: of its connections to the broker, and the request to stop.
final class FuseInbox: Sendable {
  enum Item: Sendable {
    /// An event of a partition's connection; `generation` distinguishes it from earlier connections.
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

  /// The thread is not woken for a few acknowledgements. It checks by itself a few times a second.
  private static let crowd = 1000

  func add(_ item: Item) {
    let count = state.withLock { state in
      state.items.append(item)
      return state.items.count
    }
    if count >= Self.crowd || !item.canWait { bell.ring() }
  }

  func stop() {
    state.withLock { $0.isStopping = true }
    bell.ring()
  }

  var isStopping: Bool { state.withLock { $0.isStopping } }

  /// Removes and returns all items, in order.
  func take() -> [Item] {
    state.withLock { state in
      var items: [Item] = []
      items.reserveCapacity(state.items.count)
      swap(&items, &state.items)
      return items
    }
  }
}

extension FuseInbox.Item {
  fileprivate var canWait: Bool {
    switch self {
    case .partition(_, _, .acknowledged), .lead(_, .acknowledged): true
    default: false
    }
  }
}
