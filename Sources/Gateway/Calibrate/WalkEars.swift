public import Settings
import Beacons
import Captures
import Machine
import Radio

/// The sources of a live walk: our radios, or a recording instead of them, and the configured scanners.
public struct WalkEars: Sendable {
  /// The source of advertisements.
  public enum Input: Sendable {
    case radio
    /// Played in real time, once.
    case recording(path: String)
    /// As they arrive.
    case standardInput
  }

  private let configuration: Configuration
  private let walk: LiveWalk

  public init(_ configuration: Configuration, _ walk: LiveWalk) {
    self.configuration = configuration
    self.walk = walk
  }

  /// Receives until the task is cancelled or the input ends. A source's messages go to `onNotice`.
  ///
  /// Throws errors after which no source is left: `RadioError`, `CaptureError`, `BrokerRefusal`, `InvalidOptions`.
  public func hear(_ input: Input, onNotice: @escaping @Sendable (String) -> Void) async throws {
    let scanners = try scanners(onNotice: onNotice)
    try await withThrowingTaskGroup(of: Void.self) { group in
      if let scanners {
        group.addTask { try await scanners.run() }
      }
      group.addTask { try await listen(input, hasScanners: scanners != nil, onNotice) }
      try await group.next()
      group.cancelAll()
    }
  }

  private func scanners(onNotice: @escaping @Sendable (String) -> Void) throws -> WalkScanners? {
    guard !configuration.resolvedScanners.isEmpty else { return nil }
    guard case .remote(let broker) = configuration.broker else {
      onNotice("scanners are left out: the configuration names no broker that they could publish to")
      return nil
    }
    return try WalkScanners(configuration, broker, walk, onNotice: onNotice)
  }

  private func listen(
    _ input: Input, hasScanners: Bool, _ onNotice: @escaping @Sendable (String) -> Void
  ) async throws {
    switch input {
    case .radio where configuration.radio.duty == .off: try await waitForCancellation()
    case .radio:
      do throws(RadioError) { try await listenToRadio(onNotice) } catch {
        guard hasScanners else { throw error }
        onNotice("no radio here: \(error)")
        try await waitForCancellation()
      }
    case .recording(let path):
      try await Recording.play(path, onObservation: { walk.hear([$0], $1, isRemote: false) }) {
        walk.hear($0, $1, isRemote: false)
      }
    case .standardInput:
      try await Recording.hearStandardInput(onObservation: { [walk] in walk.hear([$0], $1, isRemote: false) })
      {
        [walk] in walk.hear($0, $1, isRemote: false)
      }
    }
  }

  private func waitForCancellation() async throws {
    while true { try await Task.sleep(for: .seconds(3600)) }
  }

  private func listenToRadio(_ onNotice: @escaping @Sendable (String) -> Void) async throws(RadioError) {
    var options = LiveRadio.Options(configuration)
    options.broadcast = nil
    let radio = try LiveRadio(options)
    var handlers = LiveRadio.Handlers { [walk] batch, table in walk.hear(batch, table, isRemote: false) }
    handlers.onNotice = onNotice
    try await radio.listen(handlers)
  }

}
