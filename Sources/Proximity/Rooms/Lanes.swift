import Glibc

/// Loads and stores eight adjacent floats. The compiler does not vectorise loops whose elements depend on neighbours.
struct Lanes {
  static let count = 8
  private let bytes: UnsafeMutableRawBufferPointer

  init(_ buffer: UnsafeMutableBufferPointer<Float>) { bytes = UnsafeMutableRawBufferPointer(buffer) }

  /// For reading only.
  init(_ buffer: UnsafeBufferPointer<Float>) {
    bytes = UnsafeMutableRawBufferPointer(mutating: UnsafeRawBufferPointer(buffer))
  }

  /// The eight elements from `place` on.
  subscript(place: Int) -> SIMD8<Float> {
    get { bytes.loadUnaligned(fromByteOffset: place * MemoryLayout<Float>.stride, as: SIMD8<Float>.self) }
    nonmutating set {
      bytes.storeBytes(of: newValue, toByteOffset: place * MemoryLayout<Float>.stride, as: SIMD8<Float>.self)
    }
  }
}

extension UnsafeMutableBufferPointer<Float> {
  /// Replaces each element, eight at a time.
  func transform(_ body: (SIMD8<Float>) -> SIMD8<Float>) {
    let (lanes, whole) = (Lanes(self), count & ~(Lanes.count - 1))
    for place in stride(from: 0, to: whole, by: Lanes.count) { lanes[place] = body(lanes[place]) }
    guard whole < count else { return }
    var rest = SIMD8<Float>(repeating: 1)
    for place in whole..<count { rest[place - whole] = self[place] }
    rest = body(rest)
    for place in whole..<count { self[place] = rest[place - whole] }
  }

  /// The largest element where another buffer is above 0.
  func most(where other: UnsafeMutableBufferPointer<Float>) -> Float {
    let (lanes, others, whole) = (Lanes(self), Lanes(other), count & ~(Lanes.count - 1))
    var mosts = SIMD8(repeating: -Float.infinity)
    for place in stride(from: 0, to: whole, by: Lanes.count) {
      mosts.replace(with: lanes[place], where: (lanes[place] .> mosts) .& (others[place] .> 0))
    }
    return (whole..<count).reduce(mosts.max()) { other[$1] > 0 ? Swift.max($0, self[$1]) : $0 }
  }

  /// Replaces each element by e to the power of what it is above `most`, at most 1.
  func exponentiate(most: Float) {
    transform { ($0 - most).replacing(with: 0, where: $0 .> most).exponential }
  }
}

/// The C library's functions take one number at a time, and that took half of the time of rooms. These are off by some 1e-7.
extension SIMD8<Float> {
  /// Adding it to a number below 2²² leaves the nearest whole number in the low bits.
  private static var magic: Float { 12_582_912 }
  private static var magicBits: Int32 { 0x4B40_0000 }
  private static var ln2: (high: Float, low: Float) { (0.693_359_375, -2.121_944_4e-4) }

  /// The natural logarithm of finite numbers above 0.
  @inline(__always) var logarithm: SIMD8<Float> {
    // Mantissa from √½ to √2, so that the result is small near 1.
    let root: Int32 = 0x3F35_04F3
    let bits = unsafeBitCast(self, to: SIMD8<Int32>.self) &+ (0x3F80_0000 - root)
    let mantissa = (bits & 0x007F_FFFF) &+ root
    let exponents = (bits &>> 23) &+ (Self.magicBits - 127)
    let exponent = unsafeBitCast(exponents, to: SIMD8<Float>.self) - Self.magic
    let x = unsafeBitCast(mantissa, to: SIMD8<Float>.self) - 1
    var sum = x * 7.037_683_6e-2 - 1.151_461_0e-1
    sum = sum * x + 1.167_699_9e-1
    sum = sum * x - 1.242_014_1e-1
    sum = sum * x + 1.424_932_3e-1
    sum = sum * x - 1.666_805_8e-1
    sum = sum * x + 2.000_071_5e-1
    sum = sum * x - 2.499_999_4e-1
    sum = sum * x + 3.333_333_1e-1
    let square = x * x
    let small = sum * square * x + exponent * Self.ln2.low - 0.5 * square
    return x + small + exponent * Self.ln2.high
  }

  /// e to the power of numbers from −infinity to 80.
  @inline(__always) var exponential: SIMD8<Float> {
    let bounded = replacing(with: -87, where: self .< -87)
    let shifted = bounded * 1.442_695_04 + Self.magic
    let whole = shifted - Self.magic
    let x = bounded - whole * Self.ln2.high - whole * Self.ln2.low
    var sum = x * 1.987_569_15e-4 + 1.398_199_95e-3
    sum = sum * x + 8.333_451_9e-3
    sum = sum * x + 4.166_579_6e-2
    sum = sum * x + 1.666_666_5e-1
    sum = sum * x + 5.000_000_1e-1
    let mantissa = sum * x * x + x + 1
    let exponents = (unsafeBitCast(shifted, to: SIMD8<Int32>.self) &- (Self.magicBits - 127)) &<< 23
    return mantissa * unsafeBitCast(exponents, to: SIMD8<Float>.self)
  }
}
