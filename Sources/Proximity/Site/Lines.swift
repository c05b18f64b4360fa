import Glibc

/// A zone's thresholds as lines: near, enter, rearm and exit, in the order of the bits of a `Standing`. All are compared at once
/// without branches, because noisy signals defeat branch prediction.
struct Lines: Sendable {
  private let values: SIMD4<Float>
  private let areDistances: SIMDMask<SIMD4<Int32>>
  /// See `Line.isAnySignal`.
  let entersByAnySignal: Bool

  init(near: Line, enter: Line, rearm: Line, exit: Line) {
    values = SIMD4(near.value, enter.value, rearm.value, exit.value)
    areDistances = SIMDMask([near.isDistance, enter.isDistance, rearm.isDistance, exit.isDistance])
    entersByAnySignal = enter.isAnySignal
  }

  @inline(__always) func standing(of nearest: Nearest) -> Standing {
    // A distance must be beyond the line by its margin. Signals have no margin.
    let distance = nearest.logDistance + nearest.margin * SIMD4(1, 1, -1, -1)
    let place = SIMD4(repeating: -nearest.level).replacing(with: distance, where: areDistances)
    // A value on the line counts for both sides.
    let near = SIMD4<Int32>.zero.replacing(with: SIMD4(1, 2, 0, 0), where: place .<= values)
    let far = SIMD4<Int32>.zero.replacing(with: SIMD4(0, 0, 4, 8), where: place .>= values)
    return Standing(rawValue: UInt8(truncatingIfNeeded: (near | far).wrappedSum()))
  }
}

/// The thresholds that a beacon is within or beyond.
struct Standing: OptionSet, Sendable {
  let rawValue: UInt8
  static let near = Standing(rawValue: 1)
  static let entered = Standing(rawValue: 2)
  static let rearmed = Standing(rawValue: 4)
  static let away = Standing(rawValue: 8)
}

/// A threshold as configured, and as a line.
struct Boundary: Sendable {
  let threshold: Threshold
  let line: Line

  init(_ threshold: Threshold) {
    self.threshold = threshold
    switch threshold {
    case .distance(let metres): line = Line(isDistance: true, value: Float(log10(max(metres, 1e-3))))
    case .signal(let level): line = Line(isDistance: false, value: -Float(level))
    }
  }

  var isDistance: Bool { line.isDistance }
}

/// A threshold in the engine's unit: log10 of metres, or negated dBm. Farther is larger.
struct Line: Sendable {
  let isDistance: Bool
  let value: Float

  /// A line that is never crossed: comparisons with NaN are false.
  static let none = Line(isDistance: false, value: .nan)

  /// Whether any reception is enough, even without a signal. −127 dBm is the weakest that a radio reports.
  var isAnySignal: Bool { !isDistance && value >= 127 }
}
