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

  /// Whether left-over bytes at the end are no error. The text form has already reported them.
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
    switch try CaptureFormat.detect(bytes) {
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
