import Core

/// The byte order of a capture file, as its magic number shows.
enum ByteOrder: Sendable {
  case big, little

  func integer16(_ bytes: Span<UInt8>, at offset: Int) -> UInt16 {
    self == .big ? bytes.bigEndian16(at: offset) : bytes.littleEndian16(at: offset)
  }

  func integer32(_ bytes: Span<UInt8>, at offset: Int) -> UInt32 {
    self == .big ? bytes.bigEndian32(at: offset) : bytes.littleEndian32(at: offset)
  }
}
