import Beacons
import Settings
import Setup
import Synchronization

/// Prints each beacon in the air once, with the line that would configure it.
final class Introductions: Sendable {
  private struct State {
    var survey: AirSurvey
    var introduced: Set<BeaconPattern> = []
  }

  /// Enough to tell a beacon that is here from one that drove by.
  private static let patience = 3
  private static let limit = 1000

  private let state: Mutex<State>

  init(_ configuration: Configuration) { state = Mutex(State(survey: AirSurvey(configuration))) }

  func observe(_ batch: borrowing AdvertisementBatch, _ tell: (String) -> Void) {
    state.withLock { state in
      batch.forEach { advertisement, payload in
        guard let device = state.survey.observe(advertisement, payload: payload),
          device.count == Self.patience,
          let suggestion = BeaconSuggestion(device), state.introduced.count < Self.limit,
          state.introduced.insert(suggestion.pattern).inserted
        else { return }
        let signal = device.rssi.map { "  # \($0) dBm" } ?? ""
        tell("  \(suggestion)\(signal)")
      }
    }
  }
}
