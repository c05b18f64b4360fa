import Beacons
import Captures
import Configuration
import Contract
import Core
import Pipeline
import Synchronization
import Web

/// A recording that plays behind the dashboard, at any speed and from any time.
package final class ReplayStage: Stage {
  private struct State {
    var playback: Playback
    /// The requested time, on the recording's clock.
    var target = MonotonicTime.zero
    var speed = 1.0
    var isPaused = false
  }

  /// The time between two steps.
  private static let beat = Duration.milliseconds(50)
  /// Advertisements per step; then readers get the lock.
  private static let portion = 2000
  static let speeds = 0.1...1000.0

  private let configuration: Configuration
  private let captures: [String]
  private let configurationFile: String?
  /// The first and the last time in it.
  private let span: (from: WallTime, to: WallTime)
  private let state: Mutex<State>
  /// Rings when a client has moved or started it.
  private let alarm = Alarm()

  /// Reads the whole recording once, to learn its length.
  ///
  /// - Parameter configurationFile: its name, to be shown.
  package init(_ configuration: Configuration, captures: [String], configurationFile: String?)
    throws(CaptureError)
  {
    self.configuration = configuration
    self.captures = captures
    self.configurationFile = configurationFile
    span = try Playback.span(of: captures)
    state = Mutex(State(playback: try Playback(configuration, captures: captures)))
  }

  /// Plays until the task is cancelled.
  func play() async {
    var last = LiveClock.now
    while !Task.isCancelled {
      if state.withLock({ $0.isPaused || $0.target >= end }) {
        // It is paused, perhaps for hours.
        await alarm.wait()
        last = LiveClock.now
      } else {
        do { try await Task.sleep(for: Self.beat) } catch { return }
      }
      let now = LiveClock.now
      let passed = now - last
      last = now
      state.withLock { state in
        if !state.isPaused { state.target = min(state.target + .seconds(passed.seconds * state.speed), end) }
      }
      while state.withLock({ state in
        state.playback.advance(to: state.target, atMost: Self.portion)
      }) {
        await Task.yield()
      }
    }
  }

  private var end: MonotonicTime { MonotonicTime.zero + (span.to - span.from) }

  // MARK: The stage

  package func look<Result: Sendable>(_ body: (Pipeline, RecentDecisions, Moment) -> Result) -> Result {
    state.withLock { state in
      let playback = state.playback
      return body(
        playback.pipeline, playback.recent, Moment(playback.time, span.from + (playback.time - .zero)))
    }
  }

  package var details: GatewayDetails {
    let paces = state.withLock { $0.playback.paces }
    let health = look { pipeline, _, now in
      let gains = pipeline.receiverGains
      return HealthMessage(
        time: now.wallTime, version: version,
        receivers: pipeline.receivers.indices.map { receiver in
          let isBlind = pipeline.isBlind(receiver)
          return HealthMessage.Receiver(
            name: pipeline.receivers.name(of: receiver), state: isBlind ? "blind" : "ok", isBlind: isBlind,
            reason: "", advertisementsPerSecond: paces[receiver]?.rate(at: now.time) ?? 0,
            lastHeard: paces[receiver]?.latest.map { now.wallTime - (now.time - $0) }, gain: gains[receiver])
        },
        advertisements: pipeline.counts.advertisements, sightings: pipeline.counts.sightings,
        transitions: pipeline.counts.transitions, queued: 0, beacons: pipeline.beaconCount)
    }
    return GatewayDetails(
      source: .recording, started: span.from, version: version, health: health, broker: nil,
      configurationFile: configurationFile, revision: nil)
  }

  package func metrics() -> String {
    let places = look { pipeline, _, now in pipeline.metricsOfPlaces(at: now.wallTime) }
    return MetricsText.text(
      details.health, places, gateway: configuration.gatewayName, isConnected: false)
  }

  package var player: ReplayStage? { self }

  // MARK: The player

  /// Its time and speed, as JSON.
  func position() -> [UInt8] {
    let (at, speed, isPaused) = state.withLock { ($0.target, $0.speed, $0.isPaused) }
    return JSONWriter.object {
      $0.field("from", span.from.nanoseconds / 1_000_000)
      $0.field("to", span.to.nanoseconds / 1_000_000)
      $0.field("at", (span.from + (at - .zero)).nanoseconds / 1_000_000)
      $0.field("speed", speed, decimals: 3)
      $0.field("paused", isPaused)
    }
  }

  /// Goes to another time, pauses, or changes the speed. Returns a refusal if the request makes no sense.
  func control(_ request: JSONTree) -> Response? {
    defer { alarm.ring() }
    if case .number(let speed)? = request["speed"] {
      guard Self.speeds.contains(speed) else { return .error(422, "The speed must be from 0.1 to 1000.") }
      state.withLock { $0.speed = speed }
    }
    if case .flag(let isPaused)? = request["paused"] { state.withLock { $0.isPaused = isPaused } }
    if case .number(let at)? = request["at"] {
      let (from, to) = (Double(span.from.nanoseconds) / 1e6, Double(span.to.nanoseconds) / 1e6)
      let target = MonotonicTime.zero + .seconds((min(max(at, from), to) - from) / 1000)
      do throws(CaptureError) { try go(to: target) } catch {
        return .error(500, "The recording cannot be read again: \(error).")
      }
    }
    return nil
  }

  /// Forward, it plays as fast as possible; backward, it starts again at the beginning.
  private func go(to target: MonotonicTime) throws(CaptureError) {
    try state.withLock { state throws(CaptureError) in
      if target < state.playback.time { state.playback = try Playback(configuration, captures: captures) }
      state.target = target
    }
  }
}

/// `replay --http`: the dashboard over a recording.
package struct ReplayDashboard: Sendable {
  private let stage: ReplayStage
  private let settings: HTTPSettings

  package init(_ stage: ReplayStage, _ settings: HTTPSettings) {
    self.stage = stage
    self.settings = settings
  }

  /// Plays until the task is cancelled.
  ///
  /// - Parameter onReady: is called with the port.
  package func run(onReady: (Int) -> Void) async throws {
    let server = try await HTTPServer.open(
      settings, machine: machineName(), content: DashboardContent(stage), option: "--listen")
    onReady(server.port)
    await stage.play()
    await server.close()
  }
}
