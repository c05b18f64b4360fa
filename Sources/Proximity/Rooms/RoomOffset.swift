import Glibc

/// The strength of a beacon relative to the maps, at all receivers: it depends on its power, its battery and the pocket it is in.
/// It is learnt from the estimated position, so the beacon's power need not be known.
enum RoomOffset {
  /// Maximum number of windows over which the offset is averaged: about 22 s.
  private static let memory: Float = 75
  /// Initial weight of a zero offset in calibrated rooms, windows.
  static let calibrated: Float = 40
  /// An error of this many dB has half weight.
  private static let odd: Float = 8
  /// Limits, dB. Without outlines a receiver's expected level in its own room is 0 dBm, and a weak beacon has −100 dBm.
  static let bounds: ClosedRange<Float> = -127...60

  /// The mean error of the levels, dB. Large errors have less weight.
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
