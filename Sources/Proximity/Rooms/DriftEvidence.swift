import Glibc

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
