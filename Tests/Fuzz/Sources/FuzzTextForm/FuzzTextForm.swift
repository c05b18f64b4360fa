import CaptureFuzzing

/// Lines of the text form from the first brace on.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  fuzzCapture([UInt8(ascii: "{")], start, count)
  return 0
}
