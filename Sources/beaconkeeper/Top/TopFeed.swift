import Core
import Synchronization
import Web

/// Keeps the latest overview of a gateway, and reconnects if the connection is lost.
final class TopFeed: Sendable {
  struct State: Sendable {
    var picture: TopPicture
    var trails = SignalTrails()
    /// When the overview arrived.
    var arrived: MonotonicTime
    /// Why there is no newer overview.
    var fault: String?
    /// Increases with every change.
    var version = 0

    /// The gateway's time now.
    func now(at time: MonotonicTime) -> WallTime? { picture.time.map { $0 + (time - arrived) } }
  }

  private static let pause = Duration.seconds(2)

  private let client: HTTPClient
  private let state: Mutex<State>

  init(_ client: HTTPClient, _ picture: TopPicture) {
    self.client = client
    var first = State(picture: picture, arrived: LiveClock.now)
    first.trails.add(picture)
    state = Mutex(first)
  }

  var current: State { state.withLock { $0 } }

  /// Runs until the task is cancelled.
  func run() async {
    async let remembered: Void = remember()
    while !Task.isCancelled {
      var why = "the gateway ended the connection"
      do {
        for try await event in try await client.events(TopCommand.events) where event.name == "overview" {
          take(try TopPicture(event.data))
        }
      } catch let error as TopPicture.Stranger {
        why = error.reason
      } catch {
        why = "\(error)"
      }
      state.withLock {
        $0.fault = why
        $0.version += 1
      }
      try? await Task.sleep(for: Self.pause)
    }
    await remembered
  }

  /// Loads the beacons' signals from before the first overview. Without an answer, only these are missing.
  private func remember() async {
    for beacon in current.picture.beacons where beacon.rssi != nil {
      guard let reply = try? await client.get(SignalHistory.path(of: beacon.id)), !Task.isCancelled else {
        return
      }
      guard reply.status == 200 else { continue }
      state.withLock {
        $0.trails.precede(beacon.id, with: SignalHistory.levels(reply.body))
        $0.version += 1
      }
    }
  }

  private func take(_ picture: TopPicture) {
    state.withLock {
      $0.picture = picture
      $0.trails.add(picture)
      $0.arrived = LiveClock.now
      $0.fault = nil
      $0.version += 1
    }
  }
}
