#if compiler(<6.3)
  extension [UInt8] {
    /// Appends the octets that `write` writes, up to a limit. The standard library has this from 6.3 on.
    package mutating func append(
      addingCapacity room: Int, initializingWith write: (inout OutputSpan<UInt8>) -> Void
    ) {
      let start = count
      append(contentsOf: repeatElement(0, count: room))
      let used = unsafe withUnsafeMutableBufferPointer { octets in
        let rest = unsafe UnsafeMutableBufferPointer(rebasing: octets[start...])
        var span = unsafe OutputSpan(buffer: rest, initializedCount: 0)
        write(&span)
        return unsafe span.finalize(for: rest)
      }
      removeLast(room - used)
    }
  }
#endif
