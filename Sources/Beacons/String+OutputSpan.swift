extension String {
  /// A text of at most so many octets of UTF-8, written in place: by way of an array it would take a second allocation.
  @inlinable @inline(__always)
  package init(utf8Capacity octets: Int, initializingWith write: (inout OutputSpan<UInt8>) -> Void) {
    unsafe self.init(unsafeUninitializedCapacity: octets) { room in
      var text = unsafe OutputSpan(buffer: room, initializedCount: 0)
      write(&text)
      return unsafe text.finalize(for: room)
    }
  }
}
