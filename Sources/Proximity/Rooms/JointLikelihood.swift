/// How well the levels of all receivers together fit each cell.
///
/// Most factors of a cell have the same exponent, so they are multiplied first, and the power is taken once. A table for each
/// receiver and level would be 150 MB for 64 receivers, and making it took most of the time.
struct JointLikelihood: Sendable {
  /// By cell: the logarithm of the likelihood so far, and the factors that are not in it.
  private var logs: [Float] = []
  private var products: [Float] = []

  /// More factors could overflow.
  private static let group = 8

  /// Multiplies the belief by the likelihoods of levels. The caller normalises it afterwards.
  ///
  /// - Parameter level: the level of each receiver for a beacon of the maps' strength, and its weight as an exponent.
  mutating func weigh(
    _ belief: UnsafeMutableBufferPointer<Float>, by levels: [(hearer: Int, level: Float, temper: Float)],
    _ model: RoomModel
  ) {
    let count = belief.count
    if logs.count != count {
      (logs, products) = ([Float](repeating: 0, count: count), Array(repeating: 1, count: count))
    }
    logs.withUnsafeMutableBufferPointer { logs in
      products.withUnsafeMutableBufferPointer { products in
        logs.update(repeating: 0)
        var factors = 0
        for (index, level) in levels.enumerated() {
          model.multiply(products, byFactorOf: level.hearer, level: level.level)
          factors += 1
          let isLast = index + 1 == levels.count || levels[index + 1].temper != level.temper
          guard isLast || factors == Self.group else { continue }
          factors = 0
          products.transform { $0.logarithm }
          let exponent = -(RoomModel.freedom + 1) / 2 * level.temper
          for place in 0..<count { logs[place] += exponent * products[place] }
          products.update(repeating: 1)
        }
        logs.exponentiate(most: logs.most(where: belief))
        for place in 0..<count { belief[place] *= logs[place] }
      }
    }
  }
}
