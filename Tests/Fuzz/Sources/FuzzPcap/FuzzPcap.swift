import CaptureFuzzing

/// A pcap or pcapng file; the first byte picks which, and its byte order.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard count > 0 else { return 0 }
  let heads: [[UInt8]] = [
    [0xA1, 0xB2, 0xC3, 0xD4], [0xD4, 0xC3, 0xB2, 0xA1], [0xA1, 0xB2, 0x3C, 0x4D], [0x4D, 0x3C, 0xB2, 0xA1],
    [0x0A, 0x0D, 0x0D, 0x0A],
  ]
  fuzzCapture(heads[Int(start[0]) % heads.count], start + 1, count - 1)
  return 0
}
