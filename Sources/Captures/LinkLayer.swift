import Beacons
import Core

/// How HCI packets are wrapped in a pcap or pcapng record (https://www.tcpdump.org/linktypes.html).
enum LinkLayer: UInt16, Sendable {
  /// H4 packet type, then the packet.
  case h4 = 187
  /// Direction (4 bytes), then H4.
  case h4WithDirection = 201
  /// Adapter number and monitor opcode (2 bytes each, big endian), then the packet.
  case linuxMonitor = 254

  static let monitorEventOpcode: UInt16 = 3

  func append(_ packet: Span<UInt8>, adapter: UInt16?, wallTime: WallTime, to output: inout CaptureOutput) {
    switch self {
    case .h4:
      guard packet.count > 1, packet[0] == HCIPacketType.event else { return }
      output.appendEvent(packet.extracting(1...), adapter: adapter, wallTime: wallTime)
    case .h4WithDirection:
      guard packet.count > 5, packet[4] == HCIPacketType.event else { return }
      output.appendEvent(packet.extracting(5...), adapter: adapter, wallTime: wallTime)
    case .linuxMonitor:
      guard packet.count > 4, packet.bigEndian16(at: 2) == Self.monitorEventOpcode else { return }
      output.appendEvent(packet.extracting(4...), adapter: packet.bigEndian16(at: 0), wallTime: wallTime)
    }
  }

  init(_ number: UInt32, at place: CaptureError.Position) throws(CaptureError) {
    guard let known = UInt16(exactly: number).flatMap(LinkLayer.init(rawValue:)) else {
      throw CaptureError(
        .unsupported, at: place,
        "link type \(number) is not Bluetooth HCI; capture with btmon -w, or with Wireshark on a bluetooth interface"
      )
    }
    self = known
  }
}
