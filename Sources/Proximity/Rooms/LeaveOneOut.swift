import Beacons

/// What a receiver should hear of a beacon by what all others hear of it at that moment.
///
/// The belief of a beacon gives way to a receiver that hears otherwise than calibrated, and so does what is learnt of the beacon's
/// strength: measured against those, a receiver that was moved seems right. So both are made anew here, without its word.
struct LeaveOneOut: Sendable {
  /// By place: how likely the beacon is there by what the others hear.
  private var product: [Float] = []
  private var shares: [Float] = []
  /// By track, then hearer: how much stronger than the maps say the receiver hears the beacon.
  private var strengths: [MeanError] = []
  private let hearers: Int

  /// dB. If the others leave open by more than this (standard deviation) what a receiver should hear, the middle of it is no
  /// expectation: beacons are not everywhere alike often.
  private static let vagueness: Float = 5
  /// Words of a receiver over which a beacon's strength is learnt.
  private static let memory: Float = 10
  /// What was learnt of a receiver counts as so many words at the most, so that none decides alone.
  private static let share: Float = 3
  /// Products of so many likelihoods stay within the range of numbers.
  private static let group = 4

  init(hearers: Int) { self.hearers = hearers }

  struct Expectation {
    /// dBm, of a beacon as strong as this one.
    fileprivate(set) var level: Float
    /// Where the beacon is, by the others.
    let room: Int
  }

  /// - Parameters:
  ///   - hearings: what all receivers hear.
  ///   - index: of the one that is left out.
  ///   - offset: how strong the beacon is believed to be, until that is learnt here, dB.
  /// - Returns: nil: the others leave it open.
  mutating func expectation(
    of index: Int, in hearings: [RoomHearing], ofTrack track: Int, offset: Float, _ model: RoomModel,
    prior: [Float], _ filter: RoomFilter
  ) -> Expectation? {
    let own = hearings[index]
    let offset = strength(ofTrack: track, without: index, hearings, believed: offset)
    weigh(hearings, without: index, offset: offset, model, prior: prior, filter)
    guard var found = expectation(own.hearer, model) else { return nil }
    strengths[track * hearers + own.hearer].add(own.level - found.level, memory: Self.memory)
    found.level += offset
    return found
  }

  /// Nothing is known of a track any more.
  mutating func reset(_ track: Int) {
    guard strengths.count > track * hearers else { return }
    for index in (track * hearers)..<((track + 1) * hearers) { strengths[index] = MeanError() }
  }

  private mutating func strength(
    ofTrack track: Int, without index: Int, _ hearings: [RoomHearing], believed: Float
  ) -> Float {
    while strengths.count < (track + 1) * hearers { strengths.append(MeanError()) }
    var (sum, weights) = (believed, Float(1))
    for (other, hearing) in hearings.enumerated() where other != index {
      let strength = strengths[track * hearers + hearing.hearer]
      let weight = min(strength.weight, Self.share)
      sum += weight * strength.decibels
      weights += weight
    }
    return sum / weights
  }

  private mutating func weigh(
    _ hearings: [RoomHearing], without index: Int, offset: Float, _ model: RoomModel, prior: [Float],
    _ filter: RoomFilter
  ) {
    if product.count != prior.count { product = prior }
    product.withUnsafeMutableBufferPointer { product in
      for place in product.indices { product[place] = prior[place] }
      for (other, hearing) in hearings.enumerated() {
        if other != index {
          // Less weight is for a beacon that is heard again and again. This is one moment.
          filter.weigh(
            product, by: model.likelihoods(hearing.hearer, level: hearing.level - offset, after: .long))
        }
        if other % Self.group == Self.group - 1 || other == hearings.count - 1, !filter.normalise(product) {
          for place in product.indices { product[place] = prior[place] }
        }
      }
    }
  }

  private mutating func expectation(_ hearer: Int, _ model: RoomModel) -> Expectation? {
    if shares.count != model.roomCount { shares = [Float](repeating: 0, count: model.roomCount) }
    let levels = model.expectedLevels(hearer)
    var (mean, squares) = (Float(0), Float(0))
    for room in shares.indices { shares[room] = 0 }
    for run in model.runs {
      for place in run.places {
        shares[run.room] += product[place]
        mean += product[place] * levels[place]
        squares += product[place] * levels[place] * levels[place]
      }
    }
    guard squares - mean * mean <= Self.vagueness * Self.vagueness,
      let room = shares.indices.max(by: { shares[$0] < shares[$1] })
    else { return nil }
    return Expectation(level: mean, room: room)
  }
}

extension LeaveOneOut {
  func write(_ track: Int, to writer: inout StateWriter) {
    for hearer in 0..<hearers {
      let index = track * hearers + hearer
      writer.write(strengths.indices.contains(index) ? strengths[index] : MeanError())
    }
  }

  /// Appends a track.
  mutating func append(from reader: inout StateReader) throws(StateError) {
    for _ in 0..<hearers { strengths.append(try reader.read()) }
  }
}
