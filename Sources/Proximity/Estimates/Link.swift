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

  /// The changes that a sighting caused.
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

/// Smooths the signal of one beacon at one receiver, in dBm.
///
/// A Kalman filter for the level and its rate of change. While a beacon is carried, its level rises or falls for seconds; a filter
/// with a rate follows that without delay and still averages the noise. The rate fades within half a minute. A single outlier has
/// little weight (Student's t); two similar ones in a row are a step and are followed at once. A steady signal is not changed.
///
/// The scatter of the samples determines how far the level is trusted. A steady signal is trusted at once, a noisy one only if it
/// is clearly beyond a threshold.
///
/// In an open office (Position-Annotated-BLE-RSSI-Dataset) each sample has 4.9 dB of independent noise, and the surroundings add
/// 1.5 to 2 dB along the way. On simulated walks around corners with these values, zones of one receiver had an F1 of events of
/// 0.46 at 0.4 m/s and 0.61 at 0.8 m/s, instead of 0.41 and 0.53 with an average after a median. On the recorded straight walks
/// both were equal.
///
/// The first sample may be an outlier. If it is stronger than expected, it is averaged with the expected level.
struct SignalFilter: Hashable, Sendable {
  /// Variance that the rate gains in one second, relative to the noise variance of a sample.
  private static let restlessness: Float = 0.008
  /// Time in which the rate fades, seconds.
  private static let memory: Float = 30
  /// The level is extrapolated for at most this long, seconds.
  private static let foresight: Float = 3
  /// Maximum variances of the level and of the rate, relative to that of a sample. They apply after a long silence.
  private static let most = (level: Float(4), rate: Float(0.4))
  /// Two samples in a row that are off by this many standard deviations to the same side are a step.
  private static let step: Float = 2.5
  /// Degrees of freedom of the Student-t weight that damps outliers, as in `Locator`.
  private static let freedom: Float = 5

  /// Standard deviations of the expected level and of one sample, dB.
  private static let expectation: Float = 9
  private static let noise: Float = 6
  /// Initial scatter (mean absolute deviation, dB), and how many samples it counts as.
  private static let usualScatter: Float = 4
  private static let assumed: Float = 4
  /// The scatter is averaged over about this many samples.
  private static let remembered: UInt8 = 32
  /// Ratio of standard deviation to mean absolute deviation for a normal distribution.
  private static let deviationOfScatter: Float = 1.25
  /// Larger deviations count as this much scatter, dB, so that a step hardly increases it.
  private static let farthest: Float = 8

  /// Number of samples, up to `remembered`.
  private var samples: UInt8 = 0
  /// Smoothed level, dBm.
  private(set) var level: Float = 0
  /// dB a second.
  private var rate: Float = 0
  /// Variance of the level and of the rate, and their covariance, relative to a sample's variance.
  private var variance: Float = 1
  private var rateVariance: Float = 0
  private var covariance: Float = 0
  /// Difference of the newest sample from the level, dB.
  private var surprise: Float = 0
  /// Smoothed absolute difference of samples from the level, dB.
  private var scatter = Self.usualScatter

  /// Standard deviation of the level in dB, as estimated from the samples. It does not include shadowing that lasts longer. It is
  /// at most half of a sample's, so that one advertisement can decide.
  var deviation: Float { Self.deviationOfScatter * scatter * min(variance, 0.25).squareRoot() }

  /// Whether any sample was added.
  var hasLevel: Bool { samples > 0 }

  /// Adds a sample.
  ///
  /// - Parameters:
  ///   - elapsed: seconds since the previous sample.
  ///   - expected: the level at which a beacon usually appears.
  mutating func add(_ rssi: Int8, elapsed: Float, expected: Float) {
    if samples < Self.remembered { samples += 1 }
    guard samples > 1 else { return level = Self.believed(Float(rssi), expected) }
    predict(elapsed)
    let error = Float(rssi) - level
    // Lower bound: without noise, every sample would be an outlier.
    let noise = max(Self.deviationOfScatter * scatter, 0.7)
    // An error that two samples in a row share is not noise.
    let common = error * surprise > 0 ? min(abs(error), abs(surprise)) : 0
    let isStep = common > Self.step * max(noise, 2)
    if isStep { variance = Self.most.level }
    let odd = (abs(error) - (isStep ? common : 0)) / noise
    let weight = min(1, (Self.freedom + 1) / (Self.freedom + odd * odd / (variance + 1)))
    surprise = error
    let sum = variance + 1 / weight
    let (gain, gainOfRate) = (variance / sum, covariance / sum)
    level += gain * error
    rate += gainOfRate * error
    rateVariance -= gainOfRate * covariance
    covariance -= gain * covariance
    variance -= gain * variance
    scatter += (min(abs(error), Self.farthest) - scatter) / (Float(samples) + Self.assumed)
  }

  /// Predicts the state `elapsed` seconds later.
  @inline(__always) private mutating func predict(_ elapsed: Float) {
    let rest = Self.memory / (Self.memory + elapsed)
    let time = min(elapsed, Self.foresight)
    let reach = time * rest
    let added = Self.restlessness * time
    level += reach * rate
    rate *= rest
    variance += reach * (2 * covariance + reach * rateVariance) + added * time * time / 3
    covariance = rest * (covariance + reach * rateVariance) + added * time / 2
    rateVariance = rest * rest * rateVariance + added
    variance = min(variance, Self.most.level)
    rateVariance = min(rateVariance, Self.most.rate)
  }

  /// The level to assume from a single sample. A sample weaker than expected is used unchanged: it cannot make a distant beacon
  /// seem near.
  private static func believed(_ sample: Float, _ expected: Float) -> Float {
    let surprise = sample - expected
    guard surprise > 0 else { return sample }
    let (prior, noise) = (expectation * expectation, noise * noise)
    let weight = min(1, (freedom + 1) / (freedom + surprise * surprise / (prior + noise)))
    return expected + surprise * prior / (prior + noise / weight)
  }
}

extension SignalFilter: StateElement {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("samples", &samples)
    try coder("level", &level)
    try coder("rate", &rate)
    try coder("variance", &variance)
    try coder("rate_variance", &rateVariance)
    try coder("covariance", &covariance)
    try coder("surprise", &surprise)
    try coder("scatter", &scatter)
    try coder.check(isSound)
  }

  /// Whether all values are within their valid ranges.
  var isSound: Bool {
    samples <= Self.remembered && abs(level) <= 1e4 && abs(rate) <= 1e4 && abs(surprise) <= 1e4
      && abs(variance) <= 100 && abs(rateVariance) <= 100 && abs(covariance) <= 100 && abs(scatter) <= 100
  }
}
