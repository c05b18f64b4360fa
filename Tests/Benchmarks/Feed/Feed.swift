import Core
import Glibc
import Radio

extension LiveRadio {
  /// Receives HCI events from another process, one a datagram, instead of an adapter. When the sender closes its end, the
  /// receiver hci0 is gone.
  /// - Parameter descriptor: a connected socket of type SOCK_SEQPACKET; any other has no end, or loses the bounds of packets. The
  ///   radio takes ownership.
  package convenience init(feed descriptor: Int32) throws {
    var type: Int32 = 0
    var length = socklen_t(MemoryLayout<Int32>.size)
    try systemCall("descriptor \(descriptor)") {
      unsafe getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &length)
    }
    guard type == Int32(SOCK_SEQPACKET.rawValue) else {
      throw SystemError(call: "descriptor \(descriptor)", code: EPROTOTYPE)
    }
    var peer = sockaddr()
    length = socklen_t(MemoryLayout<sockaddr>.size)
    try systemCall("descriptor \(descriptor)") { unsafe getpeername(descriptor, &peer, &length) }
    try self.init(in: FileDescriptor(descriptor), of: FeedKernel.start())
  }
}

/// Imitates the kernel's management interface for a radio whose advertisements come from another process: one adapter, hci0,
/// which is on and accepts every command.
enum FeedKernel {
  /// Answers on a thread of its own until the radio's end, which this returns, is closed.
  static func start() throws(SystemError) -> FileDescriptor {
    var ends: [Int32] = [-1, -1]
    try systemCall("socketpair") {
      unsafe socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0, &ends)
    }
    let (management, own) = (ends[0], ends[1])
    try Thread.start {
      defer { close(own) }
      var command = [UInt8](repeating: 0, count: 1024)
      while case let count = unsafe recv(own, &command, command.count, 0), count > 0 {
        let answer = Self.answer(command[..<count])
        _ = unsafe send(own, answer, answer.count, Int32(MSG_NOSIGNAL))
      }
    }
    return FileDescriptor(management)
  }

  /// Command Complete with the requested data (BlueZ doc/mgmt-api.txt). For an unknown command, Command Status: unknown.
  static func answer(_ command: ArraySlice<UInt8>) -> [UInt8] {
    guard command.count >= 6 else { return [] }
    let head = Array(command.prefix(6))
    switch head.span.littleEndian16(at: 0) {
    // Read Controller Index List
    case 0x0003: return event(1, head, [0] + [1, 0] + [0, 0])
    // Read Controller Information
    case 0x0004: return event(1, head, [0] + information)
    // Add and Remove Advertisement Patterns Monitor
    case 0x0052, 0x0053: return event(1, head, [0] + [1, 0])
    // Set Default System Configuration
    case 0x004C: return event(1, head, [0])
    default: return event(2, head, [1])
    }
  }

  private static func event(_ code: UInt8, _ command: [UInt8], _ parameters: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = [code, 0, command[2], command[3]]
    bytes.append(littleEndian: UInt16(2 + parameters.count))
    return bytes + command[..<2] + parameters
  }

  /// Bluetooth 4.2 from Linux; powered and with Low Energy, and capable of both.
  private static var information: [UInt8] {
    let settings: UInt32 = 1 << 0 | 1 << 9
    var bytes: [UInt8] = [1, 0, 0, 0, 0xAA, 0, 8, 2, 0]
    for _ in 0..<2 {
      bytes.append(littleEndian: UInt16(truncatingIfNeeded: settings))
      bytes.append(littleEndian: UInt16(truncatingIfNeeded: settings >> 16))
    }
    return bytes + [UInt8](repeating: 0, count: 3 + 249 + 11)
  }
}
