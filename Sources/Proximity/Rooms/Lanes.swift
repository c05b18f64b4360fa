/// Eight neighbouring numbers of a buffer at a time: the compiler does not find them itself where a number needs its neighbours.
struct Lanes {
  static let count = 8
  private let bytes: UnsafeMutableRawBufferPointer

  init(_ buffer: UnsafeMutableBufferPointer<Float>) { bytes = UnsafeMutableRawBufferPointer(buffer) }

  /// To read from.
  init(_ buffer: UnsafeBufferPointer<Float>) {
    bytes = UnsafeMutableRawBufferPointer(mutating: UnsafeRawBufferPointer(buffer))
  }

  /// From a place to the seventh after it.
  subscript(place: Int) -> SIMD8<Float> {
    get { bytes.loadUnaligned(fromByteOffset: place * MemoryLayout<Float>.stride, as: SIMD8<Float>.self) }
    nonmutating set {
      bytes.storeBytes(of: newValue, toByteOffset: place * MemoryLayout<Float>.stride, as: SIMD8<Float>.self)
    }
  }
}
