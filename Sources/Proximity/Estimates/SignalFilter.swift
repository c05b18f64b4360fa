import Beacons

/// Smooths the signal of one beacon at one receiver, in dBm.
///
/// A Kalman filter of the level and of its rate of change: who walks makes it rise or fall for seconds, and a filter that knows
/// this follows without delay and still averages out the noise. The rate fades within half a minute. An odd sample counts little
/// (Student's t); two that agree are a step, and are followed. A steady signal comes out as it came in.
///
/// How widely the samples scatter around the level tells how far the level can be trusted: a steady signal is believed at
/// once, a wavering one only where it is clearly beyond a threshold.
///
/// In an open office (Position-Annotated-BLE-RSSI-Dataset) a sample is 4.9 dB off by noise of its own, and what the surroundings
/// add along the way is 1.5 to 2 dB. On walks around corners that were simulated with these figures, zones of one receiver had an
/// F1 of events of 0.46 at 0.4 m/s and 0.61 at 0.8 m/s, in place of 0.41 and 0.53 with an average after a median. On the
/// recorded straight walks the two do alike.
///
/// The very first sample stands alone and may be an outlier. If it is stronger than expected, it is weighed against the
/// expectation.
struct SignalFilter: Hashable, Sendable {
  /// How fast the rate changes: the variance that a second adds to it, relative to that of a sample's noise.
  private static let restlessness: Float = 0.008
  /// Seconds in which the rate fades.
  private static let memory: Float = 30
  /// The rate is not followed for longer than this, seconds.
  private static let foresight: Float = 3
  /// What is known after a long silence: variances of the level and of the rate, relative to a sample's.
  private static let most = (level: Float(4), rate: Float(0.4))
  /// Two samples in a row that are so many standard deviations off to one side are a step.
  private static let step: Float = 2.5
  /// Degrees of freedom of the Student-t weight that damps outliers, as in `Locator`.
  private static let freedom: Float = 5

  /// Standard deviations of an expected level and of one sample, in dB.
  private static let expectation: Float = 9
  private static let noise: Float = 6
  /// What is assumed of a signal of which little is known, dB, as a mean amount; and for how many samples it counts.
  private static let usualScatter: Float = 4
  private static let assumed: Float = 4
  /// So many samples are remembered for how they scatter.
  private static let remembered: UInt8 = 32
  /// The standard deviation of normally distributed samples, relative to their mean amount.
  private static let deviationOfScatter: Float = 1.25
  /// The farthest that a sample counts as scattered: a step is none.
  private static let farthest: Float = 8

  /// Up to `remembered`.
  private var samples: UInt8 = 0
  /// Smoothed level, dBm.
  private(set) var level: Float = 0
  /// dB a second.
  private var rate: Float = 0
  /// Of the level, of the rate, and what they have in common: relative to a sample's variance.
  private var variance: Float = 1
  private var rateVariance: Float = 0
  private var covariance: Float = 0
  /// By how much the newest sample differed from the level, dB.
  private var surprise: Float = 0
  /// Smoothed amount by which samples differ from the level, dB.
  private var scatter = Self.usualScatter

  /// Standard deviation of the level in dB, as far as the samples tell. What the surroundings take or add for longer does
  /// not show in it. It is at most half of a sample's, so that one advertisement can decide.
  var deviation: Float { Self.deviationOfScatter * scatter * min(variance, 0.25).squareRoot() }

  /// Whether there was any sample.
  var hasLevel: Bool { samples > 0 }

  /// Adds a sample. `elapsed`: seconds since the previous one. `expected`: the level at which a beacon usually appears.
  mutating func add(_ rssi: Int8, elapsed: Float, expected: Float) {
    if samples < Self.remembered { samples += 1 }
    guard samples > 1 else { return level = Self.believed(Float(rssi), expected) }
    predict(elapsed)
    let error = Float(rssi) - level
    // In a signal without any noise nothing is odd.
    let noise = max(Self.deviationOfScatter * scatter, 0.7)
    // What this sample and the one before have in common cannot be chance.
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

  /// Lets time pass, seconds.
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

  /// The level to assume from a single sample. One weaker than expected is taken as it is: it cannot make a
  /// distant beacon seem near.
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

  /// Whether it can be: all that was read has a range.
  var isSound: Bool {
    samples <= Self.remembered && abs(level) <= 1e4 && abs(rate) <= 1e4 && abs(surprise) <= 1e4
      && abs(variance) <= 100 && abs(rateVariance) <= 100 && abs(covariance) <= 100 && abs(scatter) <= 100
  }
}
