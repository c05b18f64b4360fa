import Beacons
import Contract
import Core
import Synchronization
import Web

/// `events`: the overview about once a second, and each decision as it is made.
final class OverviewStream: EventSource {
  private let stage: any Stage
  private let overviews: SharedOverview
  private let rights: Rights
  /// The place in the recent decisions.
  private var place: Int
  private var shown = MonotonicTime(nanoseconds: .min)

  init(_ stage: any Stage, _ overviews: SharedOverview, from place: Int, rights: Rights) {
    self.stage = stage
    self.overviews = overviews
    self.place = place
    self.rights = rights
  }

  func next() -> [UInt8] {
    var events: [UInt8] = []
    let (entries, end) = stage.look { [place] _, recent, _ in
      (recent.end == place ? [] : recent.entries(from: place), recent.end)
    }
    place = end
    for entry in entries {
      switch entry {
      case .transition(let message): events += event("transition", id: message.number, message.json)
      case .verdict(let message): events += event("verdict", message.json)
      }
    }
    let (json, made) = overviews.version(for: rights)
    if made > shown {
      shown = made
      events += event("overview", json)
    }
    return events
  }
}

/// One event of a stream; JSON has no line ends.
func event(_ name: String, id: String? = nil, _ json: [UInt8]) -> [UInt8] {
  Array("event: \(name)\n\(id.map { "id: \($0)\n" } ?? "")data: ".utf8) + json + Array("\n\n".utf8)
}

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
