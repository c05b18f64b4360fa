import Beacons
import Core
import Glibc

/// Detects receivers that were moved, turned or covered since the calibration. One advertisement cannot show that: the signal at
/// one place may always be 10 dB off. So the mean error of each receiver in each room over many visits is used.
///
/// A gain common to all rooms is subtracted from the receiver's levels early, before it is certain. A receiver that was probably
/// moved is ignored. On the recorded flat, with one of six receivers 12 dB more or less sensitive, rooms with outlines were right
/// 84 % of the time instead of 79 %; with one of four, 74 % instead of 64 %.
struct ReceiverDrift: Sendable {
  private let rooms: Int
  /// By hearer, then room.
  private var tallies: [MeanError]
  /// The receiver that changed since the calibration, and by how many dB.
  private(set) var moved: (hearer: Int, decibels: Float)?
  /// By hearer: estimated gain relative to the calibration, dB.
  private(set) var gains: [Float]
  /// Receivers that were probably moved. Their levels are ignored.
  private(set) var elsewhere = HearerSet()
  /// By hearer: detectors for recent changes. The mean over four visits to each room would show a change late.
  private var changes: [(rise: CumulativeSum, fall: CumulativeSum)]
  private var notes = 0

  /// Number of samples between two judgements.
  private static let pause = 16
  /// Samples of one visit to a room, and samples remembered: four visits.
  static let visit: Float = 10
  private static let memory: Float = 4 * visit
  /// Maximum error, dB.
  private static let most: Float = 100
  /// The score at which a receiver is reported. A moved receiver also raises the scores of others, so its score must exceed theirs
  /// by this much.
  private static let proof: Float = 6
  /// One room is not enough. Either this many rooms need new data since the last change, or the score without the strongest room
  /// must reach `support`.
  private static let least = 3
  private static let support: Float = 2

  init(hearers: Int, rooms: Int) {
    self.rooms = rooms
    tallies = [MeanError](repeating: MeanError(), count: hearers * rooms)
    gains = [Float](repeating: 0, count: hearers)
    changes = Array(repeating: (CumulativeSum(), CumulativeSum()), count: hearers)
  }

  /// Adds an error: received minus expected level of a beacon in a room, dB. Errors of one beacon and receiver must be some seconds
  /// apart.
  mutating func note(_ error: Float, of hearer: Int, in room: Int) {
    let index = hearer * rooms + room
    guard tallies.indices.contains(index), error.isFinite else { return }
    let error = min(max(error, -Self.most), Self.most)
    if tallies[index].weight > Self.visit { noteChange(error - tallies[index].decibels, of: hearer) }
    tallies[index].add(error, memory: Self.memory)
    look(at: hearer)
    notes += 1
    if notes % Self.pause == 0 { judge() }
  }

  /// - Parameter rise: increase of a receiver's level in a room, dB.
  private mutating func noteChange(_ rise: Float, of hearer: Int) {
    guard
      let change = changes[hearer].rise.note(rise) ?? changes[hearer].fall.note(-rise).map({ -$0 })
    else { return }
    // Shifts all rooms, with a low weight so that new data soon outweigh it.
    for index in (hearer * rooms)..<((hearer + 1) * rooms) {
      tallies[index].shift(by: change, within: Self.most, weight: DriftEvidence.enough)
    }
    changes[hearer] = (CumulativeSum(), CumulativeSum())
  }

  private mutating func look(at hearer: Int) {
    let evidence = evidence(of: hearer)
    gains[hearer] = evidence.gain
    if evidence.isElsewhere { elsewhere.insert(hearer) } else { elsewhere.remove(hearer) }
  }

  private func evidence(of hearer: Int) -> DriftEvidence {
    var evidence = DriftEvidence()
    for tally in tallies[(hearer * rooms)..<((hearer + 1) * rooms)] { evidence.add(tally) }
    return evidence
  }

  private mutating func judge() {
    var worst: (hearer: Int, evidence: DriftEvidence)?
    var second: Float = 0
    for hearer in gains.indices {
      let evidence = evidence(of: hearer)
      if evidence.score > worst?.evidence.score ?? 0 {
        second = worst?.evidence.score ?? 0
        worst = (hearer, evidence)
      } else {
        second = max(second, evidence.score)
      }
    }
    if let worst, worst.evidence.score >= second + Self.proof,
      worst.evidence.rooms >= min(Self.least, rooms) || worst.evidence.support >= Self.support
    {
      moved = (worst.hearer, worst.evidence.decibels)
    } else if let earlier = moved {
      let evidence = evidence(of: earlier.hearer)
      moved = evidence.score < 0 ? nil : (earlier.hearer, evidence.decibels)
    }
  }
}

extension ReceiverDrift: StateFields {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder(each: "tallies", &tallies)
    var (hearer, decibels) = (moved.map { Int32($0.hearer) }, moved?.decibels ?? 0)
    try coder("moved", &hearer)
    try coder("moved_by", &decibels, in: 0...Self.most)
    for hearer in changes.indices {
      var change = changes[hearer]
      try coder("rise", &change.rise)
      try coder("fall", &change.fall)
      if coder.isReading { changes[hearer] = change }
    }
    try coder(tally: "notes", &notes)
    try coder.check(
      tallies.allSatisfy { abs($0.decibels) <= Self.most && (0...Self.memory).contains($0.weight) }
        && hearer.map { $0 >= 0 && $0 < changes.count } ?? true)
    guard coder.isReading else { return }
    moved = hearer.map { (Int($0), decibels) }
    for hearer in gains.indices { look(at: hearer) }
  }
}

/// Decides from a receiver's errors in the rooms between three cases: it is unchanged since the calibration; its gain changed by
/// the same amount everywhere; or it was moved, so that its error differs from room to room.
struct DriftEvidence {
  /// Number of rooms with enough data.
  private var count: Float = 0
  /// Number of rooms with data newer than the receiver's last change.
  private(set) var rooms = 0
  private var squares: Float = 0
  /// Sum of the rooms' errors in dB, each weighted by its precision, and the sum of the weights.
  private var weighted: Float = 0
  private var precision: Float = 0
  /// Log-likelihood ratio of a moved receiver (a separate error for each room) against one without error.
  private(set) var score: Float = 0
  /// The largest contribution of one room to `score`.
  private var greatest: Float = 0

  /// Weight from which a room counts, and the weight that older data keep after a change.
  static let enough: Float = 3
  /// Standard deviations, dB. An unchanged receiver has an error that is the same everywhere, one for each room and one for each
  /// visit. The error of a moved receiver in each room has the deviation `moved`.
  private static let deviations: (everywhere: Float, room: Float, visit: Float, moved: Float) = (1, 3, 4, 12)
  /// Limits of a gain, dB.
  private static let bounds: ClosedRange<Float> = -30...30

  mutating func add(_ tally: MeanError) {
    guard tally.weight >= Self.enough else { return }
    let deviations = Self.deviations
    let square = tally.decibels * tally.decibels
    let sound =
      deviations.room * deviations.room + deviations.visit * deviations.visit * ReceiverDrift.visit
      / tally.weight
    let moved = sound + deviations.moved * deviations.moved
    let part = square / 2 * (1 / sound - 1 / moved) - log(moved / sound) / 2
    score += part
    greatest = max(greatest, part)
    weighted += tally.decibels / sound
    precision += 1 / sound
    squares += square
    count += 1
    if tally.weight > Self.enough { rooms += 1 }
  }

  /// The root mean square of the rooms' errors, dB.
  var decibels: Float { (squares / max(count, 1)).squareRoot() }

  /// Log-likelihood ratio of an error common to all rooms, with this standard deviation in dB, against no error.
  private func fit(_ deviation: Float) -> Float {
    let doubt = 1 / (deviation * deviation)
    return (weighted * weighted / (precision + doubt) - log(1 + precision / doubt)) / 2
  }

  private func gain(_ deviation: Float) -> Float { weighted / (precision + 1 / (deviation * deviation)) }

  private var everywhere: Float { fit(Self.deviations.moved) - fit(Self.deviations.everywhere) }
  private var elsewhere: Float { score - fit(Self.deviations.everywhere) }

  /// `score` without the room that contributes most.
  var support: Float { score - greatest }

  private func share(of hypothesis: Float) -> Float {
    1 / (exp(-hypothesis) + exp(everywhere - hypothesis) + exp(elsewhere - hypothesis))
  }

  /// Whether the receiver was probably moved.
  var isElsewhere: Bool { share(of: elsewhere) > 0.6 }

  /// The gain in dB: the mean over the hypotheses.
  var gain: Float {
    let expected =
      share(of: 0) * gain(Self.deviations.everywhere) + share(of: everywhere) * gain(Self.deviations.moved)
    return min(max(expected, Self.bounds.lowerBound), Self.bounds.upperBound)
  }
}

/// Distinguishes a lasting rise from noise with Page's cumulative sum. Negative values cancel positive ones.
struct CumulativeSum: StateElement {
  private var sum: Float = 0
  /// Mean of the rises since the sum was zero.
  private var rises = MeanError()

  /// dB. A mean rise below `slack` is noise, and no single rise counts more than `most`.
  private static let (slack, most): (Float, Float) = (5, 12)
  /// The sum at which a change is reported, dB: 15 rises of 12 dB. In a simulated house, an unchanged receiver with a good
  /// calibration reached it only after some hours.
  private static let proof: Float = 100
  private static let memory: Float = 1000
  /// Maximum mean rise, dB.
  private static let limit: Float = 200

  init() {}

  /// - Parameter rise: difference from the usual value, dB.
  /// - Returns: the mean rise since the change, dB; nil: no change.
  mutating func note(_ rise: Float) -> Float? {
    sum += min(max(rise, -Self.most), Self.most) - Self.slack
    rises.add(rise, memory: Self.memory)
    if sum <= 0 {
      self = CumulativeSum()
      return nil
    }
    guard sum > Self.proof else { return nil }
    defer { self = CumulativeSum() }
    return rises.decibels
  }

  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("sum", &sum)
    try coder("rises", &rises)
    try coder.check(
      (0...Self.proof).contains(sum) && (0...Self.memory).contains(rises.weight)
        && abs(rises.decibels) <= Self.limit)
  }
}
