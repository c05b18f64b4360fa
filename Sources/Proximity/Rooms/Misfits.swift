/// How badly the levels of several receivers fit each place.
///
/// A likelihood is a Student's t, `(deviation^(2/(ν+1)) · (1 + z²/ν))^(−(ν+1)/2 · temper)`, and the exponent is the same for all
/// receivers of a window. So the bases are multiplied, and a place needs one logarithm and one exponential for all receivers. Both
/// are polynomials of eight places at a time, with the same result on every machine.
struct Misfits: Sendable {
  /// By place, in whole lanes: the product of the bases, and log2 of the earlier ones.
  private var products: [Float] = []
  private var logs: [Float] = []
  /// Number of bases in `products`.
  private var factors = 0
  private var hasLogs = false

  /// This many bases can be multiplied without overflow.
  private static let group = 8
  /// The exponent of the product, without temper.
  static let exponent = -(RoomModel.freedom + 1) / 2

  /// Begins a window of no levels.
  mutating func begin(_ count: Int) {
    let whole = Lanes.whole(count)
    if products.count != whole {
      products = [Float](repeating: 1, count: whole)
      logs = products
    }
    (factors, hasLogs) = (0, false)
  }

  /// Adds the level of a receiver, dBm, of a beacon that is this much stronger than the maps say, by place.
  mutating func add(_ map: SignalMap, level: Float, above offsets: [Float]) {
    guard case .everywhere(let base, let slope) = map.spread else { return add(map, level: level) }
    multiply { place in
      let error = level - offsets.lanes(place) - map.levels.lanes(place)
      return base + error * error * slope
    }
  }

  /// Adds the level of a receiver, dBm.
  mutating func add(_ map: SignalMap, level: Float) {
    switch map.spread {
    case .everywhere(let base, let slope):
      multiply { place in
        let error = level - map.levels.lanes(place)
        return base + error * error * slope
      }
    case .byPlace(let bases, let slopes):
      multiply { place in
        let error = level - map.levels.lanes(place)
        return bases.lanes(place) + error * error * slopes.lanes(place)
      }
    case .counted(let bases):
      // NaN counts as the weakest level.
      let bounded = level > Float(RoomModel.lowest) ? min(level, 0) : Float(RoomModel.lowest)
      let row = (Int(bounded.rounded()) - RoomModel.lowest) * products.count
      multiply { bases.lanes(row + $0) }
    }
  }

  /// Multiplies by the bases at eight places from each on.
  @inline(__always)
  mutating func multiply(by bases: (Int) -> SIMD8<Float>) {
    if factors == Self.group { gather() }
    let isFirst = factors == 0
    products.withUnsafeMutableBufferPointer { buffer in
      let products = Lanes(buffer)
      for place in stride(from: 0, to: buffer.count, by: Lanes.count) {
        products[place] = isFirst ? bases(place) : products[place] * bases(place)
      }
    }
    factors += 1
  }

  private mutating func gather() {
    let (isFirst, hasFactors) = (!hasLogs, factors > 0)
    products.withUnsafeMutableBufferPointer { products in
      logs.withUnsafeMutableBufferPointer { buffer in
        let (logs, products) = (Lanes(buffer), Lanes(products))
        for place in stride(from: 0, to: buffer.count, by: Lanes.count) {
          let log = hasFactors ? log2(products[place]) : .zero
          logs[place] = isFirst ? log : logs[place] + log
        }
      }
    }
    (factors, hasLogs) = (0, true)
  }

  /// Multiplies a belief by the likelihoods, the greatest of which is 1.
  ///
  /// - Parameter exponent: of the product; not positive.
  mutating func weigh(_ belief: UnsafeMutableBufferPointer<Float>, by exponent: Float) {
    gather()
    logs.withUnsafeBufferPointer { buffer in
      let logs = Lanes(buffer)
      var least = SIMD8<Float>(repeating: .infinity)
      belief.eachLanes { place, belief in
        let log = logs[place].replacing(with: .infinity, where: belief .<= 0)
        least.replace(with: log, where: log .< least)
      }
      let best = least.min()
      guard best.isFinite else { return }
      belief.eachLanes { place, belief in
        let power = exponent * (logs[place] - best)
        belief *= exp2(power.replacing(with: 0, where: power .> 0))
      }
    }
  }
}

extension [Float] {
  /// Visits eight elements at a time.
  @inline(__always)
  mutating func eachLanes(_ body: (Int, inout SIMD8<Float>) -> Void) {
    withUnsafeMutableBufferPointer { $0.eachLanes(body) }
  }

  /// The eight elements from `place` on.
  @inline(__always)
  func lanes(_ place: Int) -> SIMD8<Float> { withUnsafeBufferPointer { Lanes($0)[place] } }
}

extension UnsafeMutableBufferPointer<Float> {
  /// Visits eight elements at a time; beyond the last one are zeros.
  @inline(__always)
  func eachLanes(_ body: (Int, inout SIMD8<Float>) -> Void) {
    let lanes = Lanes(self)
    var place = 0
    while place + Lanes.count <= count {
      body(place, &lanes[place])
      place += Lanes.count
    }
    guard place < count else { return }
    var rest = SIMD8<Float>.zero
    for other in place..<count { rest[other - place] = self[other] }
    body(place, &rest)
    for other in place..<count { self[other] = rest[other - place] }
  }
}

/// The logarithm of positive numbers, to 3e-7 of the mantissa's part.
@inline(__always)
func log2(_ numbers: SIMD8<Float>) -> SIMD8<Float> {
  let bits = unsafeBitCast(numbers, to: SIMD8<UInt32>.self)
  // 2^23 + exponent, as the mantissa of a number of that size.
  let exponents =
    unsafeBitCast((bits &>> 23) | 0x4B00_0000, to: SIMD8<Float>.self) - Float(1 << 23 + 127)
  let x = unsafeBitCast((bits & 0x7F_FFFF) | 0x3F80_0000, to: SIMD8<Float>.self) - 1
  var log = SIMD8<Float>(repeating: -0.012370624)
  log = log * x + 0.06378753
  log = log * x - 0.15559986
  log = log * x + 0.25617963
  log = log * x - 0.35345465
  log = log * x + 0.48007375
  log = log * x - 0.72131073
  log = log * x + 1.4426948
  return exponents + log * x
}

/// 2 to the power of numbers that are not positive, to 2e-7; below 2^−126, 2^−126.
@inline(__always)
func exp2(_ numbers: SIMD8<Float>) -> SIMD8<Float> {
  let bounded = numbers.replacing(with: -126, where: numbers .< -126)
  // The nearest whole number is in the last bits of this sum.
  let sum = bounded + Float(3 << 22)
  let x = bounded - (sum - Float(3 << 22))
  var power = SIMD8<Float>(repeating: 0.0013400433)
  power = power * x + 0.009676037
  power = power * x + 0.05550327
  power = power * x + 0.24022107
  power = power * x + 0.6931472
  power = power * x + 1
  let bits =
    unsafeBitCast(power, to: SIMD8<UInt32>.self) &+ (unsafeBitCast(sum, to: SIMD8<UInt32>.self) &<< 23)
  return unsafeBitCast(bits, to: SIMD8<Float>.self)
}
