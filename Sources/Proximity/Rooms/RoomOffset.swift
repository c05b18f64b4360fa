import Glibc

/// How much stronger or weaker all receivers hear a beacon than the maps say: its power, its battery, the pocket that it is in.
/// It is learnt from where the beacon is believed to be, so nobody has to know the beacon's power.
enum RoomOffset {
  /// Windows over which it is learnt, at last: half a minute.
  private static let memory: Float = 75
  /// So many windows speak for no offset from the start, if the rooms were calibrated.
  static let calibrated: Float = 40
  /// An error of this many dB counts half.
  private static let odd: Float = 8
  /// dB. In rooms without outlines a receiver expects 0 dBm in its own, and hears −100 dBm of a weak beacon.
  static let bounds: ClosedRange<Float> = -127...60

  /// The mean error of what was heard; odd ones count less.
  static func residual(
    _ belief: UnsafeBufferPointer<Float>, _ hearings: ArraySlice<RoomHearing>, _ offset: Float,
    _ model: RoomModel,
    _ filter: RoomFilter
  ) -> Float {
    var (sum, weights) = (Float(0), Float(0))
    for hearing in hearings {
      let error = hearing.level - offset - model.expectedLevel(hearing.hearer, belief, filter)
      let weight = 1 / (1 + (error / odd) * (error / odd))
      sum += weight * error
      weights += weight
    }
    return weights > 0 ? sum / weights : 0
  }

  static func learn(_ residual: Float, _ state: inout RoomTrack) {
    state.offsetWeight = min(state.offsetWeight + 1, memory)
    state.offset += residual / (state.offsetWeight + 1)
    state.offset = min(max(state.offset, bounds.lowerBound), bounds.upperBound)
  }
}
