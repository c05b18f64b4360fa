import Beacons
import Core

/// Predicts the level of a beacon at one receiver from the levels at all others.
///
/// The normal belief of a beacon, and its learnt strength, adapt to the errors of a moved receiver and would hide them. So position
/// and strength are computed here from the other receivers only. Receivers take turns.
struct LeaveOneOut: Sendable {
  /// By place: the likelihood from the other receivers.
  private var product: [Float] = []
  private var shares: [Float] = []
  /// By track, then hearer: the level above the maps, dB.
  private var strengths: [MeanError] = []
  /// By track.
  private var looks: [Looks] = []
  private let hearers: Int

  private struct Looks {
    /// Number of checks; the low bits.
    var count: UInt16 = 0
    /// Number of checks during the beacon's stay in its room.
    var ofStay: UInt16 = 0
    /// The beacon's room and the previous one.
    var rooms: (now: Int32, before: Int32) = (-1, -1)
  }

  /// Memory for one track, octets.
  var size: Int { hearers * MemoryLayout<MeanError>.stride + MemoryLayout<Looks>.stride }

  /// Maximum standard deviation of a predicted level, dB. A less certain prediction depends too much on the prior.
  private static let vagueness: Float = 6
  /// Number of samples of a receiver over which a beacon's strength is averaged.
  private static let memory: Float = 10
  /// Maximum weight of one receiver, in samples, so that none decides alone.
  private static let share: Float = 3
  /// This many likelihoods can be multiplied without underflow.
  private static let group = 4
  /// Limits of a strength, dB.
  private static let bounds: ClosedRange<Float> = -250...250

  init(hearers: Int) { self.hearers = hearers }

  mutating func reserve(_ tracks: Int) {
    strengths.reserveCapacity(tracks * hearers)
    looks.reserveCapacity(tracks)
  }

  mutating func append() {
    strengths += repeatElement(MeanError(), count: hearers)
    looks.append(Looks())
  }

  /// Resets a track.
  mutating func reset(_ track: Int) {
    for hearer in 0..<hearers { strengths[track * hearers + hearer] = MeanError() }
    looks[track] = Looks()
  }

  /// Records that the beacon of a track changed rooms. If it only returns to the previous room, its stay continues: it may lie
  /// between the two.
  mutating func begin(_ track: Int, in room: Int32) {
    if room != looks[track].rooms.before { looks[track].ofStay = 0 }
    looks[track].rooms = (room, looks[track].rooms.now)
  }

  /// The receiver to check next; nil: all were checked often enough during this stay. A beacon that stays longer probably lies
  /// still and adds no information.
  ///
  /// - Parameter count: number of receivers that hear the beacon.
  mutating func turn(ofTrack track: Int, among count: Int) -> Int? {
    guard Int(looks[track].ofStay) < Int(ReceiverDrift.visit) * count else { return nil }
    looks[track].ofStay += 1
    looks[track].count &+= 1
    return Int(looks[track].count) % count
  }

  /// - Parameters:
  ///   - hearings: levels at all receivers.
  ///   - index: the receiver to predict.
  ///   - offset: believed strength of the beacon, dB; it counts as one sample.
  /// - Returns: the predicted level in dBm and the room; nil: the prediction is too uncertain, or the receiver has no calibration
  ///   data in this room.
  mutating func expectation(
    of index: Int, in hearings: [RoomHearing], ofTrack track: Int, offset: Float, _ model: RoomModel,
    prior: [Float], _ filter: RoomFilter
  ) -> (level: Float, room: Int)? {
    let own = hearings[index]
    let offset = strength(ofTrack: track, without: index, hearings, believed: offset)
    weigh(hearings, without: index, offset: offset, model, prior: prior, filter)
    guard let level = level(own.hearer, model, filter),
      let room = shares.indices.max(by: { shares[$0] < shares[$1] }), model.isMeasured[own.hearer][room]
    else { return nil }
    strengths[track * hearers + own.hearer].add(own.level - level, memory: Self.memory)
    return (level + offset, room)
  }

  private func strength(
    ofTrack track: Int, without index: Int, _ hearings: [RoomHearing], believed: Float
  ) -> Float {
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
          // The likelihood is squared because it is tempered to about half weight for repeated samples. This is a single sample.
          let likelihoods = model.likelihoods(hearing.hearer, level: hearing.level - offset)
          filter.weigh(product, by: likelihoods, likelihoods)
        }
        if other % Self.group == Self.group - 1 || other == hearings.count - 1, !filter.normalise(product) {
          for place in product.indices { product[place] = prior[place] }
        }
      }
    }
  }

  /// The predicted level in dBm for a beacon of the maps' strength. Also computes the share of each room.
  private mutating func level(_ hearer: Int, _ model: RoomModel, _ filter: RoomFilter) -> Float? {
    if shares.count != model.roomCount { shares = [Float](repeating: 0, count: model.roomCount) }
    for room in shares.indices { shares[room] = 0 }
    let levels = model.expectedLevels(hearer)
    let mean = product.withUnsafeBufferPointer { filter.mean($0, of: levels) }
    var variance = Float(0)
    for run in model.runs {
      var sum = Float(0)
      for place in run.places {
        let error = levels[place] - mean
        sum += product[place]
        variance += product[place] * error * error
      }
      shares[run.room] += sum
    }
    return variance <= Self.vagueness * Self.vagueness ? mean : nil
  }
}

extension LeaveOneOut {
  func write(_ track: Int, to coder: inout StateCoder) {
    coder.write(looks[track].count)
    coder.write(looks[track].ofStay)
    coder.write(looks[track].rooms.now)
    coder.write(looks[track].rooms.before)
    for strength in strengths[(track * hearers)..<((track + 1) * hearers)] {
      coder.write(strength.weight > 0)
      if strength.weight > 0 { coder.write(strength) }
    }
  }

  /// Appends a track.
  mutating func append(from coder: inout StateCoder) throws(StateError) {
    looks.append(
      Looks(
        count: try coder.read(), ofStay: try coder.read(),
        rooms: (now: try coder.read(), before: try coder.read())))
    for _ in 0..<hearers {
      let strength = try coder.read(Bool.self) ? try coder.read(MeanError.self) : MeanError()
      guard (0...Self.memory).contains(strength.weight), Self.bounds.contains(strength.decibels) else {
        throw coder.damaged
      }
      strengths.append(strength)
    }
  }
}
