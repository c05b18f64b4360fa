import CaptureFuzzing

/// A btsnoop file from its datalink on.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  fuzzCapture(Array("btsnoop\0".utf8) + [0, 0, 0, 1], start, count)
  return 0
}
