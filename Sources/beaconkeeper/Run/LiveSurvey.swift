import Beacons
import Configuration
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

  /// Listens for a while, with the radio and through the configured scanners. Ctrl-C ends it like the end of the time, and the
  /// state of the radio is restored.
  ///
  /// - Parameters:
  ///   - duration: nil: until Ctrl-C.
  ///   - onStep: called twice a second, with all devices so far.
  ///
  /// Throws errors after which nothing is heard: `RadioError` without scanners, `BrokerRefusal` without a radio.
  func listen(
    for duration: Duration?, onNotice: @escaping @Sendable (String) -> Void = { _ in },
    onStep: @escaping @Sendable (AirSurvey) -> Void = { _ in }
  ) async throws {
    let ear = try ScannerEar(configuration, onNotice)
    let radio = try radio(hasScanners: ear != nil, onNotice)
    let clock = Task {
      var passed = Duration.zero
      while duration.map({ passed < $0 }) ?? true {
        try await Task.sleep(for: .milliseconds(500))
        passed += .milliseconds(500)
        onStep(survey)
      }
    }
    let interrupt = SignalWatch(SIGINT) { clock.cancel() }
    defer { interrupt.end() }
    try await withThrowingTaskGroup(of: Void.self) { group in
      if let ear {
        group.addTask {
          do {
            try await ear.listen(onNotice) { hearing, _ in self.state.withLock { $0.observe(hearing) } }
          } catch {
            guard radio != nil, !Task.isCancelled else { throw error }
            onNotice("\(error)")
          }
        }
      }
      if let radio {
        group.addTask {
          do throws(RadioError) {
            try await radio.listen(
              LiveRadio.Handlers { batch, _ in
                self.state.withLock { survey in batch.forEach { survey.observe(copy $0, payload: $1) } }
              })
          } catch {
            guard ear != nil else { throw error }
            onNotice("no radio here: \(error)")
          }
        }
      }
      group.addTask {
        _ = await clock.result
        radio?.stop()
        throw CancellationError()
      }
      do { while try await group.next() != nil {} } catch is CancellationError {}
      clock.cancel()
      group.cancelAll()
      // Without a radio, a broker that was never there means that nothing was listened to.
      while let rest = await group.nextResult() {
        if radio == nil, case .failure(let error) = rest, error is BrokerRefusal { throw error }
      }
    }
  }

  /// nil: there is no radio, but there are scanners.
  private func radio(
    hasScanners: Bool, _ onNotice: (String) -> Void
  ) throws(RadioError) -> LiveRadio? {
    if hasScanners, configuration.radio.duty == .off { return nil }
    do throws(RadioError) { return try LiveRadio(LiveRadio.Options(configuration)) } catch {
      guard hasScanners else { throw error }
      onNotice("no radio here: \(error)")
      return nil
    }
  }
}
