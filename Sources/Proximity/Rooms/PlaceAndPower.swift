import Glibc

/// Judges a beacon whose power nobody knows: place and power together. Each place is weighed by how well the receivers agree there,
/// whatever the power.
///
/// One power for all places would be that of the middle of the site, where hardly any of those that hear the beacon would be near:
/// on a site of forty rooms it was 20 dB too high, and the beacon seemed to be where those are that do not hear it. And a power
/// that is learnt from the first place believed in confirms that place, even if it is wrong: on the recorded flat that took up to
/// a minute to mend.
struct PlaceAndPower: Sendable {
  /// By place: how much stronger the beacon is than the maps say, if it is there.
  private var offsets: [Float] = []
  /// By place: how badly the receivers agree.
  private var misfits: [Float] = []
  private var products: [Float] = []

  /// dB by which beacons are stronger or weaker than the maps' one (standard deviation), where the maps have a power.
  private static let variety: Float = 10
  /// A power that is known this well, dB, is judged no longer: after 10 windows. For longer is better on the
  /// flat, by a percent, and worse on a simulated site of forty rooms, by six: believed power follows believed place.
  private static let known: Float = 3
  /// Products of so many misfits stay within the range of numbers.
  private static let group = 8

  /// How far a beacon's power may be from what is believed, dB; nil: it is known.
  ///
  /// - Parameter windows: those that speak for it.
  static func doubt(after windows: Float, _ model: RoomModel) -> Float? {
    guard !model.isCalibrated else { return nil }
    // Of a room that is just a name a receiver's level means nothing, only which of them hears best.
    guard model.grid != nil else { return windows == 0 ? .infinity : nil }
    let doubt = variety / (1 + windows).squareRoot()
    return doubt >= known ? doubt : nil
  }

  /// - Parameters:
  ///   - belief: where it may be before this was heard; after that it is to be normalised.
  ///   - doubt: as `doubt(after:_:)` says.
  ///   - temper: how much the window counts.
  mutating func judge(
    _ belief: UnsafeMutableBufferPointer<Float>, _ hearings: [RoomHearing], _ state: inout RoomTrack,
    _ model: RoomModel, doubt: Float, temper: Float
  ) {
    guard let first = hearings.first else { return }
    let freedom = RoomModel.freedom
    let count = belief.count
    if offsets.count != count {
      offsets = [Float](repeating: 0, count: count)
      misfits = offsets
      products = offsets
    }
    for place in 0..<count { offsets[place] = 0 }
    for hearing in hearings {
      let level = hearing.level - state.offset
      let map = model.maps.levels[hearing.hearer]
      for place in 0..<count { offsets[place] += level - map[place] }
    }
    let deviations = model.maps.deviations[first.hearer]
    for place in 0..<count {
      let ratio = deviations[place] / doubt
      offsets[place] /= Float(hearings.count) + ratio * ratio
      let z = offsets[place] / doubt
      products[place] = 1 + z * z / freedom
      misfits[place] = 0
    }
    // Deviations are the same everywhere, for nothing was measured: only their quotients count.
    for (index, hearing) in hearings.enumerated() {
      let level = hearing.level - state.offset
      let map = model.maps.levels[hearing.hearer]
      let deviations = model.maps.deviations[hearing.hearer]
      for place in 0..<count {
        let z = (level - offsets[place] - map[place]) / deviations[place]
        products[place] *= 1 + z * z / freedom
      }
      if index % Self.group == Self.group - 1 { gather() }
    }
    gather()
    weigh(belief, by: -(freedom + 1) / 2 * temper)
    var (sum, mean) = (Float(0), Float(0))
    for place in 0..<count {
      sum += belief[place]
      mean += belief[place] * offsets[place]
    }
    let offset = state.offset + mean / max(sum, 1e-30)
    state.offset = min(max(offset, RoomOffset.bounds.lowerBound), RoomOffset.bounds.upperBound)
    state.offsetWeight += 1
  }

  private mutating func gather() {
    for place in products.indices {
      misfits[place] += log(products[place])
      products[place] = 1
    }
  }

  private func weigh(_ belief: UnsafeMutableBufferPointer<Float>, by exponent: Float) {
    var least = Float.infinity
    for place in belief.indices where belief[place] > 0 { least = min(least, misfits[place]) }
    for place in belief.indices where belief[place] > 0 {
      belief[place] *= exp(exponent * (misfits[place] - least))
    }
  }
}
