import Beacons
import Core
import Glibc

/// The reception of one beacon by one receiver.
struct Link: Hashable, Sendable {
  var receiver: ReceiverIndex
  /// Whether the receiver still hears the beacon, judged by the beacon's interval.
  var isCurrent = false
  var isLocated = false
  /// Sightings since the beacon appeared here.
  var samples: Int32 = 0
  var lastHeard: MonotonicTime
  /// Start of the silence: the last sighting, or a later recovery of the receiver from blindness.
  var silentSince: MonotonicTime
  /// Time of the newest sample that was used.
  var lastSignal: MonotonicTime
  /// RSSI at 1 m in dBm as this receiver hears this beacon.
  var power: Float
  /// log10 of the distance in metres; valid if `filter.hasLevel`.
  var logDistance: Float = 0
  /// How far `logDistance` must be beyond a threshold to count as beyond it.
  var margin: Float = 0
  var filter = SignalFilter()
  var interval = IntervalEstimator()

  init(receiver: ReceiverIndex, power: Float, time: MonotonicTime) {
    self.receiver = receiver
    self.power = power
    lastHeard = time
    silentSince = time
    lastSignal = time
  }

  /// The silence after which the beacon counts as lost. It is longer after a blind period.
  var patience: TimeSpan {
    silentSince > lastHeard ? max(interval.lost, IntervalEstimator.unlearnt) : interval.lost
  }

  /// When the beacon counts as lost at this receiver if it stays silent.
  var silenceDeadline: MonotonicTime { silentSince + patience }

  /// Sightings closer together are copies of one advertisement (other channels, scan responses) or a burst. The shortest
  /// advertising interval is 20 ms (Core Specification, Vol 6, Part B, 4.4.2.2.1).
  private static var instant: TimeSpan { TimeSpan(nanoseconds: 20_000_000) }

  /// The assumed path loss of a beacon that appears, dB relative to 1 m: 3 m away, plus or minus 3 m.
  private static var appearance: Float { 9.5 }

  /// A distance has crossed a threshold if it is beyond it with a probability of 80 %: by this many standard deviations of a normal
  /// distribution.
  private static var likely: Float { 0.841_62 }

  /// What a sighting changed.
  struct News {
    /// The beacon was lost at this receiver, or never heard before.
    var isReturning: Bool
    /// The signal changed.
    var isOfSignal: Bool
  }

  /// Processes a sighting.
  ///
  /// - Parameters:
  ///   - power: RSSI at 1 m in dBm as this receiver hears this beacon.
  ///   - decadesPerDecibel: from the receiver's calibration.
  @inline(__always) mutating func hear(
    rssi: Int8?, power: Float, decadesPerDecibel: Float, at time: MonotonicTime
  ) -> News {
    self.power = power
    var news = News(isReturning: !isCurrent, isOfSignal: false)
    // A gap that includes a blind period is not learnt.
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
    // Only one sample counts per instant, so that a burst does not outweigh the samples around it.
    guard !filter.hasLevel || elapsed >= Self.instant else { return news }
    filter.add(rssi, elapsed: Float(elapsed.seconds), expected: power - Self.appearance)
    lastSignal = time
    logDistance = (power - filter.level) * decadesPerDecibel
    margin = Self.likely * filter.deviation * decadesPerDecibel
    isLocated = false
    news.isOfSignal = true
    return news
  }

  /// The distance in metres that was compared with the threshold for entering; nil: that of the estimate.
  var distanceOfComing: Double? { isLocated ? pow(10, Double(logDistance + margin)) : nil }

  /// The receiver's estimate of the beacon.
  ///
  /// - Parameters:
  ///   - located: standard deviation in metres of a distance from the joint position; nil: the distance is not from it.
  ///   - luck: correction of the distance in decades; see `Rivals`.
  func estimate(calibration: Calibration, located: Double?, luck: Double) -> Estimate? {
    guard filter.hasLevel else { return nil }
    let distance = pow(10, Double(located == nil ? logDistance : logDistance - margin) + luck)
    let deviation =
      located
      ?? Self.deviation(
        at: distance, decibels: calibration.deviation, exponent: calibration.exponent, samples: samples)
    return Estimate(
      rssi: Double(filter.level), distance: distance, distanceDeviation: deviation,
      interval: interval.interval,
      samples: Int(samples), lastHeard: lastHeard)
  }

  /// Standard deviation in metres of a distance estimated from one receiver's signal.
  ///
  /// If the beacon moves, more than half of the signal's deviation from the model remains after smoothing. The deviation of small
  /// distances is larger than that of their logarithm suggests, because fading can make distant beacons seem near. On walks through
  /// an open office (Position-Annotated-BLE-RSSI-Dataset, leave one walk out) the true distance was within one such deviation 69 to
  /// 76 % of the time and within two 92 to 95 %, at 0–3, 3–7, 7–12 and beyond 12 m alike.
  private static func deviation(
    at distance: Double, decibels: Double, exponent: Double, samples: Int32
  ) -> Double {
    let remaining = (0.33 + 0.67 / Double(max(samples, 1))).squareRoot()
    return 0.5 + distance * remaining * decibels * 0.230_258_509_299_404_57 / exponent
  }
}

extension Link: StateElement {
  init() { self.init(receiver: ReceiverIndex(rawValue: 0), power: 0, time: .zero) }

  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("receiver", &receiver)
    try coder("is_current", &isCurrent)
    try coder("is_located", &isLocated)
    try coder("samples", &samples)
    try coder("last_heard", &lastHeard)
    try coder("silent_since", &silentSince)
    try coder("last_signal", &lastSignal)
    try coder("power", &power)
    try coder("log_distance", &logDistance)
    try coder("margin", &margin)
    try coder("filter", &filter)
    try coder("interval", &interval)
    try coder.check(isSound)
  }

  /// Whether all values are within their valid ranges.
  var isSound: Bool {
    samples >= 0 && abs(power) <= 1e4 && abs(logDistance) <= 1e4 && abs(margin) <= 1e4 && filter.isSound
      && interval.isSound
  }
}
