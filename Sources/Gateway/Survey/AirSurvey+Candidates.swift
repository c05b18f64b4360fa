import Beacons
import Captures
import Proximity
import Settings
import Setup

extension AirSurvey {
  /// Reads recordings to their end, and returns the devices in range then.
  public static func ofRecordings(
    _ paths: [String], _ configuration: Configuration
  ) throws(CaptureError) -> (survey: AirSurvey, end: MonotonicTime) {
    var survey = AirSurvey(configuration)
    var end = MonotonicTime.zero
    var recording = try Recording(paths: paths)
    var receivers = ReceiverTable()
    var batch = AdvertisementBatch()
    while case let step = try recording.next(into: &batch, receiver: { receivers.index(of: $0) }),
      step != .end
    {
      batch.forEach { advertisement, payload in
        survey.observe(copy advertisement, payload: payload)
        end = advertisement.time
      }
    }
    return (survey, end)
  }

  /// The devices that can be configured, each pattern once, the strongest first.
  public func candidates(at time: MonotonicTime) -> [NearbyBeacon] {
    var patterns: Set<BeaconPattern> = []
    return listing(at: time).compactMap { device, estimate in
      guard let suggestion = BeaconSuggestion(device), patterns.insert(suggestion.pattern).inserted
      else { return nil }
      return NearbyBeacon(
        name: suggestion.name, pattern: suggestion.pattern, format: device.frame?.format ?? "–",
        localName: device.localName, signal: (estimate?.rssi).map { Int($0.rounded()) })
    }
  }
}
