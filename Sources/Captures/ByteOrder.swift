import Beacons

/// The order a capture file was written in, which its magic number tells.
enum ByteOrder: Sendable {
  case big, little

  func integer16(_ bytes: Span<UInt8>, at offset: Int) -> UInt16 {
    self == .big ? bytes.bigEndian16(at: offset) : bytes.littleEndian16(at: offset)
  }

  func integer32(_ bytes: Span<UInt8>, at offset: Int) -> UInt32 {
    self == .big ? bytes.bigEndian32(at: offset) : bytes.littleEndian32(at: offset)
  }
}
