import Beacons

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// What one receiver hears of one beacon.
struct Link: Hashable, Sendable, Codable {
  var receiver: ReceiverIndex
  /// Whether the receiver still hears the beacon, as far as its interval tells.
  var isCurrent = false
  var isLocated = false
  /// Sightings since the beacon appeared here.
  var samples: Int32 = 0
  var lastHeard: MonotonicTime
  /// From when silence counts: the last sighting, or when the receiver regained its sight after it.
  var silentSince: MonotonicTime
  /// When the newest instant with a signal began.
  var lastSignal: MonotonicTime
  /// RSSI at 1 m in dBm as this receiver hears this beacon.
  var power: Float
  /// log10 of the distance in metres; as good as `filter.hasLevel`.
  var logDistance: Float = 0
  var filter = SignalFilter()
  var interval = IntervalEstimator()

  init(receiver: ReceiverIndex, power: Float, time: MonotonicTime) {
    self.receiver = receiver
    self.power = power
    lastHeard = time
    silentSince = time
    lastSignal = time
  }

  /// How long a silence means loss. After a blind time a slow guess is better than a quick one.
  var patience: TimeSpan {
    silentSince > lastHeard ? max(interval.lost, IntervalEstimator.unlearnt) : interval.lost
  }

  /// When the receiver stops hearing the beacon, if it stays silent.
  var silenceDeadline: MonotonicTime { silentSince + patience }

  /// Sightings closer together are copies of one advertisement (other channels, scan responses) or a burst: the
  /// shortest advertising interval is 20 ms (Core Specification, Vol 6, Part B, 4.4.2.2.1).
  private static var instant: TimeSpan { TimeSpan(nanoseconds: 20_000_000) }

  /// dB by which a beacon that appears is expected to be weaker than at 1 m: it is assumed to be 3 m away, plus or minus 3 m.
  private static var appearance: Float { 9.5 }

  /// What came of a sighting.
  struct News {
    /// The receiver had not heard the beacon for long, or ever.
    var isReturning: Bool
    /// There is something new to tell of the signal.
    var isOfSignal: Bool
  }

  /// Takes in that the beacon was heard.
  ///
  /// - Parameters:
  ///   - power: RSSI at 1 m in dBm as this receiver hears this beacon.
  ///   - decadesPerDecibel: of the receiver's calibration.
  @inline(__always) mutating func hear(
    rssi: Int8?, power: Float, decadesPerDecibel: Float, at time: MonotonicTime
  ) -> News {
    self.power = power
    var news = News(isReturning: !isCurrent, isOfSignal: false)
    // A gap in which the receiver was blind says nothing of the beacon.
    if time > lastHeard, silentSince == lastHeard { interval.add(gap: time - lastHeard) }
    if !isCurrent {
      isCurrent = true
      samples = 0
      filter = SignalFilter()
    }
    if samples < .max { samples += 1 }
    lastHeard = time
    silentSince = time
    guard let rssi else { return news }
    let elapsed = time - lastSignal
    if filter.hasLevel, elapsed < Self.instant {
      filter.merge(rssi)
      return news
    }
    filter.add(rssi, elapsed: Float(elapsed.seconds), expected: power - Self.appearance)
    lastSignal = time
    logDistance = (power - filter.level) * decadesPerDecibel
    isLocated = false
    news.isOfSignal = true
    return news
  }

  /// What the receiver makes of the beacon. `locator`: where joint position decided the distance.
  func estimate(calibration: Calibration, locator: Locator?) -> Estimate? {
    guard filter.hasLevel else { return nil }
    let distance = pow(10, Double(logDistance))
    let deviation: Double
    if isLocated, let locator, let position = calibration.position {
      deviation = locator.deviation(to: position)
    } else {
      // Shadowing stays however often one samples; about a fifth of the variance is noise that does not
      // (2.9 dB at a fixed point of 6.3 dB over a walk, Position-Annotated-BLE-RSSI-Dataset).
      let variance = calibration.deviation * calibration.deviation * (0.8 + 0.2 / Double(min(samples, 5)))
      deviation = distance * variance.squareRoot() * 0.230_258_509_299_404_57 / calibration.exponent
    }
    return Estimate(
      rssi: Double(filter.level), distance: distance, distanceDeviation: deviation,
      interval: interval.interval,
      samples: Int(samples), lastHeard: lastHeard)
  }

  mutating func shift(by span: TimeSpan) {
    lastHeard = lastHeard + span
    silentSince = silentSince + span
    lastSignal = lastSignal + span
  }
}
