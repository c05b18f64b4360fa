import Beacons
import Core

/// When refused messages are offered to the broker again.
struct RefusalSchedule: Sendable {
  /// The pauses if a refusal costs one packet, and if it costs the connection.
  private static let cheap = (first: TimeSpan.seconds(60), limit: TimeSpan.seconds(600))
  private static let dear = (first: TimeSpan.seconds(600), limit: TimeSpan.seconds(3600))
  /// A connection that ends within this time after a refusal ended because of it.
  private static let consequence = TimeSpan.seconds(1)
  /// After this time a reconnection says nothing about the broker's rules.
  private static let patience = TimeSpan.seconds(30)

  private var closesConnections = false
  private var lastRefusal: MonotonicTime?
  /// The last refusal on the present connection.
  private var latest: MonotonicTime?
  private var due: MonotonicTime?
  private var pause: TimeSpan?
  /// Topics that are still to be tried in this round.
  private var left = 0

  private var pace: (first: TimeSpan, limit: TimeSpan) { closesConnections ? Self.dear : Self.cheap }

  mutating func isDue(at time: MonotonicTime) -> Bool {
    // The connection has outlived a refusal, so an earlier one ended by chance.
    if closesConnections, let latest, time - latest >= Self.consequence {
      closesConnections = false
      pause = nil
      due = min(due ?? latest + pace.first, latest + pace.first)
    }
    return due.map { $0 <= time } ?? false
  }

  mutating func refused(at time: MonotonicTime) {
    lastRefusal = time
    latest = time
    if due == nil { due = time + pace.first }
  }

  /// A retried message was refused again.
  mutating func failed(at time: MonotonicTime, topics: Int) {
    if left == 0 { left = topics }
    left -= 1
    if left > 0, !closesConnections { return }
    left = 0
    let pause = min(self.pause.map { $0 + $0 } ?? pace.first, pace.limit)
    self.pause = pause
    due = time + pause
  }

  /// The broker accepted a message that it had refused; it may accept others, too.
  mutating func succeeded(at time: MonotonicTime) {
    pause = nil
    left = 0
    due = time
  }

  /// Returns whether this is the first sign that the broker closes the connection when it refuses.
  mutating func disconnected(at time: MonotonicTime) -> Bool {
    latest = nil
    guard let lastRefusal, time - lastRefusal < Self.consequence else { return false }
    if !closesConnections {
      closesConnections = true
      pause = nil
      due = time + pace.first
    }
    return true
  }

  /// A presumed topic should be tried soon.
  mutating func check(at time: MonotonicTime) { due = min(due ?? time + .seconds(5), time + .seconds(5)) }

  mutating func retry(at time: MonotonicTime) {
    pause = nil
    if due != nil { due = time }
  }

  mutating func connected(at time: MonotonicTime) {
    latest = nil
    if let lastRefusal, time - lastRefusal >= Self.patience { retry(at: time) }
  }
}
