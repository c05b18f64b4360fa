import Beacons

/// What a receiver should hear of a beacon by what all others hear of it at that moment.
///
/// The belief of a beacon gives way to a receiver that hears otherwise than calibrated, and so does what is learnt of the beacon's
/// strength: measured against those, a receiver that was moved seems right. So place and strength are made anew here, from what
/// the others hear. Receivers take turns.
struct LeaveOneOut: Sendable {
  /// By place: how likely the beacon is there by what the others hear.
  private var product: [Float] = []
  private var shares: [Float] = []
  /// By track, then hearer: how much stronger than the maps say the receiver hears the beacon.
  private var strengths: [MeanError] = []
  /// By track.
  private var looks: [Looks] = []
  private let hearers: Int

  private struct Looks {
    /// All of them; the low bits.
    var count: UInt16 = 0
    /// Those of the beacon's stay in its room.
    var ofStay: UInt16 = 0
    /// Its room, and the one before.
    var rooms: (now: Int32, before: Int32) = (-1, -1)
  }

  /// Octets of a track.
  var size: Int { hearers * MemoryLayout<MeanError>.stride + MemoryLayout<Looks>.stride }

  /// dB. If the others leave open by more than this (standard deviation) what a receiver should hear, their mean is no expectation:
  /// it depends too much on where beacons usually are.
  private static let vagueness: Float = 6
  /// Words of a receiver over which a beacon's strength is learnt.
  private static let memory: Float = 10
  /// What was learnt of a receiver counts as so many words at the most, so that none decides alone.
  private static let share: Float = 3
  /// Products of so many likelihoods stay within the range of numbers.
  private static let group = 4
  /// Of a strength, dB.
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

  /// Nothing is known of a track any more.
  mutating func reset(_ track: Int) {
    for hearer in 0..<hearers { strengths[track * hearers + hearer] = MeanError() }
    looks[track] = Looks()
  }

  /// The beacon of a track is in another room. If it is only back in the one before, its stay goes on: it may lie between the two.
  mutating func begin(_ track: Int, in room: Int32) {
    if room != looks[track].rooms.before { looks[track].ofStay = 0 }
    looks[track].rooms = (room, looks[track].rooms.now)
  }

  /// Whose turn it is; nil: each was looked at often enough in this stay. A beacon that stays for longer probably lies still, and its
  /// corner says no more of the room.
  ///
  /// - Parameter count: of those that hear the beacon.
  mutating func turn(ofTrack track: Int, among count: Int) -> Int? {
    guard Int(looks[track].ofStay) < Int(ReceiverDrift.visit) * count else { return nil }
    looks[track].ofStay += 1
    looks[track].count &+= 1
    return Int(looks[track].count) % count
  }

  /// - Parameters:
  ///   - hearings: what all receivers hear.
  ///   - index: of the one that is left out.
  ///   - offset: how strong the beacon is believed to be, dB; it counts as one word.
  /// - Returns: what it should hear, dBm, and the room that the beacon is in by the others; nil: they leave it open, or the receiver was
  ///   not heard there on the walk.
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
          // Such likelihoods count about half, for a beacon is heard again and again. This is one moment.
          let likelihoods = model.likelihoods(hearing.hearer, level: hearing.level - offset)
          filter.weigh(product, by: likelihoods, likelihoods)
        }
        if other % Self.group == Self.group - 1 || other == hearings.count - 1, !filter.normalise(product) {
          for place in product.indices { product[place] = prior[place] }
        }
      }
    }
  }

  /// dBm, of a beacon as strong as the maps say; and what each room has of the product.
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
