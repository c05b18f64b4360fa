/// Estimates place and power of a beacon of unknown power together. Each place is weighted by how well the receivers agree there,
/// for the best power.
///
/// One power for all places would be that for the middle of the site, where few of the receivers that hear the beacon are. On a
/// site of forty rooms it was 20 dB too high, and the beacon appeared near receivers that did not hear it. A power learnt at the
/// first estimated place confirms that place even if it is wrong. On the recorded flat it took up to a minute to correct that.
struct PlaceAndPower: Sendable {
  /// By place: how much stronger than the maps say the beacon would have to send if it were there, dB.
  private var offsets: [Float] = []

  /// Standard deviation of beacons' strength relative to the maps, dB, if the maps have a power.
  private static let variety: Float = 10
  /// Below this uncertainty, in dB, the power is fixed: after 10 windows. More windows are 1 % better on the flat, but 6 % worse on
  /// a simulated site of forty rooms, because the power then follows the estimated place.
  private static let known: Float = 3

  /// Uncertainty of a beacon's power, dB; nil: it is known.
  ///
  /// - Parameter windows: number of windows that contributed to the power.
  static func doubt(after windows: Float, _ model: RoomModel) -> Float? {
    guard !model.isCalibrated else { return nil }
    // Without outlines the absolute level has no meaning, only which receiver hears best.
    guard model.grid != nil else { return windows == 0 ? .infinity : nil }
    let doubt = variety / (1 + windows).squareRoot()
    return doubt >= known ? doubt : nil
  }

  /// - Parameters:
  ///   - belief: the belief before this window. The caller normalises it afterwards.
  ///   - doubt: the result of `doubt(after:_:)`.
  ///   - temper: weight of the window, as an exponent.
  mutating func judge(
    _ belief: UnsafeMutableBufferPointer<Float>, _ hearings: [RoomHearing], _ state: inout RoomTrack,
    _ model: RoomModel, _ misfits: inout Misfits, doubt: Float, temper: Float
  ) {
    guard !hearings.isEmpty else { return }
    let count = Lanes.whole(belief.count)
    if offsets.count != count { offsets = [Float](repeating: 0, count: count) }
    for place in 0..<count { offsets[place] = 0 }
    for hearing in hearings {
      let level = hearing.level - state.offset
      let map = model.maps[hearing.hearer]
      offsets.eachLanes { place, offset in offset += level - map.levels.lanes(place) }
    }
    // Nothing was measured, so deviations are the same everywhere.
    let ratio = SignalMaps.usualDeviation / doubt
    let share = 1 / (Float(hearings.count) + ratio * ratio)
    offsets.eachLanes { _, offset in offset *= share }
    misfits.begin(belief.count)
    let slope = 1 / (doubt * doubt * RoomModel.freedom)
    misfits.multiply { place in
      let offset = offsets.lanes(place)
      return 1 + offset * offset * slope
    }
    for hearing in hearings {
      misfits.add(model.maps[hearing.hearer], level: hearing.level - state.offset, above: offsets)
    }
    misfits.weigh(belief, by: Misfits.exponent * temper)
    var (sums, means) = (SIMD8<Float>.zero, SIMD8<Float>.zero)
    belief.eachLanes { place, belief in
      sums += belief
      means += belief * offsets.lanes(place)
    }
    let (sum, mean) = (sums.sum(), means.sum())
    let offset = state.offset + mean / max(sum, 1e-30)
    state.offset = min(max(offset, RoomOffset.bounds.lowerBound), RoomOffset.bounds.upperBound)
    state.offsetWeight += 1
  }
}
