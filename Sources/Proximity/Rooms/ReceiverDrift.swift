import Beacons

/// Whether receivers still hear the rooms as they did when those were calibrated. One that was moved, turned or hidden does
/// not, and no single advertisement shows it: the signal of a beacon at one place may always be 10 dB off. So what counts is the
/// mean error of each receiver in each room, over many visits.
///
/// What a receiver hears more or less everywhere is taken off what it hears, long before it is certain; one that probably hangs
/// elsewhere is not believed. On the recorded flat, with one of six receivers 12 dB more or less sensitive, rooms with outlines were
/// right 84 % of the time in place of 79 %; with one of four, 74 % in place of 64 %.
struct ReceiverDrift: Sendable {
  private let rooms: Int
  /// By hearer, then room.
  private var tallies: [MeanError]
  /// The receiver that hears the rooms otherwise than calibrated, with dB.
  private(set) var moved: (hearer: Int, decibels: Float)?
  /// By hearer: how many dB more it hears than when the rooms were calibrated, as far as that is believed.
  private(set) var gains: [Float]
  /// Those that probably hang elsewhere, so that what they hear says nothing.
  private(set) var elsewhere = HearerSet()
  /// By hearer: whether what it hears rose or fell lately. The mean over four visits to each room would show it late.
  private var changes: [(rise: CumulativeSum, fall: CumulativeSum)]
  private var notes = 0

  /// Notes between two judgements.
  private static let pause = 16
  /// Notes of a visit to a room, and of how many visits are remembered.
  static let visit: Float = 10
  private static let memory: Float = 4 * visit
  /// dB. No error is greater.
  private static let most: Float = 100
  /// The score from which a receiver is told. It makes others look wrong, too, so it must be above theirs by as much.
  private static let proof: Float = 6
  /// One room proves nothing. So many rooms must have been heard since the last change; or the score must still be this without the
  /// room that says most.
  private static let least = 3
  private static let support: Float = 2

  init(hearers: Int, rooms: Int) {
    self.rooms = rooms
    tallies = [MeanError](repeating: MeanError(), count: hearers * rooms)
    gains = [Float](repeating: 0, count: hearers)
    changes = Array(repeating: (CumulativeSum(), CumulativeSum()), count: hearers)
  }

  /// Notes how much stronger than expected a receiver heard a beacon that is in a room, dB. Notes of one beacon and
  /// receiver are to be some seconds apart.
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

  /// - Parameter rise: by how much a receiver hears a room better than it did, dB.
  private mutating func noteChange(_ rise: Float, of hearer: Int) {
    guard
      let change = changes[hearer].rise.note(rise) ?? changes[hearer].fall.note(-rise).map({ -$0 })
    else { return }
    // All rooms are shifted. They count at once, but little: what is heard next soon outweighs it.
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
