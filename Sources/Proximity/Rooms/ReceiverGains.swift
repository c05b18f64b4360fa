import Beacons

/// How many dB more than the others each receiver hears, because of its board, its antenna or its case. Where nothing was measured
/// it is learnt while the rooms are watched, from beacons that go from room to room.
///
/// The way from one receiver's room to the other's is the same in both directions. So if two receivers are alike, the first hears
/// beacons in its own room better than the second does, by as much as the second hears those in its room better than the first. If
/// they are not, the mean of first minus second over both rooms is the difference of their gains. Nothing need be known of walls or
/// distances for that, only which room a beacon is in, most of the time.
///
/// On the recorded flat, with receivers made 4 dB (standard deviation) more or less sensitive, rooms were right in an hour: names
/// 79 % of the time in place of 70 %, outlines 80 % in place of 75 %.
struct ReceiverGains: Sendable {
  private let rooms: Int
  /// By hearer: the room that it hangs in; −1: in none.
  private let homes: [Int]
  /// By hearer, then room.
  private var tallies: [MeanError]
  /// By hearer, dB.
  private(set) var decibels: [Float]
  private var notes = 0
  /// Notes between two lessons: each compares all receivers with each other.
  private let pause: Int
  /// By room: stays that were long enough to count.
  private var visits: [Float]
  /// By track: how many windows of the beacon's stay in its room were noted.
  private var stays: [UInt8] = []
  /// By hearer: what an earlier run or configuration learnt, dB; of which hearers it learnt anything.
  private var adopted: [Float]
  private var hasAdopted = HearerSet()

  /// Words of a receiver in a room that are remembered: those of a dozen stays.
  private static let memory: Float = 2400
  /// So many words, and it is known how a receiver hears a room: 12 s at the least.
  private static let enough: Float = 40
  /// Windows of a stay that count: of a beacon that lies still for hours later ones say nothing new.
  private static let longest: UInt8 = 180
  /// A stay of so many windows, 6 s, counts as a visit.
  private static let visit: UInt8 = 20
  /// After so many visits to both rooms, the difference of two receivers counts half: signals at one place in a room may always be 5 dB
  /// off, which says nothing of the receiver.
  private static let half: Float = 4
  /// So many equal receivers speak against a difference.
  private static let doubt: Float = 1
  /// What was adopted counts as much as so many visits to each room, until there were as many new ones.
  private static let adoptedVisits: Float = 10
  /// dB. No more is adopted: boards seldom differ by more, and an earlier run may have had fewer rooms, and told beacons of the
  /// others in those. So what it learnt speaks for no room against another in which a beacon is heard better by 14 dB.
  private static let adoptedBounds: ClosedRange<Float> = -6...6
  /// dB. No excess is greater.
  private static let most: Float = 1000
  /// dB.
  private static let bounds: ClosedRange<Float> = -15...15

  init(_ plan: RoomPlan, _ grid: RoomGrid?) {
    rooms = plan.rooms.count
    homes = zip(plan.hearers, plan.places).map { hearer, place in
      if let room = plan.rooms.firstIndex(where: { $0.receivers.contains(hearer.receiver) }) { return room }
      guard let grid, let place,
        let cell = grid.cell(at: Point(x: place.position.x, y: place.position.y), floor: place.floor)
      else { return -1 }
      return Int(grid.rooms[cell])
    }
    tallies = [MeanError](repeating: MeanError(), count: plan.hearers.count * rooms)
    decibels = [Float](repeating: 0, count: plan.hearers.count)
    visits = [Float](repeating: 0, count: rooms)
    adopted = decibels
    pause = max(64, decibels.count * decibels.count / 32)
  }

  /// The beacon of a track is in another room.
  mutating func begin(_ track: Int) {
    while stays.count <= track { stays.append(0) }
    stays[track] = 0
  }

  /// The beacon of a track is where an earlier run knew it to be. What it says there was counted then: if it counted once more
  /// with each restart, an error that came of one odd place would be believed ever more.
  mutating func goOn(_ track: Int) {
    begin(track)
    stays[track] = Self.longest
  }

  /// Whether another window of a track's stay counts.
  mutating func counts(_ track: Int, in room: Int) -> Bool {
    guard stays.indices.contains(track), stays[track] < Self.longest else { return false }
    stays[track] += 1
    if stays[track] == Self.visit { visits[room] += 1 }
    return true
  }

  /// Notes how much stronger than expected a receiver heard a beacon that is in a room, dB; its own gain is not taken off.
  mutating func note(_ excess: Float, of hearer: Int, in room: Int) {
    let index = hearer * rooms + room
    guard tallies.indices.contains(index), excess.isFinite else { return }
    tallies[index].add(excess, memory: Self.memory)
    notes += 1
    if notes % pause == 0 { learn() }
  }

  private mutating func learn() {
    let doubt = Self.doubt / Float(max(decibels.count - 1, 1))
    let full = Self.weight(of: Self.adoptedVisits)
    for hearer in decibels.indices {
      var (sum, weights) = (Float(0), Self.doubt)
      for other in decibels.indices where other != hearer {
        var new = Float(0)
        if let own = excess(of: hearer, over: other, in: homes[hearer]),
          let others = excess(of: hearer, over: other, in: homes[other])
        {
          new = min(visits[homes[hearer]], visits[homes[other]])
          let weight = Self.weight(of: new)
          sum += weight * (own + others) / 2
          weights += weight
        }
        guard hasAdopted.contains(hearer), hasAdopted.contains(other) else { continue }
        let left = max(0, 1 - new / Self.adoptedVisits)
        // It was in doubt when it was learnt. Doubted again with each restart, it would be forgotten.
        sum += left * (full + doubt) * adopted[hearer]
        weights += left * full
      }
      decibels[hearer] = min(max(sum / weights, Self.bounds.lowerBound), Self.bounds.upperBound)
    }
  }

  /// Takes over what was learnt in an earlier run or configuration; nil: of this hearer nothing was.
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

  /// nil: too little is known.
  private func excess(of hearer: Int, over other: Int, in room: Int) -> Float? {
    guard room >= 0 else { return nil }
    let (own, others) = (tallies[hearer * rooms + room], tallies[other * rooms + room])
    return min(own.weight, others.weight) >= Self.enough ? own.decibels - others.decibels : nil
  }
}

extension ReceiverGains: StateFields {
  mutating func fields(_ coder: inout StateCoder) throws(StateError) {
    try coder(each: "tallies", &tallies)
    try coder(each: "decibels", &decibels)
    try coder(tally: "notes", &notes)
    try coder(each: "visits", &visits)
    try coder("stays", &stays)
    try coder(each: "adopted", &adopted)
    try coder("has_adopted", &hasAdopted)
    try coder.check(
      decibels.allSatisfy(Self.bounds.contains) && adopted.allSatisfy(Self.adoptedBounds.contains)
        && visits.allSatisfy { $0 >= 0 }
        && tallies.allSatisfy { abs($0.decibels) <= Self.most && (0...Self.memory).contains($0.weight) })
  }
}
