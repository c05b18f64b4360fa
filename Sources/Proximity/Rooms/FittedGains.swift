import Beacons
import Core
import Glibc

/// The gain of each receiver relative to the others, in dB, where rooms have outlines and nothing was measured. `ReceiverGains` needs
/// visits to several rooms, and that most rooms are right. A receiver that hears 12 dB more or less than the others prevents both.
///
/// A scene is what the receivers hear of one beacon in some seconds. The gains are those with which all
/// scenes together fit the path loss best, wherever the beacon was in each of them. So its place need not be
/// known. Most gains are about what `ReceiverGains` says, and a few are far from that. The fit begins from
/// its last result, and in turn with each receiver 12 dB off, because places that follow such a receiver
/// confirm it.
///
/// On the recorded flat, with one of six receivers 12 dB off, rooms were right 78 % of the time instead of 73 %, on average of the
/// twelve cases. While the beacon is in one room only, such a receiver may remain undetected: the beacon may as well be near it.
struct FittedGains: Sendable {
  private let hearers: Int
  /// By hearer: the expected levels at some places that stand for all, dBm, eight places in each vector. The
  /// last place is repeated to fill the last vector.
  private let expected: [SIMD8<Float>]
  /// How many places there are.
  private let places: Int
  /// By hearer: its gain, dB.
  private(set) var decibels: [Float]
  /// Whether there are enough scenes. With fewer than four receivers there are none.
  var isFitted: Bool { scenes.count >= Self.least }
  private var scenes: [Scene] = []
  /// The scene that is being collected.
  private var open = Scene()
  /// The window in which the scene began; whether the scene has a track yet; and its track, or that of the
  /// scene before.
  private var start: Int64 = 0
  private var isTaken = false
  private var track: Int32 = -1
  /// Number of new scenes.
  private var notes = 0

  /// Windows in a scene: 3 s.
  private static let length: Int64 = 10
  private static let sceneLimit = 48
  /// No gain is learnt from fewer scenes.
  private static let least = 4
  /// Scenes that differ by less, in dB, are the same: a beacon that lies still adds no information.
  private static let alike: Float = 3
  /// Minimum number of windows with a level of a receiver.
  private static let certain: Float = 3
  /// How many receivers a scene needs: place and strength explain three levels, whatever the gains.
  private static let witnesses = 4
  /// How many scenes at one place are averaged.
  private static let memory: Float = 10
  private static let placeLimit = 64
  /// Scale of usual gains, dB, and the degrees of freedom of their distribution.
  private static let usual: Float = 0.5
  private static let freedom: Float = 0.5
  /// Weight of a receiver's error, as an exponent: errors of receivers at one place go together.
  private static let temper: Float = 0.7
  /// All scenes together count as at most this many: neighbouring places have much in common.
  private static let most: Float = 100
  /// The fit also begins with one receiver this far off, dB.
  private static let far: Float = 12
  private static let rounds = 6
  /// A place with a log-likelihood this far below the best is left out.
  private static let improbable: Float = 8
  /// Limits of a gain and of a level.
  private static let bounds: ClosedRange<Float> = -15...15
  private static let levels: ClosedRange<Float> = -200...200

  struct Scene: StateElement {
    /// By hearer, dBm; for those that heard the beacon.
    var levels: [Float] = []
    /// By hearer: windows.
    var counts: [Float] = []

    init() {}

    init(hearers: Int) {
      levels = [Float](repeating: 0, count: hearers)
      counts = levels
    }

    mutating func add(_ level: Float, of hearer: Int) {
      counts[hearer] += 1
      levels[hearer] += (level - levels[hearer]) / counts[hearer]
    }

    mutating func fields(_ coder: inout StateCoder) throws(StateError) {
      try coder("levels", &levels)
      try coder("counts", &counts)
    }
  }

  init(_ plan: RoomPlan, _ model: RoomModel) {
    hearers = plan.hearers.count
    decibels = [Float](repeating: 0, count: hearers)
    open = Scene(hearers: hearers)
    let inside = model.rooms.indices.filter { model.rooms[$0] >= 0 }
    let count = model.grid == nil ? 0 : min(inside.count, Self.placeLimit)
    places = count
    let cells = (0..<count).map { (index: Int) -> Int in
      let place = (2 * index + 1) * inside.count / (2 * count)
      return inside[place]
    }
    expected = plan.hearers.indices.flatMap { (hearer: Int) -> [SIMD8<Float>] in
      stride(from: 0, to: count, by: Lanes.count).map { (first: Int) -> SIMD8<Float> in
        var levels = SIMD8<Float>()
        for lane in 0..<Lanes.count {
          levels[lane] = model.maps.levels[hearer][cells[min(first + lane, count - 1)]]
        }
        return levels
      }
    }
  }

  /// Adds what receivers hear of a beacon in a window. Beacons take turns.
  ///
  /// - Parameter usual: the gains to expect, dB. Gains far from them are improbable.
  mutating func note(_ hearings: [RoomHearing], of track: Int, in window: Int64, usual: [Float]) {
    guard !expected.isEmpty else { return }
    if window >= start + Self.length || window < start {
      close(usual)
      (open, start, isTaken) = (Scene(hearers: hearers), window, false)
    }
    // A scene belongs to one track: the next after that of the previous scene, or, from the second window on,
    // any.
    if !isTaken, track > Int(self.track) || window > start { (self.track, isTaken) = (Int32(track), true) }
    guard isTaken, track == Int(self.track) else { return }
    for hearing in hearings { open.add(hearing.level, of: hearing.hearer) }
  }

  private mutating func close(_ usual: [Float]) {
    for hearer in 0..<hearers where open.counts[hearer] < Self.certain { open.counts[hearer] = 0 }
    guard open.counts.count(where: { $0 > 0 }) >= Self.witnesses else { return }
    for hearer in 0..<hearers where open.counts[hearer] > 0 { open.counts[hearer] = 1 }
    let differences = scenes.map { difference($0, open) }
    if let same = differences.indices.min(by: { differences[$0] < differences[$1] }),
      differences[same] < Self.alike
    {
      for hearer in 0..<hearers where open.counts[hearer] > 0 && scenes[same].counts[hearer] < Self.memory {
        scenes[same].add(open.levels[hearer], of: hearer)
      }
      return
    }
    if scenes.count < Self.sceneLimit { scenes.append(open) } else { scenes[notes % Self.sceneLimit] = open }
    notes += 1
    if isFitted { learn(usual) }
  }

  /// The root mean square of the differences in dB, whatever the strength of the beacons.
  private func difference(_ first: Scene, _ second: Scene) -> Float {
    var (count, sum, squares) = (Float(0), Float(0), Float(0))
    for hearer in 0..<hearers where first.counts[hearer] > 0 && second.counts[hearer] > 0 {
      let difference = first.levels[hearer] - second.levels[hearer]
      count += 1
      sum += difference
      squares += difference * difference
    }
    return count < 2 ? .infinity : max(0, (squares - sum * sum / count) / (count - 1)).squareRoot()
  }

  private mutating func learn(_ usual: [Float]) {
    var other = usual
    other[notes / 2 % hearers] += notes % 2 == 0 ? Self.far : -Self.far
    let fits = [decibels, other].map { start in
      (0..<Self.rounds).reduce((gains: start, score: Float(0))) { fit, _ in better(fit.gains, usual) }
    }
    let best = fits[1].score > fits[0].score ? fits[1] : fits[0]
    decibels = best.gains.map { min(max($0, Self.bounds.lowerBound), Self.bounds.upperBound) }
  }

  /// One round of expectation and maximisation.
  ///
  /// - Returns: better gains, and the logarithm of the probability of those given.
  private func better(_ gains: [Float], _ usual: [Float]) -> (gains: [Float], score: Float) {
    let (blocks, freedom) = (expected.count / hearers, RoomModel.freedom)
    let variance = SignalMaps.usualDeviation * SignalMaps.usualDeviation
    let share = Self.most / (Self.most + Float(scenes.count))
    var sums = [Float](repeating: 0, count: hearers)
    var weights = sums
    var errors = [SIMD8<Float>](repeating: .zero, count: expected.count)
    var logs = [SIMD8<Float>](repeating: .zero, count: blocks)
    var score = Float(0)
    for scene in scenes {
      let heard = (0..<hearers).filter { scene.counts[$0] > 0 }
      for block in 0..<blocks {
        var strength = SIMD8<Float>.zero
        for hearer in heard {
          let error = scene.levels[hearer] - gains[hearer] - expected[hearer * blocks + block]
          errors[hearer * blocks + block] = error
          strength += error
        }
        // The strength of the beacon if it were at this place. Large errors count less.
        strength /= Float(heard.count)
        for _ in 0..<2 {
          var (sum, weight) = (SIMD8<Float>.zero, SIMD8<Float>.zero)
          for hearer in heard {
            let error = errors[hearer * blocks + block] - strength
            let share = 1 / (freedom + error * error * (1 / variance))
            sum += share * errors[hearer * blocks + block]
            weight += share
          }
          strength = sum / weight
        }
        var (product, sum) = (SIMD8<Float>(repeating: 1), SIMD8<Float>.zero)
        for (index, hearer) in heard.enumerated() {
          let error = errors[hearer * blocks + block] - strength
          errors[hearer * blocks + block] = error
          product *= 1 + error * error * (1 / (variance * freedom))
          // More factors could overflow.
          if index % 8 == 7 {
            sum += product.logarithm
            product = SIMD8(repeating: 1)
          }
        }
        logs[block] = -Self.temper * (freedom + 1) / 2 * (sum + product.logarithm)
      }
      for lane in places..<(blocks * Lanes.count) {
        logs[lane / Lanes.count][lane % Lanes.count] = -.infinity
      }
      let most = logs.reduce(-Float.infinity) { max($0, $1.max()) }
      let total = logs.reduce(Float(0)) { $0 + ($1 - most).exponential.sum() }
      score += share * (most + log(total))
      for block in 0..<blocks where logs[block].max() > most - Self.improbable {
        let probability = (share / total * (logs[block] - most).exponential)
          .replacing(with: 0, where: logs[block] .<= most - Self.improbable)
        for hearer in heard {
          let error = errors[hearer * blocks + block]
          let weight = Self.temper * (freedom + 1) * probability / (freedom * variance + error * error)
          sums[hearer] += (weight * (error + gains[hearer])).sum()
          weights[hearer] += weight.sum()
        }
      }
    }
    var better = gains
    for hearer in 0..<hearers {
      let gain = gains[hearer] - usual[hearer]
      score -= (Self.freedom + 1) / 2 * log1p(gain * gain / (Self.freedom * Self.usual * Self.usual))
      let doubt = (Self.freedom + 1) / (Self.freedom * Self.usual * Self.usual + gain * gain)
      better[hearer] = (sums[hearer] + doubt * usual[hearer]) / (weights[hearer] + doubt)
    }
    return (better, score)
  }

  /// Begins from other gains, without scenes.
  mutating func begin(from gains: [Float]) { decibels = gains }
}

extension FittedGains: StateFields {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder(each: "decibels", &decibels)
    try coder("scenes", &scenes, atMost: Self.sceneLimit)
    try coder("open", &open)
    try coder("start", &start)
    try coder("is_taken", &isTaken)
    try coder("track", &track)
    try coder(tally: "notes", &notes)
    try coder.check(
      decibels.allSatisfy(Self.bounds.contains) && isSound)
  }

  private var isSound: Bool {
    RoomWindows.isPossible(start)
      && (scenes + [open]).allSatisfy { scene in
        scene.levels.count == hearers && scene.counts.count == hearers
          && scene.levels.allSatisfy(Self.levels.contains)
          && scene.counts.allSatisfy { (0...Self.memory).contains($0) }
      }
  }
}
