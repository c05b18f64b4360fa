import Captures

/// Marks on a recording: CSV.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  _ = try? RecordingMarks(Array(UnsafeBufferPointer(start: start, count: count)))
  return 0
}
