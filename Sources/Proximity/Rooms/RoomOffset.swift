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
    _ belief: UnsafeMutableBufferPointer<Float>, _ hearings: [RoomHearing], _ offset: Float,
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

  /// dB by which beacons are stronger or weaker than the maps' one (standard deviation), where the maps have a power.
  private static let variety: Float = 10
  private static let freedom: Float = 5

  /// Judges the first that is heard of a beacon whose power nobody knows: place and power together. Each place is weighed by how
  /// well the receivers agree there, whatever the power. One power for all places would be that of the middle of the site, where
  /// hardly any of those that hear the beacon would be near: on a site of forty rooms it was 20 dB too high, and the beacon
  /// seemed to be where those are that do not hear it.
  ///
  /// - Parameter belief: where it may be before anything was heard; after that it is to be normalised.
  static func begin(
    _ belief: UnsafeMutableBufferPointer<Float>, _ hearings: [RoomHearing], _ state: inout RoomTrack,
    _ model: RoomModel
  ) {
    var offsets = [Float](repeating: 0, count: belief.count)
    var logs = [Float](repeating: -.infinity, count: belief.count)
    for place in belief.indices where belief[place] > 0 {
      var (sum, count) = (Float(0), Float(hearings.count))
      for hearing in hearings { sum += hearing.level - model.maps.levels[hearing.hearer][place] }
      if model.grid != nil, let first = hearings.first {
        let ratio = model.maps.deviations[first.hearer][place] / variety
        count += ratio * ratio
      }
      let offset = sum / count
      logs[place] = 0
      for hearing in hearings {
        let error = hearing.level - offset - model.maps.levels[hearing.hearer][place]
        logs[place] += model.logLikelihood(hearing.hearer, place, error: error)
      }
      if model.grid != nil {
        let z = offset / variety
        logs[place] -= (freedom + 1) / 2 * log1p(z * z / freedom)
      }
      offsets[place] = offset
    }
    let most = logs.max() ?? 0
    var (sum, mean) = (Float(0), Float(0))
    for place in belief.indices where belief[place] > 0 {
      belief[place] *= exp(logs[place] - most)
      sum += belief[place]
      mean += belief[place] * offsets[place]
    }
    state.offset = min(max(mean / max(sum, 1e-30), bounds.lowerBound), bounds.upperBound)
    state.offsetWeight = 1
  }

  static func learn(_ residual: Float, _ state: inout RoomTrack) {
    state.offsetWeight = min(state.offsetWeight + 1, memory)
    state.offset += residual / (state.offsetWeight + 1)
    state.offset = min(max(state.offset, bounds.lowerBound), bounds.upperBound)
  }
}
