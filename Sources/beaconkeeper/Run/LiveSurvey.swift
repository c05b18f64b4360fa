import Beacons
import Configuration
import Core
import Gateway
import Glibc
import Radio
import Synchronization

/// The survey that the radio's thread fills.
final class LiveSurvey: Sendable {
  private let configuration: Configuration
  private let state: Mutex<AirSurvey>

  init(_ configuration: Configuration) {
    self.configuration = configuration
    state = Mutex(AirSurvey(configuration))
  }

  var survey: AirSurvey { state.withLock { $0 } }

  /// Listens for a while. Ctrl-C ends it like the end of the time, and the state of the radio is restored.
  ///
  /// - Parameters:
  ///   - duration: nil: until Ctrl-C.
  ///   - onStep: called twice a second, with all devices so far.
  func listen(
    for duration: Duration?, onStep: @escaping @Sendable (AirSurvey) -> Void = { _ in }
  ) async throws(RadioError) {
    let radio = try LiveRadio(LiveRadio.Options(configuration))
    let clock = Task {
      var passed = Duration.zero
      while duration.map({ passed < $0 }) ?? true {
        try await Task.sleep(for: .milliseconds(500))
        passed += .milliseconds(500)
        onStep(survey)
      }
      radio.stop()
    }
    let interrupt = SignalWatch(SIGINT) { radio.stop() }
    defer {
      interrupt.end()
      clock.cancel()
    }
    try await radio.listen(
      LiveRadio.Handlers { batch, _ in
        self.state.withLock { survey in batch.forEach { survey.observe(copy $0, payload: $1) } }
      })
  }
}
