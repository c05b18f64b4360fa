import Beacons
import Dashboard
import HTTP
import Machine
import Synchronization

/// The current overview, made once for all clients.
final class SharedOverview: Sendable {
  private struct State {
    var overview: Overview?
    var made = MonotonicTime(nanoseconds: .min)
    /// The end of the recent decisions when the overview was made.
    var end = -1
    /// As JSON, by the rights of the client.
    var json: [Rights: [UInt8]] = [:]
  }

  /// The largest age of an overview if nothing was decided since, and if something was.
  private static let calm = TimeSpan.seconds(1)
  private static let busy = TimeSpan.milliseconds(200)

  private let stage: any Stage
  private let state = Mutex(State())

  init(_ stage: any Stage) { self.stage = stage }

  func json(for rights: Rights) -> [UInt8] { version(for: rights).json }

  /// With the time at which it was made.
  func version(for rights: Rights) -> (json: [UInt8], made: MonotonicTime) {
    state.withLock { state in
      let now = LiveClock.now
      let age = now - max(state.made, MonotonicTime(nanoseconds: 0))
      if state.overview == nil || age >= Self.busy {
        let details = stage.details
        let end = state.end
        let new = stage.look { pipeline, recent, now -> (Overview, Int)? in
          guard age >= Self.calm || recent.end != end else { return nil }
          return (Overview(pipeline, recent, details, at: now.wallTime), recent.end)
        }
        if let new { state = State(overview: new.0, made: now, end: new.1) }
      }
      if let json = state.json[rights] { return (json, state.made) }
      let json = state.overview?.json(mayWrite: rights.write, isLoggedIn: rights.isLoggedIn) ?? []
      state.json[rights] = json
      return (json, state.made)
    }
  }
}
