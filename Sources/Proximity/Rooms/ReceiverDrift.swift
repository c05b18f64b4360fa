import Beacons
import Glibc

/// Whether receivers still hear the rooms as they did when those were calibrated. One that was moved, turned or hidden does
/// not, and no single advertisement shows it: the signal of a beacon at one place may always be 10 dB off. So what counts is the
/// mean error of each receiver in each room, over many visits.
///
/// A receiver's score is the logarithm of how much better its errors fit one that was moved than one that was not. In a simulated
/// house where nothing had changed scores stayed below 1, and below 2 on a recorded flat. Those of receivers that heard 18 dB less
/// were mostly 6 to 40.
struct ReceiverDrift: Sendable {
  private let rooms: Int
  /// By hearer, then room.
  private var tallies: [MeanError]
  /// The receiver that hears the rooms otherwise than calibrated, with dB.
  private(set) var moved: (hearer: Int, decibels: Float)?
  private var notes = 0

  /// Notes between two judgements.
  private static let pause = 16
  /// Notes of a visit to a room, and of how many visits are remembered.
  static let visit: Float = 10
  private static let memory: Float = 4 * visit
  /// Notes from which a room counts.
  private static let enough: Float = 3
  /// Standard deviations, dB: how far off a receiver is in a room always, how far on a visit beside that, and how far beside both if
  /// it was moved.
  private static let deviations: (room: Float, visit: Float, moved: Float) = (3, 4, 12)
  /// The score from which a receiver is told. It makes others look wrong, too, so it must be above theirs by as much.
  private static let proof: Float = 6
  /// One room proves nothing. So many rooms must be known; or the score must still be this without the room that says most.
  private static let least = 3
  private static let support: Float = 2

  init(hearers: Int, rooms: Int) {
    self.rooms = rooms
    tallies = [MeanError](repeating: MeanError(), count: hearers * rooms)
  }

  /// Notes how much stronger than expected a receiver heard a beacon that is in a room, dB. Notes of one beacon and
  /// receiver are to be some seconds apart.
  mutating func note(_ error: Float, of hearer: Int, in room: Int) {
    let index = hearer * rooms + room
    guard tallies.indices.contains(index), error.isFinite else { return }
    tallies[index].add(error, memory: Self.memory)
    notes += 1
    if notes % Self.pause == 0 { judge() }
  }

  /// How much the rooms that a receiver heard speak for that it was moved.
  private struct Score {
    /// Negative: they speak against it.
    var sum: Float = 0
    /// What one room says for it, at most.
    var greatest: Float = 0
    var rooms = 0
    var squares: Float = 0

    /// By how many dB it hears them otherwise (root of the mean square).
    var decibels: Float { (squares / Float(max(rooms, 1))).squareRoot() }

    mutating func add(_ tally: MeanError) {
      guard tally.weight >= enough else { return }
      let square = tally.decibels * tally.decibels
      let sound =
        deviations.room * deviations.room + deviations.visit * deviations.visit * visit / tally.weight
      let moved = sound + deviations.moved * deviations.moved
      let part = square / 2 * (1 / sound - 1 / moved) - log(moved / sound) / 2
      sum += part
      greatest = max(greatest, part)
      rooms += 1
      squares += square
    }
  }

  private func score(of hearer: Int) -> Score {
    var score = Score()
    for tally in tallies[(hearer * rooms)..<((hearer + 1) * rooms)] { score.add(tally) }
    return score
  }

  private mutating func judge() {
    var worst: (hearer: Int, score: Score)?
    var second: Float = 0
    for hearer in 0..<(tallies.count / max(rooms, 1)) {
      let score = score(of: hearer)
      if score.sum > worst?.score.sum ?? 0 {
        second = worst?.score.sum ?? 0
        worst = (hearer, score)
      } else {
        second = max(second, score.sum)
      }
    }
    if let worst, worst.score.sum >= second + Self.proof,
      worst.score.rooms >= min(Self.least, rooms) || worst.score.sum - worst.score.greatest >= Self.support
    {
      moved = (worst.hearer, worst.score.decibels)
    } else if let earlier = moved {
      let score = score(of: earlier.hearer)
      moved = score.sum < 0 ? nil : (earlier.hearer, score.decibels)
    }
  }
}

extension ReceiverDrift {
  func snapshot(into writer: inout StateWriter) {
    for tally in tallies { writer.write(tally) }
    writer.write(moved != nil)
    if let moved {
      writer.write(Int32(moved.hearer))
      writer.write(moved.decibels)
    }
    writer.write(UInt64(notes))
  }

  /// Of a new one for as many receivers and rooms.
  mutating func restore(from reader: inout StateReader) throws(StateError) {
    for index in tallies.indices { tallies[index] = try reader.read() }
    if try reader.read(Bool.self) {
      let hearer: Int32 = try reader.index(below: tallies.count / max(rooms, 1))
      moved = (Int(hearer), try reader.read())
    }
    notes = Int(try reader.tally())
    guard (moved?.decibels ?? 0).isFinite, tallies.allSatisfy({ $0.decibels.isFinite && $0.weight >= 0 })
    else {
      throw reader.damaged
    }
  }
}
