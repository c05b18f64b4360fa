import Core

/// pcap in its four variants: microseconds or nanoseconds, in either byte order.
/// Source: draft-ietf-opsawg-pcap.
struct PcapRecords: Sendable {
  static let headerLength = 24
  static let recordHeaderLength = 16
  static let longestPacket = 1 << 17

  let order: ByteOrder
  let hasNanoseconds: Bool
  let link: LinkLayer

  init(header: Span<UInt8>) throws(CaptureError) {
    let magic = header.bigEndian32(at: 0)
    order = magic == 0xA1B2_C3D4 || magic == 0xA1B2_3C4D ? .big : .little
    hasNanoseconds = magic == 0xA1B2_3C4D || magic == 0x4D3C_B2A1
    let major = order.integer16(header, at: 4)
    guard major == 2 else {
      throw CaptureError(.unsupported, at: .byte(4), "pcap version \(major); only version 2 is known")
    }
    // The upper bits describe frame check sequences.
    link = try LinkLayer(order.integer32(header, at: 20) & 0xFFFF, at: .byte(20))
  }

  /// Reads one record and returns its length; 0 if it is incomplete.
  func read(_ bytes: Span<UInt8>, at offset: Int64, into output: inout CaptureOutput) throws(CaptureError)
    -> Int
  {
    guard bytes.count >= Self.recordHeaderLength else { return 0 }
    let included = Int(order.integer32(bytes, at: 8))
    guard included <= Self.longestPacket else { throw .overlong(included, at: offset) }
    let end = Self.recordHeaderLength + included
    guard bytes.count >= end else { return 0 }
    let fraction = Int64(order.integer32(bytes, at: 4)) * (hasNanoseconds ? 1 : 1000)
    let wallTime = WallTime(nanoseconds: Int64(order.integer32(bytes, at: 0)) * 1_000_000_000 + fraction)
    link.append(
      bytes.extracting(Self.recordHeaderLength..<end), adapter: nil, wallTime: wallTime, to: &output)
    return end
  }
}
