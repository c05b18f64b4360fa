import Beacons
import Core

/// btsnoop, as btmon (monitor) and Android (HCI UART) write it.
///
/// Header: `btsnoop\0`, version 1, datalink. Record: original length, included length, flags, drops (4 bytes
/// each), microseconds since the year 0 (8 bytes), packet. All big endian. Source: Symbian's snoop-derived
/// format as in BlueZ `btsnoop(7)` and RFC 1761.
struct BtsnoopRecords: Sendable {
  enum Datalink: UInt32, Sendable {
    case unencapsulated = 1001
    case uart = 1002
    case monitor = 2001
  }

  static let headerLength = 16
  static let recordHeaderLength = 24
  /// More than the longest HCI packet (4 + 65,535 bytes).
  static let longestPacket = 1 << 17
  /// 1970-01-01 on the clock of this format, in microseconds; BlueZ and Android agree on it.
  static let epoch: UInt64 = 0x00DC_DDB3_0F2F_8000

  let datalink: Datalink

  init(header: Span<UInt8>) throws(CaptureError) {
    let version = header.bigEndian32(at: 8)
    guard version == 1 else {
      throw CaptureError(.unsupported, at: .byte(8), "btsnoop version \(version); only version 1 is known")
    }
    let number = header.bigEndian32(at: 12)
    guard let datalink = Datalink(rawValue: number) else {
      throw CaptureError(
        .unsupported, at: .byte(12),
        "btsnoop datalink \(number); known are 1001 (HCI), 1002 (HCI UART) and 2001 (Linux monitor)")
    }
    self.datalink = datalink
  }

  /// Reads one record and returns its length; 0 if it is incomplete.
  func read(_ bytes: Span<UInt8>, at offset: Int64, into output: inout CaptureOutput) throws(CaptureError)
    -> Int
  {
    guard bytes.count >= Self.recordHeaderLength else { return 0 }
    let included = Int(bytes.bigEndian32(at: 4))
    guard included <= Self.longestPacket else { throw .overlong(included, at: offset) }
    let end = Self.recordHeaderLength + included
    guard bytes.count >= end else { return 0 }
    let flags = bytes.bigEndian32(at: 8)
    let packet = bytes.extracting(Self.recordHeaderLength..<end)
    switch datalink {
    case .monitor where UInt16(truncatingIfNeeded: flags) == LinkLayer.monitorEventOpcode:
      let adapter = UInt16(truncatingIfNeeded: flags >> 16)
      output.appendEvent(packet, adapter: adapter, wallTime: wallTime(bytes))
    case .uart where included > 1 && packet[0] == HCIPacketType.event:
      output.appendEvent(packet.extracting(1...), adapter: nil, wallTime: wallTime(bytes))
    // Bit 0: received; bit 1: command or event.
    case .unencapsulated where flags & 3 == 3:
      output.appendEvent(packet, adapter: nil, wallTime: wallTime(bytes))
    default: break
    }
    return end
  }

  private func wallTime(_ record: Span<UInt8>) -> WallTime {
    let microseconds = Int64(bitPattern: record.bigEndian64(at: 16) &- Self.epoch)
    return WallTime(nanoseconds: TimeSpan.microseconds(microseconds).nanoseconds)
  }
}

extension TimeSpan {
  /// Saturates if a hostile timestamp does not fit.
  static func microseconds(_ count: Int64) -> Self {
    let (product, overflow) = count.multipliedReportingOverflow(by: 1000)
    return Self(nanoseconds: overflow ? (count < 0 ? .min : .max) : product)
  }
}
