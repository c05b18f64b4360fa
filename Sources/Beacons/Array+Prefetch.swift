public import CPrefetch

extension Array {
  /// Asks for an element that will be read soon, so that it is in the cache by then; nobody waits for it.
  @inlinable package func prefetch(at index: Int) {
    guard indices.contains(index) else { return }
    unsafe withUnsafeBufferPointer { elements in
      guard let start = elements.baseAddress else { return }
      let element = unsafe UnsafeRawPointer(start + index)
      unsafe beaconkeeper_prefetch(element)
      // Half of the larger ones lie across two lines of the cache.
      unsafe beaconkeeper_prefetch(element + (MemoryLayout<Element>.size - 1))
    }
  }
}
