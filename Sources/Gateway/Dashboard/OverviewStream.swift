import Contract
import Core
import Synchronization
import Web

/// `events`: the overview about once a second, or only what changes in it, and each decision as it is made.
final class OverviewStream: EventSource {
  private let stage: any Stage
  private let overviews: SharedOverview
  private let rights: Rights
  private let wantsChanges: Bool
  /// The place in the recent decisions.
  private var place: Int
  private var shown = MonotonicTime(nanoseconds: .min)
  /// The number of the changes that were sent last; nil: nothing was sent yet.
  private var sent: Int?

  /// - Parameter wantsChanges: the overview is sent once, and then what changes in it.
  init(_ stage: any Stage, _ overviews: SharedOverview, from place: Int, rights: Rights, wantsChanges: Bool) {
    self.wantsChanges = wantsChanges
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
    if wantsChanges {
      let (news, number) = overviews.changes(after: sent, for: rights)
      sent = number
      return events + news
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
    var told: Told?

    mutating func text(for rights: Rights) -> [UInt8] {
      if let json = json[rights] { return json }
      let text = overview?.json(mayWrite: rights.write, isLoggedIn: rights.isLoggedIn) ?? []
      json[rights] = text
      return text
    }
  }

  /// What was sent to clients that want changes.
  private struct Told {
    var overview: ToldOverview
    /// The time of the overview that was compared last.
    var time: WallTime
    /// The last changes as events, and the number of the newest.
    var steps: [[UInt8]] = []
    var number: Int
    /// The time of the newest change.
    var stepped: WallTime
    /// When small differences were last sent.
    var exact: WallTime
  }

  /// The largest age of an overview if nothing was decided since, and if something was.
  private static let calm = TimeSpan.seconds(1)
  private static let busy = TimeSpan.milliseconds(200)
  /// How many changes are kept for clients that are a little behind. Others get the whole overview.
  private static let stepLimit = 8
  /// At least this often, clients are told that the gateway works.
  private static let silence = TimeSpan.seconds(5)
  /// Small differences are left out at first, and sent after this time.
  private static let exactness = TimeSpan.seconds(15)

  private let stage: any Stage
  private let state = Mutex(State())

  init(_ stage: any Stage) { self.stage = stage }

  func json(for rights: Rights) -> [UInt8] { version(for: rights).json }

  /// With the time at which it was made.
  func version(for rights: Rights) -> (json: [UInt8], made: MonotonicTime) {
    state.withLock { state in
      refresh(&state)
      return (state.text(for: rights), state.made)
    }
  }

  /// Events for a client, and the number of the changes that it then has.
  ///
  /// - Parameter last: the number of the changes that it has; nil: it has nothing.
  func changes(after last: Int?, for rights: Rights) -> (events: [UInt8], number: Int?) {
    state.withLock { state in
      refresh(&state)
      compare(&state)
      guard let told = state.told else { return ([], last) }
      guard let last, last <= told.number, told.number - last <= told.steps.count else {
        return (event("overview", state.text(for: rights)), told.number)
      }
      return (Array(told.steps.suffix(told.number - last).joined()), told.number)
    }
  }

  private func refresh(_ state: inout State) {
    let now = LiveClock.now
    let age = now - max(state.made, MonotonicTime(nanoseconds: 0))
    guard state.overview == nil || age >= Self.busy else { return }
    let details = stage.details
    let end = state.end
    let new = stage.look { pipeline, recent, now -> (Overview, Int)? in
      guard age >= Self.calm || recent.end != end else { return nil }
      return (Overview(pipeline, recent, details, at: now.wallTime), recent.end)
    }
    guard let new else { return }
    (state.overview, state.made, state.end, state.json) = (new.0, now, new.1, [:])
  }

  private func compare(_ state: inout State) {
    guard let time = state.overview?.time, state.told?.time != time else { return }
    let json = state.text(for: .none)
    // The recording was moved back, so every client gets the whole overview.
    guard var told = state.told, told.time < time else {
      let number = state.told.map { $0.number + Self.stepLimit + 1 } ?? 0
      state.told = Told(overview: ToldOverview(json), time: time, number: number, stepped: time, exact: time)
      return
    }
    state.told = nil
    told.time = time
    let isExact = time - told.exact >= Self.exactness
    if isExact { told.exact = time }
    let changes = told.overview.changes(to: json, isExact: isExact)
    if changes != nil || time - told.stepped >= Self.silence {
      let step = JSONWriter.object {
        $0.field("time", time)
        $0.key("changes")
        $0.value(json: changes ?? Array("{}".utf8))
      }
      if told.steps.count == Self.stepLimit { told.steps.removeFirst() }
      told.steps.append(event("changes", step))
      told.number += 1
      told.stepped = time
    }
    state.told = told
  }
}
