import Glibc

/// Estimates place and power of a beacon of unknown power together. Each place is weighted by how well the receivers agree there,
/// for the best power.
///
/// One power for all places would be that for the middle of the site, where few of the receivers that hear the beacon are. On a
/// site of forty rooms it was 20 dB too high, and the beacon appeared near receivers that did not hear it. A power learnt at the
/// first estimated place confirms that place even if it is wrong. On the recorded flat it took up to a minute to correct that.
struct PlaceAndPower: Sendable {
  /// By place: how much stronger than the maps say the beacon would have to send if it were there, dB.
  private var offsets: [Float] = []
  /// By place: the misfit of the receivers' levels.
  private var misfits: [Float] = []
  private var products: [Float] = []

  /// Standard deviation of beacons' strength relative to the maps, dB, if the maps have a power.
  private static let variety: Float = 10
  /// Below this uncertainty, in dB, the power is fixed: after 10 windows. More windows are 1 % better on the flat, but 6 % worse on
  /// a simulated site of forty rooms, because the power then follows the estimated place.
  private static let known: Float = 3
  /// This many factors can be multiplied without overflow.
  private static let group = 8

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
  ///   - nearby: the places of the belief; nil: those of the model.
  mutating func judge(
    _ belief: UnsafeMutableBufferPointer<Float>, _ hearings: [RoomHearing], _ state: inout RoomTrack,
    _ model: RoomModel, doubt: Float, temper: Float, at nearby: NearbyRooms?
  ) {
    guard let first = hearings.first else { return }
    let freedom = RoomModel.freedom
    let count = belief.count
    if offsets.count != count {
      offsets = [Float](repeating: 0, count: count)
      misfits = offsets
      products = offsets
    }
    offsets.withUnsafeMutableBufferPointer { offsets in
      misfits.withUnsafeMutableBufferPointer { misfits in
        products.withUnsafeMutableBufferPointer { products in
          offsets.update(repeating: 0)
          for hearing in hearings {
            let level = hearing.level - state.offset
            model.levels(hearing.hearer, at: nearby).withUnsafeBufferPointer { map in
              for place in 0..<count { offsets[place] += level - map[place] }
            }
          }
          model.deviations(first.hearer, at: nearby).withUnsafeBufferPointer { deviations in
            for place in 0..<count {
              let ratio = deviations[place] / doubt
              offsets[place] /= Float(hearings.count) + ratio * ratio
              let z = offsets[place] / doubt
              products[place] = 1 + z * z / freedom
              misfits[place] = 0
            }
          }
          // Nothing was measured, so deviations are the same everywhere and cancel.
          for (index, hearing) in hearings.enumerated() {
            let level = hearing.level - state.offset
            model.levels(hearing.hearer, at: nearby).withUnsafeBufferPointer { map in
              model.deviations(hearing.hearer, at: nearby).withUnsafeBufferPointer { deviations in
                for place in 0..<count {
                  let z = (level - offsets[place] - map[place]) / deviations[place]
                  products[place] *= 1 + z * z / freedom
                }
              }
            }
            if index % Self.group == Self.group - 1 { Self.gather(products, into: misfits) }
          }
          Self.gather(products, into: misfits)
          Self.weigh(belief, misfits, by: -(freedom + 1) / 2 * temper)
        }
      }
    }
    var (sum, mean) = (Float(0), Float(0))
    for place in 0..<count {
      sum += belief[place]
      mean += belief[place] * offsets[place]
    }
    let offset = state.offset + mean / max(sum, 1e-30)
    state.offset = min(max(offset, RoomOffset.bounds.lowerBound), RoomOffset.bounds.upperBound)
    state.offsetWeight += 1
  }

  private static func gather(
    _ products: UnsafeMutableBufferPointer<Float>, into misfits: UnsafeMutableBufferPointer<Float>
  ) {
    products.transform { $0.logarithm }
    for place in products.indices { misfits[place] += products[place] }
    products.update(repeating: 1)
  }

  private static func weigh(
    _ belief: UnsafeMutableBufferPointer<Float>, _ misfits: UnsafeMutableBufferPointer<Float>,
    by exponent: Float
  ) {
    var least = Float.infinity
    for place in belief.indices where belief[place] > 0 { least = min(least, misfits[place]) }
    for place in belief.indices { misfits[place] = exponent * max(misfits[place] - least, 0) }
    misfits.transform { $0.exponential }
    for place in belief.indices { belief[place] *= misfits[place] }
  }
}
