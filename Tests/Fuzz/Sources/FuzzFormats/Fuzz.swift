import Beacons
import Core
import Glibc

/// Every format's sample is a seed. libFuzzer reads its first folder, where it keeps what it finds, after this.
@_cdecl("LLVMFuzzerInitialize")
public func begin(
  _ count: UnsafeMutablePointer<CInt>,
  _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> CInt {
  let words = (1..<Int(count.pointee)).compactMap { arguments.pointee[$0].map { String(cString: $0) } }
  guard let folder = words.first(where: { !$0.hasPrefix("-") }) else { return 0 }
  for (number, sample) in FormatRegistry.samples.enumerated() {
    guard let octets = try? HexadecimalText.octets(sample.payload),
      let file = fopen("\(folder)/sample-\(number)-\(sample.format)", "w")
    else { continue }
    fwrite(octets, 1, octets.count, file)
    fclose(file)
  }
  return 0
}

/// Every decoder on whatever bytes: it gives a frame or a reason, and every reading lies inside the data.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let payload = Span(_unsafeStart: start, count: count)
  FrameDecoder.forEachFrame(in: payload) { result, data in check(result, data) }
  guard count >= 2 else { return 0 }
  let number = UInt16(payload[0]) | UInt16(payload[1]) << 8
  let data = payload.extracting(droppingFirst: 2)
  check(FrameDecoder.manufacturerData(data, company: number), data)
  check(FrameDecoder.serviceData(data, uuid: number), data)
  return 0
}

private func check(_ result: FrameResult, _ data: Span<UInt8>) {
  switch result {
  case .declined(let reason, _): precondition(!reason.description.isEmpty)
  case .frame(let frame, _):
    precondition(!frame.format.isEmpty)
    _ = frame.measuredPower
    if case .eddystoneURL(let frame) = frame { precondition(frame.url.hasPrefix("http")) }
    frame.forEachReading(in: data) { reading in
      precondition(!reading.name.isEmpty && reading.ordinal > 0)
      switch reading.value {
      case .number(let number): precondition(number.isFinite)
      case .text(let range), .bytes(let range): precondition(range.upperBound <= data.count)
      default: break
      }
    }
  }
}
