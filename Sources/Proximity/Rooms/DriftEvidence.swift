import Glibc

/// What a receiver's errors in the rooms say of it. There are three cases: it hears as it did when the rooms were calibrated; it hears
/// all of them more or less than then, by the same; or it hangs elsewhere, and hears each otherwise.
struct DriftEvidence {
  /// Rooms that count.
  private var count: Float = 0
  /// Rooms that were heard since the receiver last changed.
  private(set) var rooms = 0
  private var squares: Float = 0
  /// Of the rooms' errors, dB: their sum and its weight, each room by its precision.
  private var weighted: Float = 0
  private var precision: Float = 0
  /// How much better the rooms fit a receiver that was moved, each by an error of its own, than one with no error at all (logarithm of
  /// a quotient of likelihoods).
  private(set) var score: Float = 0
  /// What one room says for that, at most.
  private var greatest: Float = 0

  /// Notes from which a room counts, and what the time before a change counts.
  static let enough: Float = 3
  /// Standard deviations, dB. A receiver that hears as before is off everywhere by so much, in a room by so much beside that, and on
  /// a visit by so much beside both; one that was moved or hidden, by so much beside all.
  private static let deviations: (everywhere: Float, room: Float, visit: Float, moved: Float) = (1, 3, 4, 12)
  /// Of a gain, dB.
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

  /// By how many dB it hears the rooms otherwise (root of the mean square).
  var decibels: Float { (squares / max(count, 1)).squareRoot() }

  /// How much better the rooms fit an error that they have in common, of about this many dB, than none.
  private func fit(_ deviation: Float) -> Float {
    let doubt = 1 / (deviation * deviation)
    return (weighted * weighted / (precision + doubt) - log(1 + precision / doubt)) / 2
  }

  private func gain(_ deviation: Float) -> Float { weighted / (precision + 1 / (deviation * deviation)) }

  private var everywhere: Float { fit(Self.deviations.moved) - fit(Self.deviations.everywhere) }
  private var elsewhere: Float { score - fit(Self.deviations.everywhere) }

  /// The same without the room that says most.
  var support: Float { score - greatest }

  private func share(of hypothesis: Float) -> Float {
    1 / (exp(-hypothesis) + exp(everywhere - hypothesis) + exp(elsewhere - hypothesis))
  }

  /// It probably hangs elsewhere.
  var isElsewhere: Bool { share(of: elsewhere) > 0.6 }

  /// How many dB more it hears everywhere: the mean of what is possible.
  var gain: Float {
    let expected =
      share(of: 0) * gain(Self.deviations.everywhere) + share(of: everywhere) * gain(Self.deviations.moved)
    return min(max(expected, Self.bounds.lowerBound), Self.bounds.upperBound)
  }
}
