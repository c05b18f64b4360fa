import CBlueZ
import Core

/// A Bluetooth socket of the kernel: raw, to receive from one adapter, or management, to control all of them.
final class HCISocket: Sendable {
  /// LE meta, command complete, command status and hardware error, as bits.
  static let wantedEvents: UInt64 = 1 << 0x3E | 1 << 0x0E | 1 << 0x0F | 1 << 0x10

  let descriptor: FileDescriptor

  /// Takes ownership of a descriptor that delivers one packet per read.
  init(_ descriptor: consuming FileDescriptor) { self.descriptor = descriptor }

  /// Opens a raw socket of an adapter. Reads the filter back, because without CAP_NET_RAW the kernel strips it without an
  /// error.
  static func raw(adapter: UInt16, receiveBuffer: Int32) throws(RadioError) -> HCISocket {
    do throws(SystemError) {
      let socket = try open(adapter: adapter, channel: UInt16(HCI_CHANNEL_RAW))
      let number = socket.descriptor.number
      try systemCall("setsockopt HCI_FILTER") { beaconkeeper_hci_filter(number, wantedEvents) }
      var passed: UInt64 = 0
      try systemCall("getsockopt HCI_FILTER") { unsafe beaconkeeper_hci_read_filter(number, &passed) }
      guard passed & wantedEvents == wantedEvents else { throw SystemError(call: "HCI_FILTER", code: EPERM) }
      try systemCall("setsockopt SO_RCVBUF") { beaconkeeper_receive_buffer(number, receiveBuffer) }
      return socket
    } catch {
      throw RadioError(error)
    }
  }

  static func management() throws(RadioError) -> HCISocket {
    do throws(SystemError) {
      let socket = try open(adapter: UInt16(BEACONKEEPER_NO_DEVICE), channel: UInt16(HCI_CHANNEL_CONTROL))
      try systemCall("setsockopt SO_ATTACH_FILTER") {
        beaconkeeper_refuse_advertisements(socket.descriptor.number)
      }
      return socket
    } catch {
      throw RadioError(error)
    }
  }

  private static func open(adapter: UInt16, channel: UInt16) throws(SystemError) -> HCISocket {
    HCISocket(
      FileDescriptor(try systemCall("socket AF_BLUETOOTH") { beaconkeeper_hci_socket(adapter, channel) }))
  }

  /// Receives the packets that are waiting, as many as fit. None if there are none, or if the socket is dead, which poll
  /// reports.
  func receive(into packets: inout PacketBuffer) {
    do throws(SystemError) {
      packets.count = try unsafe packets.fill { bytes, lengths, stamps throws(SystemError) in
        let number = descriptor.number
        return Int(try systemCall("recvmmsg") { unsafe beaconkeeper_receive(number, bytes, lengths, stamps) })
      }
    } catch {
      packets.count = 0
    }
  }

  /// Sends one packet. Some kernels (6.12.43) report 0 for one that was sent, so 0 is success.
  func send(_ packet: [UInt8]) throws(SystemError) {
    let number = descriptor.number
    try systemCall("send") {
      unsafe packet.withUnsafeBytes {
        unsafe CBlueZ.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
    }
  }

  /// Packets the kernel has dropped so far because the receive buffer was full.
  var dropped: Int64 { max(0, beaconkeeper_dropped(descriptor.number)) }
}

/// A buffer for the packets of one system call. It is kept, so that receiving allocates nothing.
struct PacketBuffer {
  static let limit = Int(BEACONKEEPER_PACKETS)
  private static let room = Int(BEACONKEEPER_PACKET_ROOM)

  var count = 0
  private(set) var bytes = [UInt8](repeating: 0, count: Self.limit * Self.room)
  private var lengths = [UInt32](repeating: 0, count: Self.limit)
  private var stamps = [Int64](repeating: 0, count: Self.limit)

  /// Where in `bytes` the packet is; truncated if it was too long.
  func range(_ place: Int) -> Range<Int> {
    let start = place * Self.room
    return start..<start + min(Int(lengths[place]), Self.room)
  }

  /// When the kernel received it; nil: unknown.
  func stamp(_ place: Int) -> WallTime? {
    stamps[place] == 0 ? nil : WallTime(nanoseconds: stamps[place])
  }

  /// Lets `body` write bytes, lengths and timestamps, and returns what it returns.
  @unsafe mutating func fill(
    _ body: (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<UInt32>?, UnsafeMutablePointer<Int64>?)
      throws(SystemError) -> Int
  ) throws(SystemError) -> Int {
    try unsafe bytes.withUnsafeMutableBufferPointer { bytes throws(SystemError) in
      try unsafe lengths.withUnsafeMutableBufferPointer { lengths throws(SystemError) in
        try unsafe stamps.withUnsafeMutableBufferPointer { stamps throws(SystemError) in
          try unsafe body(bytes.baseAddress, lengths.baseAddress, stamps.baseAddress)
        }
      }
    }
  }
}
