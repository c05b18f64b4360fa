/// All are inlined: if the text is in the source, its length is known, and copying it takes a few stores and no call.
extension OutputSpan<UInt8> {
  /// Appends all octets of a text. The standard library still copies them to a span one by one.
  @_lifetime(self: copy self)
  @inlinable @inline(__always)
  package mutating func append(contentsOf text: Span<UInt8>) {
    unsafe text.withUnsafeBytes { unsafe append(copying: $0) }
  }

  @_lifetime(self: copy self)
  @inlinable @inline(__always)
  package mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { unsafe append(copying: UnsafeRawBufferPointer($0)) }
  }

  /// Appends an integer's octets in the order in which they are in memory.
  @_lifetime(self: copy self)
  @inlinable @inline(__always)
  package mutating func append(octetsOf number: some FixedWidthInteger) {
    unsafe withUnsafeBytes(of: number) { unsafe append(copying: $0) }
  }

  @_lifetime(self: copy self)
  @inlinable @inline(__always)
  mutating func append(copying octets: UnsafeRawBufferPointer) {
    guard let first = octets.baseAddress else { return }
    precondition(octets.count <= freeCapacity, "no room for all octets")
    unsafe withUnsafeMutableBufferPointer { buffer, count in
      guard let room = buffer.baseAddress else { return }
      unsafe UnsafeMutableRawPointer(room + count).copyMemory(from: first, byteCount: octets.count)
      count += octets.count
    }
  }
}
