import Beacons

/// Smooths the signal of one beacon at one receiver, in dBm.
///
/// The median of the last three samples removes single outliers. An exponential average over six samples, at least 1 s and
/// at most 3 s, follows. It speeds up with its distance from the samples: it follows a step within about a second and still
/// averages out the 3 dB by which a signal wavers at a fixed point. A beacon heard ten times a second is thus followed three
/// times as closely as one heard twice.
///
/// On walks through an open office (Position-Annotated-BLE-RSSI-Dataset, leave one walk out) this did as well as any
/// filter tried on one receiver's signal: plain exponential averages, medians of 5 to 9, upper quantiles, fast attack
/// with slow release, and margins. A steady signal comes out as it came in.
///
/// How widely the samples scatter around the level tells how far the level can be trusted: a steady signal is believed at
/// once, a wavering one only where it is clearly beyond a threshold.
///
/// The very first sample stands alone and may be an outlier. If it is stronger than expected, it is weighed against the
/// expectation.
struct SignalFilter: Hashable, Sendable, Codable {
  private static let samples: Float = 6
  /// Seconds.
  private static let shortest: Float = 1
  private static let longest: Float = 3
  /// At this many dB off, the average is twice as fast; at twice as many, five times.
  private static let surprise: Float = 8

  /// Standard deviations of an expected level and of one sample, in dB.
  private static let expectation: Float = 9
  private static let noise: Float = 6
  /// What is assumed of a signal of which little is known, dB: `noise`, as a mean amount.
  private static let usualScatter: Float = 4.8
  /// The standard deviation of the level, relative to the mean amount by which samples differ from it. They follow each
  /// other too closely to be independent.
  private static let share: Float = 0.56
  /// The farthest that a sample counts as scattered: a step is none.
  private static let farthest: Float = 8
  /// Degrees of freedom of the Student-t weight that damps outliers, as in `Locator`.
  private static let freedom: Float = 4

  private var newest: Int8 = 0
  private var previous: Int8 = 0
  private var beforePrevious: Int8 = 0
  private var filled: UInt8 = 0
  /// Smoothed time between samples, seconds.
  private var pace: Float = 0.5
  /// Smoothed level, dBm.
  private(set) var level: Float = 0
  /// Smoothed amount by which samples differ from the level, dB.
  private var scatter = Self.usualScatter

  /// Standard deviation of the level in dB, as far as the samples tell. What the surroundings take or add for longer does
  /// not show in it.
  var wavering: Float { Self.share * scatter }

  /// Whether there was any sample.
  var hasLevel: Bool { filled > 0 }

  /// Adds another sample to the newest instant, which still counts as one sample: a burst must not outvote the
  /// time around it.
  mutating func merge(_ rssi: Int8) {
    newest = Int8(clamping: (Int(newest) + Int(rssi)) / 2)
  }

  /// Adds a sample. `elapsed`: seconds since the previous one. `expected`: the level at which a beacon usually appears.
  mutating func add(_ rssi: Int8, elapsed: Float, expected: Float) {
    beforePrevious = previous
    previous = newest
    newest = rssi
    if filled < 3 { filled += 1 }
    let sample = Float(likely)
    guard filled > 1 else { return level = Self.believed(sample, expected) }
    pace += (min(elapsed, Self.longest) - pace) / 8
    let error = sample - level
    scatter += (min(abs(error), Self.farthest) - scatter) / 8
    let ratio = error / Self.surprise
    let settled = min(max(Self.samples * pace, Self.shortest), Self.longest) / (1 + ratio * ratio)
    // For the first three samples the plain mean is faster.
    level += error * max(elapsed / (elapsed + settled), filled < 3 ? 0.5 : 0)
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

  /// The median. Of two samples the weaker, as outliers tend to be too strong.
  private var likely: Int8 {
    switch filled {
    case 1: newest
    case 2: min(newest, previous)
    default: max(min(newest, previous), min(max(newest, previous), beforePrevious))
    }
  }
}

extension SignalFilter: StateCoded {
  func write(to writer: inout StateWriter) {
    writer.write(newest)
    writer.write(previous)
    writer.write(beforePrevious)
    writer.write(filled)
    writer.write(pace)
    writer.write(level)
    writer.write(scatter)
  }

  init(reading reader: inout StateReader) throws(StateError) {
    newest = try reader.read()
    previous = try reader.read()
    beforePrevious = try reader.read()
    filled = try reader.read()
    pace = try reader.read()
    level = try reader.read()
    scatter = try reader.read()
  }
}
