public import CPrefetch

extension Array {
  /// Prefetches an element that will be read soon into the cache, without waiting for it.
  @inlinable package func prefetch(at index: Int) {
    guard indices.contains(index) else { return }
    unsafe withUnsafeBufferPointer { elements in
      guard let start = elements.baseAddress else { return }
      let element = unsafe UnsafeRawPointer(start + index)
      unsafe beaconkeeper_prefetch(element)
      // A larger element often spans two cache lines.
      unsafe beaconkeeper_prefetch(element + (MemoryLayout<Element>.size - 1))
    }
  }
}
