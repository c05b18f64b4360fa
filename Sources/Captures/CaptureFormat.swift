import Beacons
/// The kind of capture, judged by its first bytes.
enum CaptureFormat: Equatable, Sendable {
  case btsnoop
  case pcap
  case pcapng
  case text

  /// How many bytes that takes, unless the file is shorter.
  static let prefixLength = 8

  static func detect(_ bytes: Span<UInt8>) throws(CaptureError) -> Self {
    guard !bytes.isEmpty else {
      throw CaptureError(
        .empty, at: .start, "the capture is empty; was the recording stopped before it began?")
    }
    if bytes.count >= 8, bytes.bigEndian64(at: 0) == 0x6274_736E_6F6F_7000 { return .btsnoop }
    if bytes.count >= 4 {
      switch bytes.bigEndian32(at: 0) {
      case 0xA1B2_C3D4, 0xD4C3_B2A1, 0xA1B2_3C4D, 0x4D3C_B2A1: return .pcap
      case 0x0A0D_0D0A: return .pcapng
      default: break
      }
    }
    if bytes.count >= 2, bytes.bigEndian16(at: 0) == 0x1F8B {
      throw CaptureError(
        .compressed, at: .start, "this is gzip; unpack it first, for example: gunzip -c FILE | … --capture -")
    }
    for index in bytes.indices where !TextLines.isBlank(bytes[index]) {
      if bytes[index] == UInt8(ascii: "{") { return .text }
      // A byte order mark before the text.
      if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { return .text }
      throw CaptureError(
        .unknownFormat, at: .start,
        "not a capture that can be read: it must be btsnoop, pcap, pcapng, or one JSON object per line")
    }
    return .text
  }
}
