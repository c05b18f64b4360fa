import Beacons
import Configuration
import Contract
import Synchronization

/// Logs each beacon in range once, with the line that would configure it.
final class Introductions: Sendable {
  private struct State {
    var survey: AirSurvey
    var introduced: Set<BeaconPattern> = []
  }

  /// How often a beacon must be heard: one that only drives by is not logged.
  private static let patience = 3
  private static let limit = 1000

  private let state: Mutex<State>

  init(_ configuration: Configuration) { state = Mutex(State(survey: AirSurvey(configuration))) }

  func observe(_ batch: borrowing AdvertisementBatch, _ tell: (String) -> Void) {
    state.withLock { state in
      batch.forEach { advertisement, payload in
        guard let device = state.survey.observe(advertisement, payload: payload) else { return }
        introduce(device, &state.introduced, tell)
      }
    }
  }

  /// The same for what scanners hear.
  func observe(_ hearing: borrowing Hearing, _ tell: (String) -> Void) {
    state.withLock { state in
      var introduced = state.introduced
      state.survey.observe(hearing) { introduce($0, &introduced, tell) }
      state.introduced = introduced
    }
  }

  private func introduce(
    _ device: AirSurvey.Device, _ introduced: inout Set<BeaconPattern>, _ tell: (String) -> Void
  ) {
    guard device.count == Self.patience, device.frame?.tellsIdentity == true || device.hasLastingName,
      let suggestion = BeaconSuggestion(device), introduced.count < Self.limit,
      introduced.insert(suggestion.pattern).inserted
    else { return }
    let signal = device.rssi.map { "  # \($0) dBm" } ?? ""
    tell("  \(suggestion)\(signal)")
  }
}
