@testable import Configuration

/// The file that `calibrate` writes: what is read is written again as it was read.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard let file = try? CalibrationFile(Array(UnsafeBufferPointer(start: start, count: count))) else {
    return 0
  }
  guard let again = try? CalibrationFile(file.text), again.text == file.text else {
    fatalError("what was written is read differently")
  }
  return 0
}
