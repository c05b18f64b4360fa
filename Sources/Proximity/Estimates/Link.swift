import Beacons
import Glibc

/// What one receiver hears of one beacon.
struct Link: Hashable, Sendable {
  var receiver: ReceiverIndex
  /// Whether the receiver still hears the beacon, judged by the beacon's interval.
  var isCurrent = false
  var isLocated = false
  /// Sightings since the beacon appeared here.
  var samples: Int32 = 0
  var lastHeard: MonotonicTime
  /// The silence counts from here: the last sighting, or when the receiver recovered from blindness after it.
  var silentSince: MonotonicTime
  /// Start of the newest instant with a signal.
  var lastSignal: MonotonicTime
  /// RSSI at 1 m in dBm as this receiver hears this beacon.
  var power: Float
  /// log10 of the distance in metres; valid if `filter.hasLevel`.
  var logDistance: Float = 0
  /// How far `logDistance` must be beyond a threshold for that to be likely enough to decide.
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

  /// How long a silence means loss. After a blind period the link waits longer rather than guess.
  var patience: TimeSpan {
    silentSince > lastHeard ? max(interval.lost, IntervalEstimator.unlearnt) : interval.lost
  }

  /// When the receiver stops hearing the beacon, if it stays silent.
  var silenceDeadline: MonotonicTime { silentSince + patience }

  /// Sightings closer together are copies of one advertisement (other channels, scan responses) or a burst: the
  /// shortest advertising interval is 20 ms (Core Specification, Vol 6, Part B, 4.4.2.2.1).
  private static var instant: TimeSpan { TimeSpan(nanoseconds: 20_000_000) }

  /// A beacon that appears is assumed to be 3 m away, plus or minus 3 m: by this many dB weaker than at 1 m.
  private static var appearance: Float { 9.5 }

  /// A distance has crossed a threshold if four of five distances as uncertain as this one are beyond it: by this many
  /// standard deviations of a normal distribution.
  private static var likely: Float { 0.841_62 }

  /// What a sighting changed.
  struct News {
    /// The receiver had not heard the beacon for long, or never before.
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
    // A gap in which the receiver was blind says nothing about the beacon.
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
    // Of one instant one sample counts: a burst must not outvote the time around it.
    guard !filter.hasLevel || elapsed >= Self.instant else { return news }
    filter.add(rssi, elapsed: Float(elapsed.seconds), expected: power - Self.appearance)
    lastSignal = time
    logDistance = (power - filter.level) * decadesPerDecibel
    margin = Self.likely * filter.deviation * decadesPerDecibel
    isLocated = false
    news.isOfSignal = true
    return news
  }

  /// The distance in metres that was compared with a threshold for coming in; nil: it is that of the estimate.
  var distanceOfComing: Double? { isLocated ? pow(10, Double(logDistance + margin)) : nil }

  /// The receiver's estimate of the beacon.
  ///
  /// - Parameters:
  ///   - located: standard deviation of the distance in metres where the joint position decides it; else nil.
  ///   - luck: by how many decades the distance seems smaller than it is.
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

  /// Standard deviation in metres of a distance that one receiver's signal suggests.
  ///
  /// Of the signal's deviation from the model more than half remains in the smoothed level of a beacon that moves. A distance
  /// that seems small is less sure than its logarithm says: fading makes beacons seem near that are not. On walks through
  /// an open office (Position-Annotated-BLE-RSSI-Dataset, leave one walk out) the true distance was within one such
  /// deviation 69 to 76 % of the time and within two 92 to 95 %, at 0–3, 3–7, 7–12 and beyond 12 m alike.
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

  /// Whether it can be: all that was read has a range.
  var isSound: Bool {
    samples >= 0 && abs(power) <= 1e4 && abs(logDistance) <= 1e4 && abs(margin) <= 1e4 && filter.isSound
      && interval.isSound
  }
}
