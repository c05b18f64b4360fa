/// Tasks that wait for room in the window, or for the end of the session.
struct Waiters {
  enum Purpose {
    case room
    case end
  }

  private typealias Waiter = (
    number: UInt64, purpose: Purpose, continuation: CheckedContinuation<Void, Never>
  )

  private var waiting: [Waiter] = []
  private var next: UInt64 = 0
  /// Cancelled before they started to wait.
  private var cancelled: Set<UInt64> = []

  var count: Int { waiting.count }

  mutating func number() -> UInt64 {
    next += 1
    return next
  }

  mutating func add(_ number: UInt64, _ purpose: Purpose, _ continuation: CheckedContinuation<Void, Never>) {
    if cancelled.remove(number) != nil {
      continuation.resume()
    } else {
      waiting.append((number, purpose, continuation))
    }
  }

  mutating func cancel(_ number: UInt64) {
    if let index = waiting.firstIndex(where: { $0.number == number }) {
      waiting.remove(at: index).continuation.resume()
    } else {
      cancelled.insert(number)
    }
  }

  /// Drops the cancellation of a wait that has ended otherwise.
  mutating func forget(_ number: UInt64) { cancelled.remove(number) }

  mutating func wakeAll(for purpose: Purpose) {
    for waiter in waiting where waiter.purpose == purpose { waiter.continuation.resume() }
    waiting.removeAll { $0.purpose == purpose }
  }
}
