import Beacons
import Core

/// The gain of each receiver relative to the others, in dB: boards, antennas and cases differ. Without a calibration it is learnt
/// in operation, from beacons that move between rooms.
///
/// The path loss between two receivers' rooms is the same in both directions. So if two receivers are equal, each hears beacons in
/// its own room better than the other does, by the same amount. Otherwise, the mean of first minus second over both rooms is the
/// difference of their gains. This needs no walls or distances, only a room estimate that is right most of the time.
///
/// On the recorded flat, with sensitivities varied by 4 dB (standard deviation), after an hour rooms without outlines were right 79
/// % of the time instead of 70 %, and rooms with outlines 80 % instead of 75 %.
struct ReceiverGains: Sendable {
  /// By hearer: its room; −1: none.
  private let homes: [Int]
  /// By room: the hearers that heard beacons there, in order.
  private var tallies: [[Tally]]
  /// By hearer: its gain, dB.
  private(set) var decibels: [Float]
  private var notes = 0
  /// Number of samples between two updates. Each update compares all pairs of receivers.
  private let pause: Int
  /// By room: number of stays long enough to count.
  private var visits: [Float]
  /// By track: number of windows counted in the current stay.
  private var stays: [UInt8] = []
  /// By hearer: gain from an earlier run or configuration, dB; and the set of hearers that have one.
  private var adopted: [Float]
  private var hasAdopted = HearerSet()

  /// Number of samples remembered for a receiver in a room: a dozen stays.
  private static let memory: Float = 2400
  /// Minimum number of samples of a receiver in a room: at least 12 s.
  private static let enough: Float = 40
  /// Maximum number of windows counted in a stay. A beacon that lies still for hours adds no information.
  private static let longest: UInt8 = 180
  /// A stay of this many windows (6 s) counts as a visit.
  private static let visit: UInt8 = 20
  /// After this many visits to both rooms, the difference of two receivers has half weight. Levels at one place may always be 5 dB
  /// off, which is no property of the receiver.
  private static let half: Float = 4
  /// Regularisation: counts as this many receivers of equal gain.
  private static let doubt: Float = 1
  /// An adopted gain counts as this many visits to each room. It fades as new visits are made.
  private static let adoptedVisits: Float = 10
  /// Limits of an adopted gain, dB. Boards seldom differ by more. An earlier run may have had fewer rooms and assigned beacons
  /// wrongly. With these limits its gains cannot outweigh a level difference of 14 dB.
  private static let adoptedBounds: ClosedRange<Float> = -6...6
  /// Maximum error, dB.
  private static let most: Float = 1000
  /// Limits of a gain, dB.
  private static let bounds: ClosedRange<Float> = -15...15

  struct Tally: StateElement {
    var hearer: UInt16 = 0
    var error = MeanError()

    init() {}

    mutating func fields(_ coder: inout StateCoder) throws(StateError) {
      try coder("hearer", &hearer)
      try coder("error", &error)
      try coder.check(abs(error.decibels) <= most && (0...memory).contains(error.weight))
    }
  }

  init(_ plan: RoomPlan, _ grid: RoomGrid?) {
    homes = zip(plan.homes, plan.places).map { rooms, place in
      if let room = rooms.first { return room }
      guard let grid, let place,
        let cell = grid.cell(at: Point(x: place.position.x, y: place.position.y), floor: place.floor)
      else { return -1 }
      return Int(grid.rooms[cell])
    }
    tallies = plan.rooms.map { _ in [] }
    decibels = [Float](repeating: 0, count: plan.hearers.count)
    visits = [Float](repeating: 0, count: tallies.count)
    adopted = decibels
    pause = max(64, decibels.count * decibels.count / 32)
  }

  /// Records that the beacon of a track changed rooms.
  mutating func begin(_ track: Int) {
    while stays.count <= track { stays.append(0) }
    stays[track] = 0
  }

  /// Records that the beacon of a track was in its room before the restart, so that its data there are already counted. To count
  /// them again at each restart would reinforce the error of one odd place.
  mutating func goOn(_ track: Int) {
    begin(track)
    stays[track] = Self.longest
  }

  /// Whether another window of a track's stay counts. Counts it if so.
  mutating func counts(_ track: Int, in room: Int) -> Bool {
    guard stays.indices.contains(track), stays[track] < Self.longest else { return false }
    stays[track] += 1
    if stays[track] == Self.visit { visits[room] += 1 }
    return true
  }

  /// Adds an error: received minus expected level of a beacon in a room, dB, with the receiver's gain included.
  mutating func note(_ excess: Float, of hearer: Int, in room: Int) {
    guard decibels.indices.contains(hearer), tallies.indices.contains(room), excess.isFinite else { return }
    let place = tallies[room].firstIndex { $0.hearer >= hearer } ?? tallies[room].count
    if place == tallies[room].count || tallies[room][place].hearer != hearer {
      var tally = Tally()
      tally.hearer = UInt16(hearer)
      tallies[room].insert(tally, at: place)
    }
    tallies[room][place].error.add(excess, memory: Self.memory)
    notes += 1
    if notes % pause == 0 { learn() }
  }

  private mutating func learn() {
    let doubt = Self.doubt / Float(max(decibels.count - 1, 1))
    let full = Self.weight(of: Self.adoptedVisits)
    let isAdopted = decibels.indices.map(hasAdopted.contains)
    for hearer in decibels.indices {
      var (sum, weights) = (Float(0), Self.doubt)
      func count(_ other: Int, _ own: Float?) {
        var new = Float(0)
        if let own, let others = excess(of: hearer, over: other, in: homes[other]) {
          new = min(visits[homes[hearer]], visits[homes[other]])
          let weight = Self.weight(of: new)
          sum += weight * (own + others) / 2
          weights += weight
        }
        guard isAdopted[hearer], isAdopted[other] else { return }
        let left = max(0, 1 - new / Self.adoptedVisits)
        // The adopted gain is already regularised. Doing it again at each restart would make it vanish.
        sum += left * (full + doubt) * adopted[hearer]
        weights += left * full
      }
      // A receiver that heard nothing in this one's room counts only if both have adopted gains.
      var next = 0
      for (other, own) in excesses(of: hearer) {
        if isAdopted[hearer] { for unheard in next..<other where unheard != hearer { count(unheard, nil) } }
        count(other, own)
        next = other + 1
      }
      if isAdopted[hearer] {
        for unheard in next..<decibels.count where unheard != hearer { count(unheard, nil) }
      }
      decibels[hearer] = min(max(sum / weights, Self.bounds.lowerBound), Self.bounds.upperBound)
    }
  }

  /// Adopts gains from an earlier run or configuration; nil: none for this hearer.
  mutating func adopt(_ earlier: [Float?]) {
    let gains = zip(decibels.indices, earlier).compactMap { hearer, gain in
      gain.flatMap { $0.isFinite ? (hearer: hearer, decibels: $0) : nil }
    }
    guard gains.count > 1 else { return }
    for (hearer, gain) in gains {
      decibels[hearer] = min(max(gain, Self.adoptedBounds.lowerBound), Self.adoptedBounds.upperBound)
      adopted[hearer] = decibels[hearer]
      hasAdopted.insert(hearer)
    }
  }

  private static func weight(of visits: Float) -> Float { visits / (visits + half) }

  /// How many dB more than each other receiver a hearer has in its own room, for those that heard beacons
  /// there, in order.
  private func excesses(of hearer: Int) -> [(other: Int, decibels: Float)] {
    let room = homes[hearer]
    guard room >= 0, let own = error(of: hearer, in: room) else { return [] }
    return tallies[room].compactMap { tally in
      guard tally.hearer != hearer, tally.error.weight >= Self.enough else { return nil }
      return (Int(tally.hearer), own - tally.error.decibels)
    }
  }

  /// nil: too few samples.
  private func excess(of hearer: Int, over other: Int, in room: Int) -> Float? {
    guard room >= 0, let own = error(of: hearer, in: room), let others = error(of: other, in: room) else {
      return nil
    }
    return own - others
  }

  /// The mean error of a hearer in a room; nil: too few samples.
  private func error(of hearer: Int, in room: Int) -> Float? {
    guard let tally = tallies[room].first(where: { $0.hearer == hearer }), tally.error.weight >= Self.enough
    else { return nil }
    return tally.error.decibels
  }
}

extension ReceiverGains: StateFields {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder(each: "tallies", &tallies)
    try coder.check(tallies.joined().allSatisfy { $0.hearer < decibels.count })
    try coder(each: "decibels", &decibels)
    try coder(tally: "notes", &notes)
    try coder(each: "visits", &visits)
    try coder("stays", &stays)
    try coder(each: "adopted", &adopted)
    try coder("has_adopted", &hasAdopted)
    try coder.check(
      decibels.allSatisfy(Self.bounds.contains) && adopted.allSatisfy(Self.adoptedBounds.contains)
        && visits.allSatisfy { $0 >= 0 })
  }
}

/// The mean difference in dB between received and expected level, over recent samples.
struct MeanError: StateElement {
  /// Number of samples that count.
  private(set) var weight: Float = 0
  private(set) var decibels: Float = 0

  init() {}

  /// - Parameter weight: number of samples that the error represents.
  init(_ decibels: Float, weight: Float = 0) {
    self.weight = weight
    self.decibels = decibels
  }

  /// - Parameter memory: maximum number of samples that count.
  mutating func add(_ error: Float, memory: Float) {
    weight = min(weight + 1, memory)
    decibels += (error - decibels) / weight
  }

  /// Shifts the mean after a change, and reduces the weight of older data.
  ///
  /// - Parameters:
  ///   - limit: maximum absolute mean, dB.
  ///   - most: maximum weight of the older data, samples.
  mutating func shift(by change: Float, within limit: Float, weight most: Float) {
    guard weight > 0 else { return }
    decibels = min(max(decibels + change, -limit), limit)
    weight = min(weight, most)
  }

  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder("weight", &weight)
    try coder("decibels", &decibels)
  }
}
