import Core

/// Which part of the buffer is unread, and its offset in the file.
struct CapturePlace {
  var offset: Int64
  var range: Range<Int>
  var isAtEnd: Bool
}

/// The records of a capture in any format.
struct CaptureRecords: Sendable {
  private enum Reader {
    case undecided
    case btsnoop(BtsnoopRecords)
    case pcap(PcapRecords)
    case pcapng
    case text
  }

  private var reader = Reader.undecided
  private var pcapng = PcapngBlocks()
  private var text = TextLines()

  /// - Parameter isLive: see `TextLines`.
  init(isLive: Bool) { text.isLive = isLive }

  /// Whether bytes left at the end are allowed. The text format has already reported them.
  var mayEnd: Bool { if case .text = reader { true } else { false } }

  /// Reads one record and returns its length: beyond the unread bytes if the record is to be skipped,
  /// and 0 if it is incomplete.
  mutating func read(
    _ buffer: borrowing [UInt8], _ place: CapturePlace, into output: inout CaptureOutput
  ) throws(CaptureError) -> Int {
    let bytes = buffer.span.extracting(place.range)
    switch reader {
    case .btsnoop(let records): return try records.read(bytes, at: place.offset, into: &output)
    case .pcap(let records): return try records.read(bytes, at: place.offset, into: &output)
    case .pcapng: return try pcapng.read(bytes, at: place.offset, into: &output)
    case .text: return try text.read(bytes, atEnd: place.isAtEnd, into: &output)
    case .undecided:
      guard bytes.count >= CaptureFormat.prefixLength || place.isAtEnd else { return 0 }
      return try readHeader(bytes, place, into: &output)
    }
  }

  private mutating func readHeader(
    _ bytes: Span<UInt8>, _ place: CapturePlace, into output: inout CaptureOutput
  ) throws(CaptureError) -> Int {
    switch try CaptureFormat.detect(bytes, isLive: text.isLive) {
    case .btsnoop:
      guard bytes.count >= BtsnoopRecords.headerLength else { return 0 }
      reader = .btsnoop(try BtsnoopRecords(header: bytes))
      return BtsnoopRecords.headerLength
    case .pcap:
      guard bytes.count >= PcapRecords.headerLength else { return 0 }
      reader = .pcap(try PcapRecords(header: bytes))
      return PcapRecords.headerLength
    case .pcapng:
      reader = .pcapng
      return try pcapng.read(bytes, at: place.offset, into: &output)
    case .text:
      reader = .text
      return try text.read(bytes, atEnd: place.isAtEnd, into: &output)
    }
  }
}

/// The kind of capture, judged by its first bytes.
enum CaptureFormat: Equatable, Sendable {
  case btsnoop
  case pcap
  case pcapng
  case text

  /// How many bytes are needed to decide, unless the file is shorter.
  static let prefixLength = 8

  /// - Parameter isLive: other text may precede the first object, as a program says that it starts.
  static func detect(_ bytes: Span<UInt8>, isLive: Bool = false) throws(CaptureError) -> Self {
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
      if bytes[index] == UInt8(ascii: "{") || isLive && (0x21...0x7E).contains(bytes[index]) { return .text }
      // A byte order mark before the text.
      if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { return .text }
      throw CaptureError(
        .unknownFormat, at: .start,
        "not a capture that can be read: it must be btsnoop, pcap, pcapng, or one JSON object per line")
    }
    return .text
  }
}

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
