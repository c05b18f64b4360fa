import Beacons
import Configuration
import Contract
import Core
import Proximity
import Synchronization

/// Surveys all devices in range while a client asks for them, and for a minute after.
final class StrangersWatch: Sendable {
  private struct State {
    /// nil: no client asks.
    var survey: AirSurvey?
    /// Its beacons are not strangers.
    var configuration: Configuration?
    var until = MonotonicTime(nanoseconds: .min)
  }

  private static let patience = TimeSpan.seconds(60)
  /// The largest number of devices in the list, the strongest first.
  private static let limit = 300

  private let state = Mutex(State())
  private let isWatching = Atomic(false)
  /// Part of every id, so that an id of one run is not valid in another.
  private let salt = UInt64.random(in: .min ... .max)

  /// Does nothing while no client asks.
  func observe(_ batch: borrowing AdvertisementBatch) {
    guard isWatching.load(ordering: .relaxed) else { return }
    state.withLock { state in
      batch.forEach { advertisement, payload in state.survey?.observe(advertisement, payload: payload) }
      endInTime(&state)
    }
  }

  /// The same for what scanners hear.
  func observe(_ hearing: borrowing Hearing) {
    guard isWatching.load(ordering: .relaxed) else { return }
    state.withLock { state in
      state.survey?.observe(hearing)
      endInTime(&state)
    }
  }

  private func endInTime(_ state: inout State) {
    guard LiveClock.now > state.until else { return }
    state.survey = nil
    isWatching.store(false, ordering: .relaxed)
  }

  /// Starts or continues the survey; returns the devices.
  func devices(_ configuration: Configuration, areRevealed: Bool) -> [UInt8] {
    state.withLock { state in
      // After a reload other devices may be strangers.
      let hasBegun = state.survey == nil || state.configuration != configuration
      if hasBegun {
        state.survey = AirSurvey(configuration)
        state.configuration = configuration
      }
      state.until = LiveClock.now + Self.patience
      isWatching.store(true, ordering: .relaxed)
      let (now, wallNow) = (LiveClock.now, LiveClock.wallNow)
      let listing = state.survey?.listing(at: now).prefix(Self.limit) ?? []
      let overlooked = state.survey?.overlooked ?? 0
      return JSONWriter.object {
        $0.array("devices", listing) {
          write($1.device, $1.estimate, wallNow - (now - $1.device.lastHeard), areRevealed, in: &$0)
        }
        $0.field("overlooked", overlooked)
        if hasBegun { $0.field("why", "It begins to listen with this question. Ask again in a few seconds.") }
      }
    }
  }

  /// A pattern and a name for the device of an id; nil: it is gone, or cannot be configured.
  func suggestion(id: String) -> BeaconSuggestion? {
    state.withLock { state in
      state.survey?.listing(at: LiveClock.now).lazy.map(\.device).first { self.id(of: $0) == id }
        .flatMap { BeaconSuggestion($0) }
    }
  }

  private func write(
    _ device: AirSurvey.Device, _ estimate: Estimate?, _ heard: WallTime, _ areRevealed: Bool,
    in json: inout JSONWriter
  ) {
    let suggestion = device.beacon == nil ? BeaconSuggestion(device) : nil
    // A pattern that contains the address stays hidden, like the address.
    let isShown = areRevealed || suggestion.map { !$0.isPrivate } ?? false
    json.object {
      $0.field("id", id(of: device))
      $0.field("mark", StrangerNames.here.mark(of: device))
      $0.field("address", areRevealed && device.hasAddress ? "\(device.address)" : nil)
      $0.field("name", areRevealed || device.beacon != nil ? StrangerNames.here.plainly(device) : nil)
      $0.field("frame", device.frame?.format)
      $0.field("vendor", device.vendor)
      $0.field("identity", isShown ? suggestion?.pattern.yaml : nil)
      $0.field("beacon", device.beacon)
      $0.field("rssi_dbm", estimate?.rssi, decimals: 1)
      $0.field("distance_m", estimate?.distance, decimals: 2)
      $0.field("per_s", estimate?.interval.map { 1 / max($0.seconds, 0.001) }, decimals: 2)
      $0.field("last_seen", heard)
      $0.field("can_be_added", suggestion != nil)
      $0.field("yaml", isShown ? suggestion?.description : nil)
    }
  }

  private func id(of device: AirSurvey.Device) -> String {
    var hash = FNV1a()
    hash.combine(String(salt, radix: 16).utf8.span)
    hash.combine(String(device.address.bits, radix: 16).utf8.span)
    return String(UInt64(truncatingIfNeeded: hash.value), radix: 16)
  }
}
